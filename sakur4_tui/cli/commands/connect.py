"""The command that lets an agent's harness reach this program: connect."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sakur4_tui.cli.output import Output, visible
from sakur4_tui.cli.place import Place, output_options, place_options

if TYPE_CHECKING:
    from sakur4_tui.connect.parts import Hooks, Server

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
@click.option("--hooks", is_flag=True, help="Claude Code's hooks instead of its servers.")
@click.option(
    "--file", type=click.Path(path_type=Path), help="The file, instead of the harness's own."
)
@place_options
@output_options
def connect(
    place: Place, output: Output, harness: str, act: str | None, hooks: bool, file: Path | None
) -> None:
    """Print what lets HARNESS reach this project's memory; write it with --write.

    With --hooks it is what lets Claude Code bring pinned rules back after a compaction.
    """
    from sakur4_core.errors import InvalidInput
    from sakur4_core.paths import find_root

    from sakur4_tui.connect import configuration
    from sakur4_tui.connect.harnesses import HARNESSES
    from sakur4_tui.connect.harnesses import Place as Machine
    from sakur4_tui.connect.parts import hooks_file, part_of

    chosen = HARNESSES[harness]
    root = find_root(place.project)
    part = part_of(chosen, root, hooks=hooks)
    own = hooks_file(root) if hooks else chosen.file(Machine.here(root))
    target = file or own
    if act is None:
        text = configuration.snippet(part)
        where = f" in {target}" if target is not None else ""
        output.tell(f"For {chosen.title}, put this{visible(where)}:")
        output.show({"harness": harness, "file": str(target or ""), "text": text}, text.rstrip())
        return
    if target is None:
        raise InvalidInput(f"{chosen.title} has no file of its own.", "Name one with --file.")
    if act == "check":
        _check(output, part, target, root)
        return
    if act == "write":
        change = configuration.write(part, target)
        said = {"written": "Written to", "unchanged": "Nothing to do: it stands already in"}
    else:
        change = configuration.remove(part, target)
        said = {"removed": "Removed from", "absent": "Nothing to do: nothing of ours is in"}
    output.show(change, f"{said[change.outcome]} {visible(change.file)}.")
    if change.outcome == "written":
        output.tell(part.note)


def _check(output: Output, part: Server | Hooks, target: Path, root: Path) -> None:
    """Start what is configured as the harness would, and say what it answered."""
    import asyncio

    from sakur4_core.errors import InvalidInput

    from sakur4_tui.connect import configuration
    from sakur4_tui.connect.check import check, check_hooks
    from sakur4_tui.connect.parts import Hooks

    found = configuration.current(part, target)
    if found is None:
        raise InvalidInput(
            f"{target} has nothing of sakur4.", "Write it with the same command and --write."
        )
    if isinstance(part, Hooks):
        answers = check_hooks(found, root)
        text = "\n".join(f"{one.event}: answered after {one.ms:.0f} ms." for one in answers)
        output.show(answers, text)
        return
    served = asyncio.run(check(part.launched(found), root))
    output.show(
        served,
        f"{len(served.tools)} tools; ready after {served.initialize_ms:.0f} ms,"
        f" listed after {served.tools_ms:.0f} ms more.",
    )


COMMANDS = (connect,)
