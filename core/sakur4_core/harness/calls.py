"""API calls of a transcript as usage reports: each once, with what was known at its moment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sakur4_core.cache.verdict import Evidence, verdict_of
from sakur4_core.context.money import Rates, price_on, rates
from sakur4_core.events import USAGE_RECORDED
from sakur4_core.harness.prepare import moment, short
from sakur4_core.harness.records import Spend
from sakur4_core.models import Usage
from sakur4_core.store import context as context_sql
from sakur4_core.store import harness as sql
from sakur4_core.store.database import NewEvent, Transaction
from sakur4_core.store.usage import UsageRow, newest_usage, put_usage


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """A call with the greatest of what its rows say, its price, and its model's rates."""

    spend: Spend
    created_at: str
    price: float | None
    rates: Rates | None


@dataclass(slots=True)
class Standing:
    """How a session stands at a call, kept up while a transcript is read.

    Attributes:
        turn: The turn that the call belongs to.
        covered: The last episode that its prompt can have held.
        tokens: What the window counts up to there.
        behind: What the assistant said after it.
        epoch: Compactions so far.
        compacted: Whether one came after the last call.
    """

    turn: int
    covered: int
    tokens: int
    behind: int
    epoch: int
    compacted: bool = False

    def said(self, seq: int, tokens: int, *, by_assistant: bool) -> None:
        """Take a new turn in the window in."""
        if by_assistant:
            self.behind += tokens
        else:
            self.tokens += self.behind + tokens
            self.behind = 0
            self.covered = seq


def merged(spends: Iterable[Spend]) -> dict[str, Spend]:
    """Rows of one call as one, each field the greatest; the first row's session and place."""
    calls: dict[str, Spend] = {}
    for spend in spends:
        known = calls.get(spend.key)
        if known is None or (known.sidechain and not spend.sidechain):
            calls[spend.key] = spend
        elif known.sidechain == spend.sidechain:
            calls[spend.key] = replace(
                known,
                input_tokens=_most(known.input_tokens, spend.input_tokens),
                cache_creation_tokens=_most(
                    known.cache_creation_tokens, spend.cache_creation_tokens
                ),
                cache_read_tokens=_most(known.cache_read_tokens, spend.cache_read_tokens),
                output_tokens=_most(known.output_tokens, spend.output_tokens),
                context_tokens=_most(known.context_tokens, spend.context_tokens),
            )
    return calls


def price(spend: Spend, session_id: str, now: str) -> PreparedCall:
    """A call with its price. Loads the price list at the first; call it in a thread."""
    created_at = moment(spend.timestamp, now)
    day = datetime.fromisoformat(created_at[:10]).replace(tzinfo=UTC)
    usage = usage_of(spend, session_id, 0, created_at)
    if usage is None:
        return PreparedCall(spend, created_at, None, None)
    # Some harnesses count the answer into the context; it is paid for as output.
    parts = (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
    sent = replace(usage, context_tokens=sum(part or 0 for part in parts))
    return PreparedCall(
        spend, created_at, price_on(sent, day), rates(usage.model, usage.provider, day)
    )


def usage_of(spend: Spend, session_id: str, turn: int, created_at: str) -> Usage | None:
    """A call as a usage report; None where its context is not known."""
    if spend.context_tokens is None:
        return None
    fresh = spend.input_tokens
    if fresh is not None and spend.input_has_cache:
        cached = (spend.cache_read_tokens or 0) + (spend.cache_creation_tokens or 0)
        fresh = max(0, fresh - cached)
    return Usage(
        session_id=session_id,
        turn=turn,
        context_tokens=spend.context_tokens,
        input_tokens=fresh,
        completion_tokens=spend.output_tokens,
        cache_read_tokens=spend.cache_read_tokens,
        cache_write_tokens=spend.cache_creation_tokens,
        provider=short(spend.provider),
        model=short(spend.model),
        created_at=created_at,
        message_id=spend.key,
    )


def store(
    tx: Transaction,
    call: PreparedCall,
    session_id: str,
    standing: Standing,
    counter: str,
    known: sql.Call | None,
) -> NewEvent | None:
    """Store a call if it says more than what is ``known`` of it; the event that then tells so."""
    spend = call.spend
    if known is not None and known.session_id != session_id:
        if spend.sidechain or not known.sidechain:
            return None
        # A subagent replayed it before the main thread's own file was read.
        sql.move_usage(tx, spend.key, session_id, known.session_id)
    total = _joined(spend, session_id, known)
    if total == known:
        return None
    sql.put_call(tx, spend.key, total)
    usage = usage_of(_with(spend, total), session_id, standing.turn, call.created_at)
    return None if usage is None else _report(tx, usage, call, standing, counter)


def _report(
    tx: Transaction, usage: Usage, call: PreparedCall, standing: Standing, counter: str
) -> NewEvent:
    before = newest_usage(tx.db, usage.session_id, other_than=usage.message_id)
    moved: set[str] = {"window.compacted"} if standing.compacted else set()
    if before is not None:
        # Times of a transcript are not those of the store's events: order tells of compactions.
        since = context_sql.moved_since(tx.db, usage.session_id, before.usage.created_at)
        moved.update(kind for kind in since if kind != "window.compacted")
    evidence = Evidence(before.usage if before else None, tuple(sorted(moved)), rates=call.rates)
    state = verdict_of(usage, evidence)
    put_usage(
        tx,
        UsageRow(
            usage=usage,
            after_seq=standing.covered,
            counter=counter,
            local_count=standing.tokens,
            epoch=standing.epoch,
            verdict=state.verdict.value,
            cause=state.cause,
            predicted_reuse=None,
            price=call.price,
            break_price=state.price.value,
        ),
    )
    standing.compacted = False
    return NewEvent(
        USAGE_RECORDED,
        actor="harness",
        session_id=usage.session_id,
        detail={"tokens": usage.context_tokens, "verdict": state.verdict.value},
    )


def _joined(spend: Spend, session_id: str, known: sql.Call | None) -> sql.Call:
    fresh = sql.Call(
        session_id,
        spend.sidechain,
        spend.input_tokens,
        spend.cache_creation_tokens,
        spend.cache_read_tokens,
        spend.output_tokens,
        spend.context_tokens,
    )
    if known is None or known.session_id != session_id:
        return fresh
    return sql.Call(
        session_id,
        spend.sidechain,
        _most(known.input, fresh.input),
        _most(known.created, fresh.created),
        _most(known.read, fresh.read),
        _most(known.output, fresh.output),
        _most(known.context, fresh.context),
    )


def _with(spend: Spend, total: sql.Call) -> Spend:
    return replace(
        spend,
        input_tokens=total.input,
        cache_creation_tokens=total.created,
        cache_read_tokens=total.read,
        output_tokens=total.output,
        context_tokens=total.context,
    )


def _most(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else max(one, other)
