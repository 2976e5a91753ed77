"""The demo: the whole product at work on a sample project."""

from __future__ import annotations

from typing import NoReturn

import click

from sakur4_tui.cli.output import Output, complain, pairs
from sakur4_tui.cli.place import output_options


@click.command("demo")
@click.option("--headless", is_flag=True, help="Without a screen, at full speed.")
@click.option(
    "--speed",
    type=click.FloatRange(0.1, 100),
    default=1.0,
    show_default=True,
    help="How many times faster than recorded.",
)
@click.option("--keep", is_flag=True, help="Keep the temporary project and its store.")
@click.option("--theme", metavar="NAME", help="The interface's theme.")
@output_options
def demo(output: Output, headless: bool, speed: float, keep: bool, theme: str | None) -> None:
    """Replay a recorded agent session on a sample project, in a private folder.

    Nothing of yours is read or written: the project, its store and its settings live in a
    temporary folder, which is removed at the end.
    """
    _clean_up_when_told_to_end()
    if not headless:
        from sakur4_tui.cli.interface import require_terminal
        from sakur4_tui.demo.live import run_live

        require_terminal()
        run_live(speed=speed, keep=keep, theme=theme)
        return
    import asyncio

    from sakur4_tui.demo.headless import run_headless

    output.tell("Replaying a recorded session on a sample project.")
    report = asyncio.run(run_headless(keep=keep, tell=output.tell))
    fields = [(name.replace("_", " "), getattr(report, name)) for name in type(report).__slots__]
    output.show(report, pairs(fields))
    missing = report.missing()
    if missing:
        complain(f"The demo is not whole: no {', '.join(missing)}.", "Run `sakur4-tui doctor`.")
        raise click.exceptions.Exit(1)


def _clean_up_when_told_to_end() -> None:
    """Let a signal end the program by way of its ``finally`` blocks, which remove the folder."""
    import signal

    def end(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, end)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, end)


COMMANDS = (demo,)
