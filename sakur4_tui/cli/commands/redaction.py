"""The command that takes out for good what slipped through redaction: redact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sakur4_tui.cli.commands.anchors import declined
from sakur4_tui.cli.deciding import Decider, ask
from sakur4_tui.cli.output import Output, first_line, visible
from sakur4_tui.cli.place import engine_command

if TYPE_CHECKING:
    from sakur4_core.engine import Engine
    from sakur4_core.models import Redaction


@click.command("redact")
@click.argument("episode")
@click.option("--reason", required=True, help="What it held; never the secret itself.")
@engine_command
async def redact(engine: Engine, output: Output, episode: str, reason: str) -> int:
    """Replace the content of EPISODE by a tombstone, for good.

    EPISODE is an id or a number. What was derived from it goes too: facts, words, vectors, saved
    views, and every summary, pin and proposal that quotes it. Backups and exports are not reached.
    """
    found = await engine.episodes.get(_place(episode))
    what = f"Redact #{found.seq} ({found.role.value}) for good: {first_line(found.content)}"
    decider = ask(engine.settings, what)
    if decider is Decider.NOBODY:
        return declined(output)
    if decider is Decider.AGENT:
        from sakur4_core.errors import InvalidInput

        raise InvalidInput(
            "This runs under an agent, and only a person takes a turn out of the memory.",
            f"Ask the person to run `sakur4-tui redact {found.seq}` in a terminal of their own.",
        )
    done = await engine.redact(found.seq, reason, by="person")
    output.show(done, _told(done))
    if not done.scrubbed:
        output.tell(
            "Other processes read the store meanwhile: its WAL still holds the old bytes."
            f" Close them and run `sakur4-tui redact {done.seq}` again."
        )
    return 0


def _place(episode: str) -> str | int:
    """A number with or without ``#`` is a place, anything else an id."""
    number = episode.removeprefix("#")
    return int(number) if number.isascii() and number.isdigit() and len(number) < 19 else episode


def _told(done: Redaction) -> str:
    lines = [f"#{done.seq} is now {visible(done.tombstone)}", f"{done.facts} facts deleted."]
    for what, ids in (
        ("Retired, for it quoted the turn", done.summaries),
        ("Unpinned, for it quoted the turn", done.anchors),
        ("Expired, for it quoted the turn", done.proposals),
    ):
        lines += [f"{what}: {visible(identity)}" for identity in ids]
    return "\n".join(lines)


COMMANDS = (redact,)
