"""Tools of the memory: commit, pin, recall, folds, staleness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field
from sakur4_core import models as m

from sakur4_tui.mcp.decisions import decide
from sakur4_tui.mcp.registry import Reply, tool

if TYPE_CHECKING:
    from sakur4_tui.mcp.call import Call

Id = Annotated[str, Field(min_length=1, max_length=200)]


@dataclass(frozen=True, slots=True)
class Pinned:
    """What came of a wish to pin."""

    status: Literal["pinned", "pending", "rejected", "expired", "undone", "failed"]
    anchor_id: str | None
    proposal_id: str | None
    token_cost: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class Recalled:
    """Evidence, best first, and the same rendered for a prompt."""

    hits: tuple[m.Hit, ...]
    views: tuple[str, ...]
    lexical_only: bool
    stale_ids: tuple[str, ...]
    notes: tuple[str, ...]
    tokens: int
    rendered: str


@dataclass(frozen=True, slots=True)
class FoldState:
    """A fold as it stands."""

    fold_id: str
    status: str
    tokens_reclaimed: int
    episodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoldTurn:
    """One turn of a fold, word for word."""

    episode_id: str
    seq: int
    role: m.Role
    tool_name: str | None
    content: str


@dataclass(frozen=True, slots=True)
class RecalledFold:
    """A fold with its turns."""

    fold_id: str
    status: str
    description: str
    goal: str
    summary: str | None
    tokens_reclaimed: int
    episodes: tuple[FoldTurn, ...]


@tool(core=True)
async def memory_commit_episode(
    call: Call,
    role: Literal["user", "assistant", "system", "tool"],
    content: str,
    tool_name: Id | None = None,
    tool_call_id: Id | None = None,
    session_id: Id | None = None,
    slot_id: Annotated[int, Field(ge=0, le=4095)] | None = None,
    corrects: Annotated[Id, Field(description="episode_id that this turn supersedes")]
    | None = None,
) -> Reply[m.Committed]:
    """Store one turn word for word. Call it for every user, assistant and tool turn, in order;
    facts are read from tool output by parsers."""
    committed = await call.engine.commit_episode(
        role,
        content,
        session_id=await call.session(session_id),
        slot_id=slot_id,
        tool_name=tool_name,
        tool_call_id=tool_call_id,
        corrects=corrects,
        origin="mcp",
    )
    lines = [f"Stored #{committed.seq} {committed.episode_id}, {committed.token_count} tokens."]
    if committed.symbolic_summary:
        lines.append(f"Facts: {committed.symbolic_summary}")
    if committed.anchor_proposal:
        lines.append(f"A rule was noticed; {committed.anchor_proposal} waits for a person.")
    if committed.redactions:
        lines.append(f"Redacted: {', '.join(committed.redactions)}.")
    return Reply(committed, "\n".join(lines))


@tool(core=True)
async def memory_pin(
    call: Call,
    content: Annotated[str, Field(min_length=1, max_length=4000)],
    kind: Literal["user_correction", "safety_constraint", "task_contract"] = "task_contract",
    scope: Literal["project", "session"] = "project",
    session_id: Id | None = None,
) -> Reply[Pinned]:
    """Ask to pin a rule that must survive eviction. Under policy `ask` a person decides."""
    session = await call.session(session_id)
    proposal = await decide(
        call,
        await call.engine.proposals.propose_anchor(
            content, kind=kind, scope=scope, session_id=session, asked_by="agent"
        ),
    )
    pinned = proposal.status is m.ProposalStatus.APPLIED
    data = Pinned(
        status="pinned" if pinned else _open_or_closed(proposal.status),
        anchor_id=proposal.anchor_id if pinned else None,
        proposal_id=proposal.proposal_id,
        token_cost=int(proposal.payload["token_cost"]),
        reason=proposal.reason,
    )
    return Reply(data, _pin_text(data))


def _open_or_closed(
    status: m.ProposalStatus,
) -> Literal["pending", "rejected", "expired", "undone", "failed"]:
    match status:
        case m.ProposalStatus.PENDING | m.ProposalStatus.APPROVED | m.ProposalStatus.APPLIED:
            return "pending"
        case m.ProposalStatus.REJECTED:
            return "rejected"
        case m.ProposalStatus.EXPIRED:
            return "expired"
        case m.ProposalStatus.UNDONE:
            return "undone"
        case m.ProposalStatus.FAILED:
            return "failed"


def _pin_text(data: Pinned) -> str:
    if data.status == "pinned":
        return f"Pinned as {data.anchor_id}, {data.token_cost} tokens a turn."
    if data.status == "pending":
        return f"Not pinned yet: {data.proposal_id} waits for a person. Ask context_proposal."
    because = f": {data.reason}" if data.reason else ""
    return f"Not pinned; the proposal {data.proposal_id} is {data.status}{because}."


@tool(core=True, reads=True)
async def memory_recall(
    call: Call,
    query: Annotated[str, Field(min_length=1, max_length=10_000)],
    k: Annotated[int, Field(ge=1, le=100)] = 8,
    session_id: Id | None = None,
    project: Annotated[str, Field(description="another project's path or id")] | None = None,
    kinds: list[Literal["episode", "summary", "fact"]] | None = None,
    budget_tokens: Annotated[int, Field(ge=64, le=200_000)] | None = None,
) -> Reply[Recalled]:
    """Search past turns (evicted ones too, word for word), summaries and code facts. Where a
    hit is stale, trust current_value, not text. session_id narrows the search to one session."""
    found = await call.engine.recall(
        query,
        k=k,
        session_id=session_id,
        project=project,
        kinds=kinds,
        budget_tokens=budget_tokens,
    )
    from sakur4_core.recall.render import rendered as render

    rendered = render(found)
    data = Recalled(
        found.hits,
        found.views,
        found.lexical_only,
        found.stale_ids,
        found.notes,
        found.tokens,
        rendered,
    )
    return Reply(data, rendered)


@tool()
async def memory_fold(
    call: Call,
    description: Annotated[str, Field(min_length=1, max_length=2000)],
    goal: Annotated[str, Field(min_length=1, max_length=2000)],
    session_id: Id | None = None,
) -> Reply[FoldState]:
    """Open a fold for a sub-task: turns committed from now on belong to it."""
    fold = await call.engine.fold(description, goal, session_id=await call.session(session_id))
    return Reply(_fold_state(fold), f"Fold {fold.fold_id} is {fold.status}.")


@tool()
async def memory_unfold(
    call: Call, fold_id: Id, result_summary: Annotated[str, Field(min_length=1, max_length=20_000)]
) -> Reply[FoldState]:
    """Close a fold with what came of it; its turns leave the prompt, the summary stays."""
    fold = await call.engine.unfold(fold_id, result_summary)
    text = f"Fold {fold_id} is {fold.status}; {fold.tokens_reclaimed} tokens reclaimed."
    return Reply(_fold_state(fold), text)


@tool(reads=True)
async def memory_recall_fold(call: Call, fold_id: Id) -> Reply[RecalledFold]:
    """The turns of a fold, word for word."""
    fold, episodes = await call.engine.recall_fold(fold_id)
    turns = tuple(FoldTurn(e.episode_id, e.seq, e.role, e.tool_name, e.content) for e in episodes)
    data = RecalledFold(
        fold.fold_id,
        fold.status,
        fold.description,
        fold.goal,
        fold.summary,
        fold.tokens_reclaimed,
        turns,
    )
    spoken = (f"#{t.seq} {t.tool_name or t.role}\n{t.content}" for t in turns)
    return Reply(data, "\n\n".join((f"Fold {fold_id}: {fold.goal}", *spoken)))


@tool(reads=True)
async def memory_staleness(
    call: Call, limit: Annotated[int, Field(ge=1, le=500)] = 50
) -> Reply[m.Staleness]:
    """Which summaries the code or the transcript has outlived, and by what."""
    found = await call.engine.staleness(limit=limit)
    lines = [f"{found.stale_count} of {found.total} summaries are stale."]
    lines.extend(
        f"- {entry.atlas_id}: {anchor.name} ({anchor.location}): {anchor.reason}"
        for entry in found.entries
        for anchor in entry.stale_anchors
    )
    return Reply(found, "\n".join(lines))


def _fold_state(fold: m.Fold) -> FoldState:
    return FoldState(fold.fold_id, fold.status, fold.tokens_reclaimed, fold.episodes)
