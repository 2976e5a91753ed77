"""Commands on what waits for a decision: proposals, approve, reject, undo."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sakur4_tui.cli.commands.anchors import declined
from sakur4_tui.cli.deciding import Decider, ask
from sakur4_tui.cli.output import Output, first_line, table, visible
from sakur4_tui.cli.place import engine_command

if TYPE_CHECKING:
    from sakur4_core.engine import Engine
    from sakur4_core.models import Proposal


@click.command("proposals")
@click.option("--all", "decided", is_flag=True, help="The decided ones too, newest first.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@engine_command
async def proposals(engine: Engine, output: Output, decided: bool, limit: int) -> None:
    """What waits for a decision."""
    inbox = engine.proposals
    found = (await inbox.recent(limit) if decided else await inbox.pending())[:limit]
    rows = [
        (
            proposal.proposal_id,
            proposal.kind,
            proposal.status,
            visible(proposal.asked_by),
            proposal.created_at[:19].replace("T", " "),
            headline(proposal),
        )
        for proposal in found
    ]
    head = ("proposal", "kind", "status", "asked by", "since (UTC)", "what")
    output.show(found, table(head, rows) if rows else "Nothing waits for a decision.")


@click.command("approve")
@click.argument("proposal_id")
@click.option("--item", "items", multiple=True, metavar="EPISODE", help="Only these of a plan.")
@engine_command
async def approve(engine: Engine, output: Output, proposal_id: str, items: tuple[str, ...]) -> int:
    """Approve a proposal, so that it takes effect."""
    proposal = await engine.proposals.get(proposal_id)
    refusal = _decide(engine, output, f"Approve {proposal.kind}: {headline(proposal)}")
    if refusal is not None:
        return refusal
    done = await engine.proposals.approve(proposal_id, items=items or None, by="person")
    output.show(done, f"✓ {done.proposal_id} {done.status}.")
    return 0


@click.command("reject")
@click.argument("proposal_id")
@click.option("--reason", default="", help="The agent is told.")
@engine_command
async def reject(engine: Engine, output: Output, proposal_id: str, reason: str) -> int:
    """Reject a proposal; nothing it names changes."""
    proposal = await engine.proposals.get(proposal_id)
    refusal = _decide(engine, output, f"Reject {proposal.kind}: {headline(proposal)}")
    if refusal is not None:
        return refusal
    done = await engine.proposals.reject(proposal_id, reason, by="person")
    output.show(done, f"× {done.proposal_id} {done.status}.")
    return 0


@click.command("undo")
@click.argument("proposal_id", required=False)
@engine_command
async def undo(engine: Engine, output: Output, proposal_id: str | None) -> int:
    """Take the newest applied plan back, or the one named."""
    named = visible(proposal_id) if proposal_id else "the newest applied plan"
    refusal = _decide(engine, output, f"Undo {named}")
    if refusal is not None:
        return refusal
    done = await engine.proposals.undo(proposal_id, by="person")
    output.show(done, f"{done.proposal_id} {done.status}.")
    return 0


def headline(proposal: Proposal) -> str:
    """What a proposal would do, on one line."""
    if proposal.plan is not None:
        from sakur4_tui.figures import figure

        plan = proposal.plan
        return f"{len(plan.items)} turns leave, frees {figure(plan.tokens_freed)} tokens"
    return first_line(str(proposal.payload.get("content", "")))


def _decide(engine: Engine, output: Output, question: str) -> int | None:
    """None where a person said yes; otherwise the exit code."""
    decider = ask(engine.settings, question)
    if decider is Decider.PERSON:
        return None
    if decider is Decider.NOBODY:
        return declined(output)
    from sakur4_core.errors import InvalidInput

    raise InvalidInput(
        "This runs under an agent, and only a person decides on proposals.",
        "It stays as it is; decide in `sakur4-tui`, or in a terminal of your own.",
    )


COMMANDS = (proposals, approve, reject, undo)
