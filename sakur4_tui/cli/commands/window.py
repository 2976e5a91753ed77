"""Commands on the window: receipt, plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sakur4_tui.cli.output import Output, table, visible
from sakur4_tui.cli.place import engine_command, session_or_newest

if TYPE_CHECKING:
    from sakur4_core.engine import Engine
    from sakur4_core.models import Plan, Receipt, ReceiptPart


@click.command("receipt")
@click.option("--session", "session_id", metavar="ID", help="The newest session by default.")
@engine_command
async def receipt(engine: Engine, output: Output, session_id: str | None) -> None:
    """What fills the window of a session now."""
    found = await engine.receipt(await session_or_newest(engine, session_id))
    output.show(found, render_receipt(found))


@click.command("plan")
@click.option("--session", "session_id", metavar="ID", help="The newest session by default.")
@click.option(
    "--target", type=click.FloatRange(0.05, 0.95), help="The share of the window to reach."
)
@click.option("--propose", is_flag=True, help="Store it as a proposal that waits for a decision.")
@engine_command
async def plan(
    engine: Engine,
    output: Output,
    session_id: str | None,
    target: float | None,
    propose: bool,
) -> None:
    """What would leave the window, what that frees and what it costs."""
    session = await session_or_newest(engine, session_id)
    if not propose:
        found = await engine.preview_plan(session, target=target)
        output.show(found, render_plan(found))
        output.tell((await engine.reach(session)).sentence)
        return
    proposal = await engine.plan_eviction(session, target=target)
    assert proposal.plan is not None
    output.show(proposal, render_plan(proposal.plan))
    output.tell((await engine.reach(session)).sentence)
    output.tell(f"▲ Proposal {proposal.proposal_id} waits for a decision.")


def render_receipt(receipt: Receipt) -> str:
    """A receipt for a person: the total, then each part, largest detail first."""
    from sakur4_tui.figures import figure, percent

    head = (
        f"{visible(receipt.session_id)} · turn {receipt.turn} · window "
        f"{figure(receipt.total)}/{figure(receipt.window)}  {figure(receipt.fill, form=percent)}"
        f"  {receipt.pressure}\n"
        f"cache {receipt.cache.verdict} ({receipt.cache.basis})  counted by {receipt.counter}"
    )
    rows: list[tuple[str, str, str, str]] = []

    def add(part: ReceiptPart, indent: str) -> None:
        basis = str(part.tokens.basis)
        rows.append((indent + visible(part.name), figure(part.tokens), basis, visible(part.note)))
        for inner in part.detail:
            add(inner, indent + "  ")

    for part in receipt.parts:
        add(part, "")
    notes = "".join(f"\n{visible(note)}" for note in receipt.notes)
    return f"{head}\n\n{table(('part', 'tokens', 'basis', 'note'), rows)}{notes}"


def render_plan(plan: Plan) -> str:
    """A plan for a person: its totals, then every item with the tiers it visits."""
    from sakur4_tui.figures import figure

    pays = f"pays in {plan.break_even_turns} turns" if plan.break_even_turns is not None else ""
    head = (
        f"{visible(plan.session_id)} · {plan.pressure} · {figure(plan.tokens_before)} → "
        f"{figure(plan.tokens_after)} · frees {figure(plan.tokens_freed)} · keeps prefix "
        f"{figure(plan.prefix_kept)} · rewrites {figure(plan.tokens_to_prefill)}"
        f"{' · ' + pays if pays else ''}"
    )
    rows = [
        (
            f"#{item.seq}",
            f"{item.role} {visible(item.tool_name or '')}".strip(),
            item.tokens_before,
            item.tokens_after,
            f"{item.from_tier} → {item.to_tier}",
            visible(item.preview)[:48],
        )
        for item in plan.items
    ]
    notes = "".join(f"\n{visible(note)}" for note in plan.notes)
    if not rows:
        return f"{head}\nNothing would leave.{notes}"
    return f"{head}\n\n{table(('turn', 'who', 'now', 'then', 'tier', 'text'), rows)}{notes}"


COMMANDS = (receipt, plan)
