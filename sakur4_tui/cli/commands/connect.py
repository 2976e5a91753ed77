"""The command that lets an agent's harness reach this program: connect."""

from __future__ import annotations

from pathlib import Path

import click

from sakur4_tui.cli.output import Output, visible
from sakur4_tui.cli.place import Place, output_options, place_options

NAMES = (
    "claude-code",
    "claude-desktop",
    "codex",
    "opencode",
    "cursor",
    "vscode",
    "gemini",
    "zed",
    "windsurf",
    "generic",
)


@click.command("connect")
@click.argument("harness", type=click.Choice(NAMES))
@click.option("--write", "act", flag_value="write", help="Write it into the harness's file.")
@click.option("--remove", "act", flag_value="remove", help="Take it out again.")
@click.option("--check", "act", flag_value="check", help="Start what is configured and ask it.")
@click.option(
    "--file", type=click.Path(path_type=Path), help="The file, instead of the harness's own."
)
@place_options
@output_options
def connect(
    place: Place, output: Output, harness: str, act: str | None, file: Path | None
) -> None:
    """Print what lets HARNESS reach this project's memory; write it with --write."""
    from sakur4_core.errors import InvalidInput
    from sakur4_core.paths import find_root

    from sakur4_tui.connect import configuration
    from sakur4_tui.connect.harnesses import HARNESSES, launch
    from sakur4_tui.connect.harnesses import Place as Machine

    chosen = HARNESSES[harness]
    root = find_root(place.project)
    target = file or chosen.file(Machine.here(root))
    command = launch(chosen, root)
    if act is None:
        text = configuration.snippet(chosen, command)
        where = f" in {target}" if target is not None else ""
        output.tell(f"For {chosen.title}, put this{visible(where)}:")
        output.show({"harness": harness, "file": str(target or ""), "text": text}, text.rstrip())
        return
    if target is None:
        raise InvalidInput(f"{chosen.title} has no file of its own.", "Name one with --file.")
    if act == "check":
        import asyncio

        from sakur4_tui.connect.check import check

        configured = configuration.current(chosen, target)
        if configured is None:
            raise InvalidInput(
                f"{target} has no server named sakur4.",
                f"Write it with `sakur4-tui connect {harness} --write`.",
            )
        found = asyncio.run(check(configured, root))
        output.show(
            found,
            f"{len(found.tools)} tools; ready after {found.initialize_ms:.0f} ms,"
            f" listed after {found.tools_ms:.0f} ms more.",
        )
        return
    if act == "write":
        change = configuration.write(chosen, target, command)
        said = {"written": "Written to", "unchanged": "Nothing to do: it stands already in"}
    else:
        change = configuration.remove(chosen, target)
        said = {"removed": "Removed from", "absent": "Nothing to do: nothing of ours is in"}
    output.show(change, f"{said[change.outcome]} {visible(change.file)}.")
    if change.outcome == "written" and chosen.note:
        output.tell(chosen.note)


COMMANDS = (connect,)
