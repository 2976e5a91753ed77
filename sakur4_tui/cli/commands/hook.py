"""The command that a harness's hooks call."""

from __future__ import annotations

from pathlib import Path

import click

from sakur4_tui.cli.output import Output
from sakur4_tui.cli.place import Place, output_options, place_options


@click.command("hook")
@click.argument("harness", type=click.Choice(["claude-code"]))
@click.argument("event")
@place_options
@output_options
def hook(place: Place, output: Output, harness: str, event: str) -> None:
    """Answer EVENT of HARNESS: its JSON on standard input, the answer on standard output.

    Whatever goes wrong here, the harness goes on; logs/hook.log says what it was.
    """
    from sakur4_tui.hook.run import run_hook

    named = None if place.project == Path() else place.project
    run_hook(event, named, place.store)


COMMANDS = (hook,)
