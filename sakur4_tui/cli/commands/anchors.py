"""Commands on pinned statements: pin, unpin, anchors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sakur4_tui.cli.deciding import Decider, ask
from sakur4_tui.cli.output import Output, first_line, table, visible
from sakur4_tui.cli.place import engine_command

if TYPE_CHECKING:
    from sakur4_core.engine import Engine

KINDS = ("task_contract", "safety_constraint", "user_correction")


@click.command("pin")
@click.argument("content")
@click.option("--kind", type=click.Choice(KINDS), default=KINDS[0], show_default=True)
@click.option("--session", "session_id", metavar="ID", help="Pin for this session only.")
@engine_command
async def pin(
    engine: Engine, output: Output, content: str, kind: str, session_id: str | None
) -> int:
    """Pin a statement: no eviction can take it out of the prompt."""
    scope = "project" if session_id is None else "session"
    decider = ask(engine.settings, f"Pin for this {scope}: {first_line(content)}")
    if decider is Decider.NOBODY:
        return declined(output)
    if decider is Decider.AGENT:
        proposal = await engine.proposals.propose_anchor(
            content, kind=kind, scope=scope, session_id=session_id, asked_by="agent"
        )
        output.show(proposal, f"▲ {proposal.proposal_id} waits for a person's decision.")
        return 0
    anchor = await engine.pin(content, kind=kind, scope=scope, session_id=session_id)
    output.show(anchor, f"⚓ {anchor.anchor_id} pinned, {anchor.token_cost} tokens.")
    return 0


@click.command("unpin")
@click.argument("anchor_id")
@engine_command
async def unpin(engine: Engine, output: Output, anchor_id: str) -> int:
    """Take a pin off; its history is kept."""
    decider = ask(engine.settings, f"Unpin {visible(anchor_id)}")
    if decider is Decider.NOBODY:
        return declined(output)
    if decider is Decider.AGENT:
        proposal = await engine.proposals.propose_unpin(anchor_id, asked_by="agent")
        output.show(proposal, f"▲ {proposal.proposal_id} waits for a person's decision.")
        return 0
    anchor = await engine.unpin(anchor_id)
    output.show(anchor, f"{anchor.anchor_id} unpinned.")
    return 0


@click.command("anchors")
@click.option("--session", "session_id", metavar="ID", help="With this session's own.")
@engine_command
async def anchors(engine: Engine, output: Output, session_id: str | None) -> None:
    """The statements that are pinned now."""
    found = await engine.anchors(session_id)
    rows = [
        (
            anchor.anchor_id,
            anchor.kind,
            anchor.scope,
            anchor.token_cost,
            visible(anchor.pinned_by),
            first_line(anchor.content),
        )
        for anchor in found
    ]
    head = ("anchor", "kind", "scope", "tokens", "by", "statement")
    output.show(found, table(head, rows) if rows else "Nothing is pinned.")


def declined(output: Output) -> int:
    """Say that nothing was done; the exit code for it."""
    output.tell("Nothing was changed.")
    return 1


COMMANDS = (pin, unpin, anchors)
