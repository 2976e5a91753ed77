"""Plans of a session's window: what would leave it, worked out afresh at each ask."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from sakur4_core.cache.coherence import Coherence
from sakur4_core.context.budget import PROFILES, Budget, budget_of
from sakur4_core.context.captions import Captions
from sakur4_core.context.case import Case
from sakur4_core.context.composition import compose
from sakur4_core.context.ladder import Costs, Ladders
from sakur4_core.context.looking import Looking
from sakur4_core.context.money import rates
from sakur4_core.context.moves import Move
from sakur4_core.context.prompt import diverge
from sakur4_core.context.protection import within_share
from sakur4_core.context.view import View
from sakur4_core.errors import InvalidInput
from sakur4_core.models import Basis, Figure, Plan, PlanItem, Pressure, Tier
from sakur4_core.store.window import WindowRow
from sakur4_core.workspace import Workspace


class Planning:
    """Makes plans; stores nothing."""

    def __init__(self, workspace: Workspace, looking: Looking, coherence: Coherence) -> None:
        self._workspace = workspace
        self._looking = looking
        self._coherence = coherence
        self._captions = Captions(workspace.database)

    async def plan(
        self, session_id: str, *, target: float | None, without: frozenset[str]
    ) -> Plan:
        """See ``Window.plan``."""
        if target is not None and not 0 < target < 1:
            raise InvalidInput("target must be between 0 and 1.", "0.4 means 40 % of the window.")
        view = await self._looking.at(session_id)
        budget = view.budget
        if target is not None:
            budget = budget_of(self._workspace.settings.context, budget.window, target)
        return await self._plan(view, budget, without)

    async def forecast(self, view: View) -> tuple[PlanItem, ...]:
        """What would leave next: the plan's items, or below the target those of a later plan."""
        budget, total = view.budget, view.planned.total
        if total <= budget.target and budget.trigger:
            budget = replace(budget, target=total * budget.target // budget.trigger)
        return (await self._plan(view, budget, frozenset())).items

    async def _plan(self, view: View, budget: Budget, without: frozenset[str]) -> Plan:
        case = await self._case(view, budget)
        if case.pressure is Pressure.ANCHOR_OVERFLOW:
            note = (
                f"The pinned anchors take {view.anchor_tokens:,} tokens, more than their budget of"
                f" {budget.anchors:,}."
            )
            return compose(case, (), {}, {}, [note])
        if case.excess <= 0:
            return compose(case, (), {}, {}, [_nothing_to_do(view, budget)])
        return await self._search(case, self._looking.ladders(view), without)

    async def _case(self, view: View, budget: Budget) -> Case:
        frame = view.frame
        price_list = await asyncio.to_thread(
            rates, frame.model, frame.provider, _midnight(self._workspace.clock.now())
        )
        parted = None if view.planned is view.sent else diverge(view.sent, view.planned)
        total = view.total
        if view.waiting:
            total = Figure(view.planned.total, Basis.PREDICTED, view.scale.error)
        return Case(
            frame=frame,
            prompt=view.planned,
            budget=budget,
            profile=PROFILES[self._workspace.settings.context.profile],
            sent_total=view.sent.total,
            total=total,
            errors=within_share(frame, view.errors, budget.window.value or 0),
            anchor_tokens=view.anchor_tokens,
            scale=view.scale,
            rates=price_list,
            parted=parted,
            checkpoints=await self._coherence.checkpoints(frame, view.sent.total),
        )

    async def _search(self, case: Case, ladders: Ladders, without: frozenset[str]) -> Plan:
        """Widen the span until the plan reaches its target or nothing is left to widen to.

        Only the episodes of the span are rendered and counted.
        """
        search = await asyncio.to_thread(_Search, case, without)
        choice, rows = case.profile.choice, case.frame.rows
        while True:
            await asyncio.to_thread(search.widen, choice)
            costs = await ladders.of(rows[place] for place in search.places)
            moves = await asyncio.to_thread(search.choose, costs)
            if search.whole or sum(move.saved for move in moves) >= case.excess:
                break
            choice *= 2
        missing = case.excess - sum(move.saved for move in moves)
        notes = [] if missing <= 0 else [_why_short(missing, case, bool(without))]
        if case.checkpoints is not None and moves:
            notes.append(self._coherence.checkpoint_note)
        captions = await self._captions.of(*_captioned(moves))
        return await asyncio.to_thread(compose, case, moves, costs, captions, notes)


class _Search:
    """The planner's steps for one case. Only a plan needs its arrays, so they load with one."""

    def __init__(self, case: Case, without: frozenset[str]) -> None:
        from sakur4_core.context import planner, units

        self._case = case
        self._choose, self._span = planner.choose, units.span
        self._candidates = self._units = units.candidates(case, without)
        self.whole = False

    @property
    def places(self) -> list[int]:
        """The places of the episodes that may be chosen from now."""
        places: list[int] = self._units.places.tolist()
        return places

    def widen(self, choice: float) -> None:
        """Take as many candidates, the newest first, as could free the excess that often."""
        wanted = self._case.excess * choice
        self._units, self.whole = self._span(self._case, self._candidates, wanted)

    def choose(self, costs: Mapping[int, Costs]) -> tuple[Move, ...]:
        """See ``planner.choose``; nothing is archived while there is more to choose from."""
        deepest = Tier.ARCHIVED if self.whole else Tier.REFERENCED
        return self._choose(self._case, self._units, costs, deepest)


def _captioned(moves: tuple[Move, ...]) -> tuple[list[WindowRow], frozenset[int]]:
    """The rows that moves name, and the places of those that they mask."""
    rows = [slot.row for move in moves for slot in move.slots]
    masked = [slot.row.seq for move in moves if move.rung == 1 for slot in move.slots]
    return rows, frozenset(masked)


def _midnight(moment: datetime) -> datetime:
    """Prices change by the day, so that looks within one share their rates."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _nothing_to_do(view: View, budget: Budget) -> str:
    if view.sent.total > budget.target:
        return "An approved plan already reaches the target; it is not in effect yet."
    return "The window is below its target."


def _why_short(missing: int, case: Case, trimmed: bool) -> str:
    kept = ["what was left out"] if trimmed else []
    kept += ["the newest turn", "the newest user message", "open calls and folds"]
    kept += ["errors that are not resolved"] if case.errors else []
    return (
        f"{missing:,} tokens above the target cannot leave: {', '.join(kept)}, and the parts that"
        " are no history."
    )
