"""Tools of the window: receipt, eviction plan, usage, proposals."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field
from sakur4_core import models as m

from sakur4_tui.mcp.decisions import decide, wait_for_decision
from sakur4_tui.mcp.registry import Reply, tool

if TYPE_CHECKING:
    from sakur4_tui.mcp.call import Call

Id = Annotated[str, Field(min_length=1, max_length=200)]
Count = Annotated[int, Field(ge=0, le=1_000_000_000)]


@dataclass(frozen=True, slots=True)
class ReceiptAnswer(m.Receipt):
    """The receipt now, with earlier ones, newest first, where asked for."""

    history: tuple[m.Receipt, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanAnswer(m.Plan):
    """A plan, and what became of it: ``planned`` where nothing was stored."""

    status: str = "planned"
    proposal_id: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class UsageStats:
    """What a call's usage means for the window."""

    context_tokens: int
    window: m.Figure
    fill: m.Figure
    reused: m.Figure
    price: m.Figure


@dataclass(frozen=True, slots=True)
class UsageAnswer:
    """The turn that a usage was recorded for, and what became of the prompt cache."""

    turn: int
    verdict: m.Verdict
    cause: str | None
    stats: UsageStats


@dataclass(frozen=True, slots=True)
class Decision:
    """How a proposal stands."""

    proposal_id: str
    kind: m.ProposalKind
    status: m.ProposalStatus
    reason: str | None
    decided_by: str | None


@tool(core=True, reads=True)
async def context_receipt(
    call: Call, session_id: Id | None = None, history: Annotated[int, Field(ge=0, le=200)] = 0
) -> Reply[ReceiptAnswer]:
    """What fills the context window now, part by part; `history` adds earlier receipts."""
    session = await call.session(session_id)
    receipt = await call.engine.receipt(session)
    earlier = await call.engine.receipts(session, history) if history else ()
    data = ReceiptAnswer(**_fields(receipt), history=earlier)
    return Reply(data, receipt_text(receipt))


def _fields(model: m.Receipt | m.Plan) -> dict[str, Any]:
    """The model's own fields, to build an answer that has a few more."""
    return {field.name: getattr(model, field.name) for field in dataclasses.fields(model)}


def receipt_text(receipt: m.Receipt) -> str:
    """A receipt in a few lines: the total, then each part that is not empty."""
    lines = [
        f"{_tokens(receipt.total)} of {_tokens(receipt.window)} tokens; {receipt.pressure}; "
        f"cache {receipt.cache.verdict} ({receipt.cache.basis})."
    ]
    lines.extend(
        f"- {part.name}: {_tokens(part.tokens)}" for part in receipt.parts if part.tokens.value
    )
    lines.extend(f"Note: {note}" for note in receipt.notes)
    return "\n".join(lines)


def _tokens(figure: m.Figure) -> str:
    if figure.value is None:
        return "not known"
    return f"{figure.value:,.0f} ({figure.basis})"


@tool(core=True, destructive=True)
async def context_plan_eviction(
    call: Call,
    session_id: Id | None = None,
    target: Annotated[float, Field(gt=0, lt=1, description="share of the window to reach")]
    | None = None,
    apply: bool = False,
) -> Reply[PlanAnswer]:
    """What would leave the window next, what that saves and costs. apply=true asks to do it:
    under policy `ask` a person decides; a pending proposal is followed with context_proposal."""
    session = await call.session(session_id)
    if not apply:
        preview = await call.engine.preview_plan(session, target=target)
        return Reply(PlanAnswer(**_fields(preview)), plan_text(preview))
    stored = await call.engine.plan_eviction(session, target=target, asked_by="agent")
    proposal = await decide(call, stored)
    plan = proposal.plan or stored.plan
    assert plan is not None, "an eviction proposal holds its plan"
    data = PlanAnswer(
        **_fields(plan),
        status=proposal.status,
        proposal_id=proposal.proposal_id,
        reason=proposal.reason,
    )
    return Reply(data, f"{_decision_text(proposal)}\n{plan_text(plan)}")


def plan_text(plan: m.Plan) -> str:
    """A plan in a few lines."""
    if not plan.items:
        return "\n".join((f"Nothing to evict: {plan.pressure}.", *plan.notes))
    lines = [
        f"{len(plan.items)} items, frees {_tokens(plan.tokens_freed)} tokens, "
        f"keeps a prefix of {_tokens(plan.prefix_kept)}, "
        f"re-reads {_tokens(plan.tokens_to_prefill)}."
    ]
    lines.extend(
        f"- #{item.seq} {item.tool_name or item.role}: {item.from_tier} to {item.to_tier}, "
        f"{item.tokens_before} to {item.tokens_after} tokens"
        for item in plan.items
    )
    return "\n".join((*lines, *plan.notes))


@tool()
async def context_record_usage(
    call: Call,
    prompt_tokens: Count,
    completion_tokens: Count | None = None,
    cache_read_tokens: Count | None = None,
    cache_write_tokens: Count | None = None,
    provider: Id | None = None,
    model: Id | None = None,
    session_id: Id | None = None,
) -> Reply[UsageAnswer]:
    """Report the token usage of your last model call, so that the receipt is measured."""
    session = await call.session(session_id)
    usage = await call.engine.record_usage(
        session_id=session,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        cache_read_tokens=cache_read_tokens,
        cache_write_tokens=cache_write_tokens,
        provider=provider,
        model=model,
    )
    receipt = await call.engine.receipt(session)
    cache = receipt.cache
    stats = UsageStats(
        usage.context_tokens, receipt.window, receipt.fill, cache.reused, receipt.price
    )
    text = f"Turn {usage.turn}: {usage.context_tokens:,} tokens; cache {cache.verdict}."
    return Reply(UsageAnswer(usage.turn, cache.verdict, cache.cause, stats), text)


@tool(core=True, reads=True)
async def context_proposal(
    call: Call, proposal_id: Id, wait_s: Annotated[float, Field(ge=0, le=600)] = 0
) -> Reply[Decision]:
    """How a proposal stands; wait_s waits that long for a person's decision."""
    proposal = await call.engine.proposals.get(proposal_id)
    if wait_s and proposal.open:
        call.place.leave()
        proposal = await wait_for_decision(call, proposal, wait_s)
    data = Decision(
        proposal.proposal_id,
        proposal.kind,
        proposal.status,
        proposal.reason,
        proposal.decided_by,
    )
    return Reply(data, _decision_text(proposal))


def _decision_text(proposal: m.Proposal) -> str:
    by = f" by {proposal.decided_by}" if proposal.decided_by else ""
    because = f": {proposal.reason}" if proposal.reason else ""
    return f"{proposal.proposal_id} is {proposal.status}{by}{because}."
