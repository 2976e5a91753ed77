"""What waits for a person: stored, decided once, applied atomically, undone while it can be."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Protocol

from sakur4_core.clock import stamp
from sakur4_core.context.effect import ADVISED, enforce
from sakur4_core.context.proposal_rules import (
    choose,
    known,
    must_be_open,
    proposal_of,
    revision,
    sentence_key,
)
from sakur4_core.context.proposal_steps import Steps
from sakur4_core.context.stated_rules import propose_stated
from sakur4_core.errors import (
    AnchorOverflow,
    Expired,
    InvalidInput,
    NotFound,
    Sakur4Error,
)
from sakur4_core.events import (
    PLAN_APPLIED,
    PLAN_UNDONE,
    EventBus,
)
from sakur4_core.memory.anchors import Anchors
from sakur4_core.memory.redaction import clean
from sakur4_core.models import (
    Committed,
    Plan,
    PlanItem,
    Pressure,
    Proposal,
    ProposalKind,
    Role,
    Tier,
    to_json,
)
from sakur4_core.store import anchors as anchor_sql
from sakur4_core.store import proposals as sql
from sakur4_core.store.database import Transaction
from sakur4_core.workspace import Workspace

log = logging.getLogger(__name__)


class Planner(Protocol):
    """Makes the plan that a proposal holds."""

    async def plan(
        self, session_id: str, *, target: float | None = None, without: frozenset[str] = ...
    ) -> Plan: ...


class Proposals:
    """The state machine of DESIGN section 4: pending, then exactly one decision."""

    def __init__(
        self, workspace: Workspace, planner: Planner, anchors: Anchors, events: EventBus
    ) -> None:
        self._workspace = workspace
        self._planner = planner
        self._anchors = anchors
        self._events = events
        self._steps = Steps(workspace)

    # -- asking ------------------------------------------------------------------

    async def propose_eviction(
        self, session_id: str, *, target: float | None = None, asked_by: str
    ) -> Proposal:
        """Plan an eviction now and store it.

        Raises:
            AnchorOverflow: The pinned anchors do not fit their budget.
            InvalidInput: There is nothing to evict; the message says why.
        """
        plan = await self._planner.plan(session_id, target=target)
        if plan.pressure is Pressure.ANCHOR_OVERFLOW:
            raise AnchorOverflow("; ".join(plan.notes), "Unpin or shorten an anchor.")
        if not plan.items:
            why = "; ".join(plan.notes) or "the window is below its trigger"
            raise InvalidInput(f"There is nothing to evict: {why}.", "Ask again later.")
        return await self._store_plan(plan, {"target": target}, asked_by=asked_by)

    async def propose_anchor(
        self,
        content: str,
        *,
        kind: str,
        scope: str = "project",
        session_id: str | None = None,
        asked_by: str = "agent",
        excerpt: str | None = None,
        rule: str | None = None,
        confidence: float | None = None,
        source_episode: str | None = None,
    ) -> Proposal:
        """Store the wish to pin a statement. The same wish, still pending, is returned as it is.

        Raises:
            InvalidInput: The statement does not fit (see ``Anchors.pin``).
        """
        anchor = await self._anchors.prepare(
            content, kind=kind, scope=scope, session_id=session_id, pinned_by=asked_by
        )
        payload = {
            "content": anchor.content,
            "kind": anchor.kind.value,
            "scope": anchor.scope.value,
            "session_id": anchor.session_id,
            "token_cost": anchor.token_cost,
            "excerpt": excerpt,
            "rule": rule,
            "confidence": confidence,
            "source_episode": source_episode,
        }
        key = sentence_key(anchor.content)

        def work(tx: Transaction) -> Proposal:
            for row in sql.pending(tx.db):
                if row.kind == "anchor" and row.base_revision == key:
                    return proposal_of(row)
            return self._steps.insert(tx, "anchor", payload, session_id, key, asked_by)

        return await self._workspace.database.write(work)

    async def propose_unpin(self, anchor_id: str, *, asked_by: str = "agent") -> Proposal:
        """Store the wish to unpin an anchor.

        Raises:
            NotFound: No active anchor of that id.
        """

        def work(tx: Transaction) -> Proposal:
            anchor = anchor_sql.get(tx.db, anchor_id)
            if anchor is None or anchor.unpinned_at is not None:
                raise NotFound(f"No active anchor {anchor_id!r}.", "See `sakur4-tui anchors`.")
            payload = {"anchor_id": anchor_id, "content": anchor.content}
            return self._steps.insert(tx, "unpin", payload, anchor.session_id, anchor_id, asked_by)

        return await self._workspace.database.write(work)

    async def after_commit(self, committed: Committed, role: str) -> Committed:
        """Propose the rules that a user's turn states; never fails the commit before it."""
        if role not in (Role.USER, Role.SYSTEM) or committed.duplicate:
            return committed
        try:
            first = await propose_stated(self._workspace, self.propose_anchor, committed)
        except Sakur4Error:
            log.exception("constraint detection failed for %s", committed.episode_id)
            return committed
        return committed if first is None else replace(committed, anchor_proposal=first)

    # -- looking -----------------------------------------------------------------

    async def pending(self, session_id: str | None = None) -> tuple[Proposal, ...]:
        """What waits for a decision now, oldest first; what is overdue expires first."""
        await self._expire_overdue()
        rows = await self._workspace.database.read(lambda db: sql.pending(db, session_id))
        return tuple(proposal_of(row) for row in rows)

    async def recent(self, limit: int = 50) -> tuple[Proposal, ...]:
        """Proposals of any status, newest first."""
        rows = await self._workspace.database.read(lambda db: sql.recent(db, limit))
        return tuple(proposal_of(row) for row in rows)

    async def get(self, proposal_id: str) -> Proposal:
        """One proposal.

        Raises:
            NotFound: There is none of that id.
        """
        row = await self._workspace.database.read(lambda db: sql.get(db, proposal_id))
        return proposal_of(known(row, proposal_id))

    async def wait(self, proposal_id: str, timeout_s: float) -> Proposal:
        """The proposal once it is decided, or as it stands after ``timeout_s`` seconds.

        Raises:
            NotFound: There is none of that id.
        """
        async with self._events.subscribe() as events:
            proposal = await self.get(proposal_id)
            with suppress(TimeoutError):
                async with asyncio.timeout(timeout_s):
                    while proposal.open:
                        event = await events.get()
                        if event.subject == proposal_id or events.lagged:
                            proposal = await self.get(proposal_id)
        return proposal

    # -- deciding ----------------------------------------------------------------

    async def approve(
        self, proposal_id: str, items: Iterable[str] | None = None, *, by: str = "person"
    ) -> Proposal:
        """Decide for it and carry it out, in one transaction.

        Args:
            items: For an eviction, the episode ids to move (default: all of the plan's).

        Raises:
            AlreadyDecided: It was decided before.
            Expired: What it would move has changed; a new proposal stands in its place.
            InvalidInput: ``items`` names what is not in the plan or splits a pair.
        """
        await self._expire_overdue()
        proposal = await self.get(proposal_id)
        must_be_open(proposal)
        if proposal.kind is ProposalKind.ANCHOR:
            return await self._approve_anchor(proposal, by)
        if proposal.kind is ProposalKind.UNPIN:
            return await self._approve_unpin(proposal, by)
        return await self._approve_eviction(proposal, items, by)

    async def reject(
        self, proposal_id: str, reason: str | None = None, *, by: str = "person"
    ) -> Proposal:
        """Decide against it, once and for all.

        Raises:
            AlreadyDecided: It was decided before.
        """
        told = clean(reason)

        def work(tx: Transaction) -> Proposal:
            row = known(sql.get(tx.db, proposal_id), proposal_id)
            self._steps.decide(tx, proposal_of(row), "rejected", by=by, reason=told)
            return proposal_of(known(sql.get(tx.db, proposal_id), proposal_id))

        return await self._workspace.database.write(work)

    async def mark_enforced(self, proposal_id: str, by: str) -> Proposal:
        """Note that an applied plan is in effect: what is sent is now what it left.

        A second call changes nothing.

        Args:
            by: What put it in effect: ``proxy``, ``hook``, ``compaction`` or ``harness``.

        Raises:
            NotFound: There is none of that id.
            InvalidInput: It is no applied eviction plan.
        """

        def work(tx: Transaction) -> Proposal:
            row = known(sql.get(tx.db, proposal_id), proposal_id)
            if row.kind != "eviction" or row.status != "applied":
                raise InvalidInput(f"{proposal_id} is a {row.status} {row.kind}, not in effect.")
            if row.effect == ADVISED:
                enforce(tx, proposal_id, row.session_id, by)
            return proposal_of(known(sql.get(tx.db, proposal_id), proposal_id))

        return await self._workspace.database.write(work)

    async def undo(self, proposal_id: str | None = None, *, by: str = "person") -> Proposal:
        """Take an applied proposal back; without an id, the newest applied one.

        Raises:
            NotFound: Nothing to undo.
            InvalidInput: It is not applied, or a newer plan of its session stands on it.
        """

        def work(tx: Transaction) -> Proposal:
            row = self._to_undo(tx, proposal_id)
            proposal = proposal_of(row)
            if proposal.kind is ProposalKind.EVICTION:
                detail = self._undo_eviction(tx, row)
            elif proposal.kind is ProposalKind.ANCHOR:
                detail = {"anchor": self._anchors.end(tx, str(row.undo), by).anchor_id}
            else:
                detail = {"anchor": self._anchors.revive(tx, str(row.undo), by).anchor_id}
            sql.mark_undone(tx, row.proposal_id, f"undone by {by}")
            tx.emit(
                PLAN_UNDONE,
                actor=by,
                session_id=proposal.session_id,
                subject=proposal.proposal_id,
                detail={"kind": proposal.kind.value, **detail},
            )
            return proposal_of(known(sql.get(tx.db, row.proposal_id), row.proposal_id))

        return await self._workspace.database.write(work)

    # -- how ---------------------------------------------------------------------

    async def _approve_anchor(self, proposal: Proposal, by: str) -> Proposal:
        payload = proposal.payload
        anchor = await self._anchors.prepare(
            payload["content"],
            kind=payload["kind"],
            scope=payload["scope"],
            session_id=payload["session_id"],
            pinned_by=by,
            source_episode=payload.get("source_episode"),
        )

        def work(tx: Transaction) -> Proposal:
            stored = self._anchors.insert(tx, anchor)
            self._steps.decide(tx, proposal, "applied", by=by, undo=stored.anchor_id)
            return proposal_of(known(sql.get(tx.db, proposal.proposal_id), proposal.proposal_id))

        return await self._workspace.database.write(work)

    async def _approve_unpin(self, proposal: Proposal, by: str) -> Proposal:
        def work(tx: Transaction) -> Proposal:
            ended = self._anchors.end(tx, proposal.payload["anchor_id"], by)
            self._steps.decide(tx, proposal, "applied", by=by, undo=ended.anchor_id)
            return proposal_of(known(sql.get(tx.db, proposal.proposal_id), proposal.proposal_id))

        return await self._workspace.database.write(work)

    async def _approve_eviction(
        self, proposal: Proposal, items: Iterable[str] | None, by: str
    ) -> Proposal:
        plan = proposal.plan
        assert plan is not None
        chosen = choose(plan.items, None if items is None else frozenset(items))
        seqs = [item.seq for item in plan.items]

        def work(tx: Transaction) -> bool:
            if revision(sql.item_states(tx.db, seqs)) != proposal.base_revision:
                return False
            self._apply(tx, proposal, chosen, by)
            return True

        if await self._workspace.database.write(work):
            return await self.get(proposal.proposal_id)
        return await self._replace_expired(proposal, plan)

    def _apply(
        self, tx: Transaction, proposal: Proposal, chosen: Sequence[PlanItem], by: str
    ) -> None:
        trail = [
            [item.seq, item.from_tier.value, *(rung.tier.value for rung in item.rungs)]
            for item in chosen
        ]
        self._steps.decide(tx, proposal, "applied", by=by, effect=ADVISED, undo=trail)
        sql.move_tiers(tx, ((item.seq, item.to_tier) for item in chosen))
        freed = sum(item.tokens_before - item.tokens_after for item in chosen)
        tx.emit(
            PLAN_APPLIED,
            actor=by,
            session_id=proposal.session_id,
            subject=proposal.proposal_id,
            detail={"items": len(chosen), "freed": freed, "effect": ADVISED},
        )

    async def archive(self, plan: Plan, check: Callable[[Transaction], None]) -> Proposal:
        """Store and apply a plan of the consolidator in one transaction; a person can undo it.

        Args:
            check: Ends the transaction by raising where the plan may not be made any more.
        """
        seqs = [item.seq for item in plan.items]

        def work(tx: Transaction) -> Proposal:
            check(tx)
            base = revision(sql.item_states(tx.db, seqs))
            payload = {"plan": to_json(plan), "target": None}
            made = self._steps.insert(tx, "eviction", payload, plan.session_id, base, "dream")
            self._apply(tx, made, plan.items, "dream")
            return proposal_of(known(sql.get(tx.db, made.proposal_id), made.proposal_id))

        return await self._workspace.database.write(work)

    def _undo_eviction(self, tx: Transaction, row: sql.Row) -> dict[str, Any]:
        assert row.session_id is not None
        if sql.newest_applied(tx.db, row.session_id) != row.proposal_id:
            raise InvalidInput(
                "Only the newest applied plan of a session can be undone.", "Undo that one first."
            )
        moved = {entry[0]: (Tier(entry[1]), Tier(entry[-1])) for entry in row.undo}
        back = [
            (state.seq, moved[state.seq][0])
            for state in sql.item_states(tx.db, moved)
            if state.tier is moved[state.seq][1]
        ]
        sql.move_tiers(tx, back)
        note = {} if row.effect == ADVISED else {"enforced": row.effect}
        return {"restored": len(back), "changed_since": len(moved) - len(back), **note}

    def _to_undo(self, tx: Transaction, proposal_id: str | None) -> sql.Row:
        if proposal_id is not None:
            row = known(sql.get(tx.db, proposal_id), proposal_id)
            if row.status != "applied":
                raise InvalidInput(f"{proposal_id} is {row.status}, not applied.")
            return row
        applied = [row for row in sql.recent(tx.db, 200) if row.status == "applied"]
        if not applied:
            raise NotFound("Nothing was applied that could be undone.")
        return max(applied, key=lambda row: (row.decided_at or "", row.proposal_id))

    async def _replace_expired(self, proposal: Proposal, old: Plan) -> Proposal:
        """The items changed under the plan: expire it and ask anew with a fresh one."""
        target = proposal.payload.get("target")
        plan = await self._planner.plan(old.session_id, target=target)
        fresh = (
            await self._store_plan(
                plan, {"target": target}, asked_by=proposal.asked_by, replaces=proposal
            )
            if plan.items
            else None
        )
        if fresh is None:
            await self._workspace.database.write(lambda tx: self._steps.expire(tx, proposal, None))
            raise Expired(
                "The episodes of this plan have changed; it expired.",
                "There is nothing left to evict.",
            )
        raise Expired(
            "The episodes of this plan have changed; it expired.",
            f"Decide on {fresh.proposal_id} instead.",
        )

    async def _store_plan(
        self,
        plan: Plan,
        extra: dict[str, Any],
        *,
        asked_by: str,
        replaces: Proposal | None = None,
    ) -> Proposal:
        seqs = [item.seq for item in plan.items]
        payload = {"plan": to_json(plan), **extra}

        def work(tx: Transaction) -> Proposal:
            base = revision(sql.item_states(tx.db, seqs))
            for row in sql.pending(tx.db, plan.session_id):
                # One plan a session: a second ask with the same content is the same proposal,
                # one with another content takes the place of the older.
                if row.kind == "eviction" and (
                    replaces is None or (row.proposal_id != replaces.proposal_id)
                ):
                    if row.payload == payload and row.base_revision == base:
                        return proposal_of(row)
                    self._steps.expire(tx, proposal_of(row), None)
            fresh = self._steps.insert(tx, "eviction", payload, plan.session_id, base, asked_by)
            if replaces is not None:
                self._steps.expire(tx, replaces, fresh.proposal_id)
            return fresh

        return await self._workspace.database.write(work)

    async def _expire_overdue(self) -> None:
        now = stamp(self._workspace.clock.now())
        if not await self._workspace.database.read(lambda db: sql.overdue(db, now)):
            return

        def work(tx: Transaction) -> None:
            for proposal_id in sql.overdue(tx.db, now):
                row = sql.get(tx.db, proposal_id)
                self._steps.expire(tx, proposal_of(known(row, proposal_id)), None)

        await self._workspace.database.write(work)
