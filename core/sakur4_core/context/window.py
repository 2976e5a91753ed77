"""A session's window: its usage, receipts, tiers and plans, all from one assembled prompt."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from sakur4_core.cache.coherence import Coherence, unknown_session
from sakur4_core.clock import stamp
from sakur4_core.context import planner
from sakur4_core.context.budget import PROFILES
from sakur4_core.context.ladder import Ladders
from sakur4_core.context.money import call_price, rates
from sakur4_core.context.prompt import (
    SUBMITTABLE,
    Prompt,
    with_texts,
)
from sakur4_core.context.receipt import Facts, from_body, receipt_of, to_body
from sakur4_core.context.tokens import figure_for
from sakur4_core.context.usage import last_covered, normalise
from sakur4_core.context.view import View, known_tokens, view_of
from sakur4_core.errors import InvalidInput
from sakur4_core.events import RECEIPT_STORED, USAGE_RECORDED
from sakur4_core.memory.redaction import redact
from sakur4_core.memory.text import MAX_CONTENT_BYTES, storable
from sakur4_core.models import (
    Anchor,
    Basis,
    Plan,
    PlanItem,
    Pressure,
    Receipt,
    Tier,
    TierCount,
    Tiers,
    Usage,
)
from sakur4_core.store import context as sql
from sakur4_core.store import sessions as session_sql
from sakur4_core.store import window as window_sql
from sakur4_core.store.database import Transaction
from sakur4_core.store.window import Frame
from sakur4_core.workspace import Workspace

NEXT_SHOWN = 20
REMEMBERED_SESSIONS = 4


class AnchorSet(Protocol):
    """What is pinned, and how it stands in a prompt."""

    async def active(self, session_id: str | None = None) -> tuple[Anchor, ...]: ...

    def render(self, anchors: Sequence[Anchor]) -> str: ...


class Window:
    """Every method raises NotFound for a session that the store does not hold."""

    def __init__(self, workspace: Workspace, anchors: AnchorSet, coherence: Coherence) -> None:
        self._workspace = workspace
        self._anchors = anchors
        self._coherence = coherence
        self._ladders = Ladders(workspace.database, workspace.counter)
        self._frames: dict[str, tuple[tuple[int, int], Frame]] = {}

    # -- reporting in --------------------------------------------------------------

    async def record_usage(
        self,
        *,
        session_id: str,
        prompt_tokens: int,
        completion_tokens: int | None = None,
        cache_read_tokens: int | None = None,
        cache_write_tokens: int | None = None,
        provider: str | None = None,
        model: str | None = None,
        message_id: str | None = None,
    ) -> Usage:
        """Store what a provider reported for one call; the last report of a message wins.

        Raises:
            InvalidInput: A number that no call can have.
        """
        view = await self._look(session_id)
        moment = self._workspace.clock.now()
        usage = normalise(
            session_id=session_id,
            turn=view.frame.turn,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            cache_read_tokens=cache_read_tokens,
            cache_write_tokens=cache_write_tokens,
            provider=provider,
            model=model,
            created_at=stamp(moment),
            message_id=message_id,
        )
        covered = last_covered(view.frame.rows)
        cache = await self._coherence.verdict(usage)
        price = await asyncio.to_thread(call_price, usage, moment)

        def work(tx: Transaction) -> None:
            sql.put_usage(
                tx,
                usage,
                after_seq=covered,
                local_count=known_tokens(view.sent, covered),
                verdict=cache.verdict.value,
                cause=cache.cause,
                price=price,
            )
            session_sql.ensure(tx, session_id, harness="", model=model)
            tx.emit(
                USAGE_RECORDED,
                actor="agent",
                session_id=session_id,
                detail={"tokens": usage.context_tokens, "verdict": cache.verdict.value},
            )

        await self._workspace.database.write(work)
        return usage

    async def submit_prompt_part(self, session_id: str, name: str, content: str) -> None:
        """Note the real system prompt, tool schemas, or another part that a caller sends.

        Raises:
            InvalidInput: An unknown part, or one that is too large.
        """
        if name not in SUBMITTABLE:
            raise InvalidInput(f"Unknown part {name!r}.", f"Use one of {', '.join(SUBMITTABLE)}.")
        if len(content.encode("utf-8", "surrogatepass")) > MAX_CONTENT_BYTES:
            raise InvalidInput(f"The part {name} is larger than {MAX_CONTENT_BYTES:,} bytes.")
        text = (await asyncio.to_thread(redact, storable(content)[0])).text
        tokens = await self._workspace.counter.measure(text)

        def work(tx: Transaction) -> None:
            if not sql.session_exists(tx.db, session_id):
                raise unknown_session(session_id)
            sql.put_part(tx, session_id, name, text, tokens)

        await self._workspace.database.write(work)

    # -- looking -------------------------------------------------------------------

    async def assemble(self, session_id: str) -> Prompt:
        """The prompt as the next rewrite would render it, with every text."""
        view = await self._look(session_id)
        seqs = [slot.row.seq for slot in view.planned.timeline if slot.tokens]
        texts = await self._workspace.database.read(lambda db: window_sql.contents(db, seqs))
        return await asyncio.to_thread(with_texts, view.planned, texts)

    async def receipt(self, session_id: str) -> Receipt:
        """What fills the window now. One is stored a turn, written only when it changed."""
        view = await self._look(session_id)
        model = view.frame.model

        def known(db: sqlite3.Connection) -> tuple[tuple[float | None, float | None], object]:
            stored = sql.stored_receipt(db, session_id, view.frame.turn)
            return sql.prices(db, session_id), stored

        prices, stored = await self._workspace.database.read(known)
        facts = Facts(
            frame=view.frame,
            sent=view.sent,
            planned=view.planned,
            measure=lambda tokens: figure_for(model, tokens),
            total=view.total,
            budget=view.budget,
            prices=prices,
            counter=self._workspace.counter.name,
            backend=self._coherence.backend_name,
        )
        body = to_body(await asyncio.to_thread(receipt_of, facts))
        if isinstance(stored, tuple) and stored[2] == body:
            return from_body(*stored)
        fresh_id = self._workspace.ids.new("rc")

        def work(tx: Transaction) -> tuple[str, str]:
            receipt_id, created_at, changed = sql.put_receipt(
                tx, fresh_id, session_id, view.frame.turn, body
            )
            if changed:
                tx.emit(
                    RECEIPT_STORED,
                    actor="engine",
                    session_id=session_id,
                    subject=receipt_id,
                    detail={"turn": view.frame.turn},
                )
            return receipt_id, created_at

        return from_body(*await self._workspace.database.write(work), body)

    async def receipts(self, session_id: str, limit: int = 50) -> tuple[Receipt, ...]:
        """The stored receipts, newest first."""
        rows = await self._workspace.database.read(lambda db: sql.receipts(db, session_id, limit))
        return tuple(from_body(*row) for row in rows)

    async def tiers(self, session_id: str) -> Tiers:
        """How the episodes in the window stand, and what would leave it next."""
        view = await self._look(session_id)
        model = view.frame.model
        counts = {tier: [0, 0] for tier in Tier}
        for slot in view.planned.timeline:
            counts[slot.tier][0] += 1
            counts[slot.tier][1] += slot.tokens
        return Tiers(
            session_id=session_id,
            counts=tuple(
                TierCount(tier, episodes, figure_for(model, tokens))
                for tier, (episodes, tokens) in counts.items()
            ),
            left_window=view.frame.left_window,
            next_to_leave=(await self._forecast(view))[:NEXT_SHOWN],
        )

    # -- planning ------------------------------------------------------------------

    async def plan(
        self,
        session_id: str,
        *,
        target: float | None = None,
        without: frozenset[str] = frozenset(),
    ) -> Plan:
        """The plan as it would be now; nothing is stored.

        It goes to the target whether or not the trigger is reached; ``pressure`` says whether
        a plan is due.

        Args:
            target: A share of the window to reach instead of the profile's.
            without: Episode ids to leave alone, each with what moves together with it.

        Raises:
            InvalidInput: ``target`` is no share between 0 and 1.
        """
        if target is not None and not 0 < target < 1:
            raise InvalidInput("target must be between 0 and 1.", "0.4 means 40 % of the window.")
        return await self._plan(await self._look(session_id, target), without)

    async def _forecast(self, view: View) -> tuple[PlanItem, ...]:
        """What would leave next: the plan's items, or below the target those of a later plan."""
        budget, total = view.budget, view.planned.total
        if total <= budget.target and budget.trigger:
            later = replace(budget, target=total * budget.target // budget.trigger)
            view = replace(view, budget=later)
        return (await self._plan(view, frozenset())).items

    async def _plan(self, view: View, without: frozenset[str]) -> Plan:
        settings = self._workspace.settings.context
        usage = view.frame.usage
        price_list = await asyncio.to_thread(
            rates,
            view.frame.model,
            usage.usage.provider if usage else None,
            _midnight(self._workspace.clock.now()),
        )
        case = planner.Case(
            frame=view.frame,
            prompt=view.planned,
            budget=view.budget,
            profile=PROFILES[settings.profile],
            sent_total=view.sent.total,
            anchor_tokens=view.anchor_tokens,
            rates=price_list,
            token_basis=view.total.basis
            if view.sent.total == view.planned.total
            else Basis.PREDICTED,
        )
        if case.pressure is Pressure.ANCHOR_OVERFLOW:
            note = (
                f"The pinned anchors take {view.anchor_tokens:,} tokens, more than their budget of"
                f" {view.budget.anchors:,}."
            )
            return planner.compose(case, (), {}, [note])
        if case.excess <= 0:
            return planner.compose(case, (), {}, [_nothing_to_do(view)])
        return await self._search(case, without)

    async def _search(self, case: planner.Case, without: frozenset[str]) -> Plan:
        """Widen the span until the plan reaches its target or nothing is left to widen to.

        Only the episodes of the span are rendered and counted.
        """
        candidates = await asyncio.to_thread(planner.candidates, case, without)
        choice = case.profile.choice
        while True:
            chosen_from, whole = planner.span(case, candidates, case.excess * choice)
            ladders = await self._ladders.of(
                slot.row for unit in chosen_from for slot in unit.slots
            )
            deepest = Tier.ARCHIVED if whole else Tier.REFERENCED
            moves = await asyncio.to_thread(planner.choose, case, chosen_from, ladders, deepest)
            if whole or sum(move.saved for move in moves) >= case.excess:
                break
            choice *= 2
        missing = case.excess - sum(move.saved for move in moves)
        notes = [] if missing <= 0 else [_why_short(missing, bool(without))]
        return await asyncio.to_thread(planner.compose, case, moves, ladders, notes)

    # -- the one look --------------------------------------------------------------

    async def _look(self, session_id: str, target: float | None = None) -> View:
        frame = await self._frame(session_id)
        anchors = self._anchors.render(await self._anchors.active(session_id))
        folds = "\n\n".join(fold.summary for fold in frame.folds)
        counter = self._workspace.counter
        anchor_part = (anchors, await counter.measure(anchors))
        fold_part = (folds, await counter.measure(folds))
        rendered = (Tier.MASKED, Tier.REFERENCED)
        ladders = await self._ladders.of(
            row
            for row in frame.rows
            if row.redacted or row.tier in rendered or row.sent_tier in rendered
        )
        return await asyncio.to_thread(
            view_of,
            frame,
            ladders,
            anchors=anchor_part,
            folds=fold_part,
            settings=self._workspace.settings.context,
            target=target,
        )

    async def _frame(self, session_id: str) -> Frame:
        """The session's frame, read again only if the store moved since the last look."""
        known = self._frames.pop(session_id, None)

        def work(db: sqlite3.Connection) -> tuple[tuple[int, int], Frame | None]:
            version = window_sql.version(db)
            if known is not None and known[0] == version:
                return known
            return version, window_sql.frame(db, session_id)

        version, frame = await self._workspace.database.read(work)
        if frame is None:
            raise unknown_session(session_id)
        self._frames[session_id] = (version, frame)
        while len(self._frames) > REMEMBERED_SESSIONS:
            del self._frames[next(iter(self._frames))]
        return frame


def _midnight(moment: datetime) -> datetime:
    """Prices change by the day, so that looks within one share their rates."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _nothing_to_do(view: View) -> str:
    if view.sent.total > view.budget.target:
        return "An approved plan already reaches the target; it is not in effect yet."
    return "The window is below its target."


def _why_short(missing: int, trimmed: bool) -> str:
    left = "what was left out, " if trimmed else ""
    return (
        f"{missing:,} tokens above the target cannot leave: {left}the newest turn, the newest"
        " user message, open calls and folds, and the parts that are no history."
    )
