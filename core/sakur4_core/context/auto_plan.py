"""A plan that is proposed by itself when the trigger is reached, and not again too soon."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from sakur4_core.context.proposals import Proposals
from sakur4_core.context.window import Window
from sakur4_core.errors import Sakur4Error
from sakur4_core.events import EPISODE_COMMITTED, USAGE_RECORDED, Event, EventBus
from sakur4_core.models import Pressure, Proposal, ProposalStatus
from sakur4_core.store import context as sql
from sakur4_core.workspace import Workspace

log = logging.getLogger(__name__)

# After a decision the window must have grown by this share of its size before the next plan is
# proposed by itself: each plan breaks the cached prefix once, so many small ones cost more than
# they free.
STEP: Final = 0.05
# A plan that frees less than this share of the window is not worth a broken prefix.
LEAST_FREED: Final = 0.05
# Commits come in bursts; a window is looked at once a burst.
SETTLE_S: Final = 0.25

_GROWS: Final = frozenset({EPISODE_COMMITTED, USAGE_RECORDED})


class AutoPlan:
    """Watches sessions grow. One process runs it: the holder of the lease."""

    def __init__(
        self, workspace: Workspace, window: Window, proposals: Proposals, events: EventBus
    ) -> None:
        self._workspace = workspace
        self._window = window
        self._proposals = proposals
        self._events = events

    async def run(self) -> None:
        """Look at each session that grew, until cancelled."""
        async with self._events.subscribe() as events:
            async for event in events:
                await asyncio.sleep(SETTLE_S)
                for session_id in _grown([event, *events.drain()]):
                    try:
                        await self.check(session_id)
                    except Sakur4Error:
                        log.exception("no plan could be proposed for %s", session_id)

    async def check(self, session_id: str) -> Proposal | None:
        """Propose a plan where one is due; None where it is not.

        It is due once the prompt as planned is at its trigger, unless a plan of the session
        waits already, or the window has hardly grown since the last one was decided.
        """
        view = await self._window.look(session_id)
        total, budget = view.planned.total, view.budget
        if budget.pressure(total, view.anchor_tokens) is not Pressure.COMPACTING:
            return None
        size = budget.window.value or 0
        last = await self._workspace.database.read(lambda db: sql.newest_plan(db, session_id))
        if last is not None:
            if last.status == ProposalStatus.PENDING:
                return None
            left = last.tokens_after if last.status == ProposalStatus.APPLIED else None
            if total < (last.tokens_before if left is None else left) + size * STEP:
                return None
        plan = await self._window.plan(session_id)
        if (plan.tokens_freed.value or 0) < size * LEAST_FREED:
            return None
        return await self._proposals.propose_eviction(session_id, asked_by="engine")


def _grown(events: list[Event]) -> list[str]:
    """The sessions that events say have grown, in order of first sight."""
    grown = (event.session_id for event in events if event.kind in _GROWS)
    return list(dict.fromkeys(session for session in grown if session is not None))
