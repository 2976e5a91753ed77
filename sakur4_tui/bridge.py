"""From the engine's events to the interface's messages, floods joined into one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sakur4_core import events as e
from textual.message import Message

from sakur4_tui.facts import Topic

if TYPE_CHECKING:
    from sakur4_core.engine import Engine

GATHER_S: Final = 0.05
"""How long events are gathered into one message: short enough to feel live (20 a second)."""

_WINDOW: Final = frozenset({Topic.RECEIPT, Topic.TIERS})
# Looks through the whole window, so it follows calls and compactions, not every turn.
_CONTEXT: Final = _WINDOW | {Topic.REACH}
_PINNED: Final = frozenset({Topic.ANCHORS, Topic.RECEIPT, Topic.REACH})
_CODE: Final = frozenset({Topic.STALE, Topic.MAP, Topic.STATUS})

# Reads and progress are absent: they change nothing that a pane shows, and reading a pane
# for an event that the reading itself causes would never end.
MOVED_BY: Final[dict[str, frozenset[Topic]]] = {
    e.EPISODE_COMMITTED: _WINDOW | {Topic.STATUS, Topic.STALE},
    e.EPISODE_REDACTED: _WINDOW | {Topic.STALE},
    e.SESSION_OPENED: frozenset({Topic.SESSIONS}),
    e.ANCHOR_PINNED: _PINNED,
    e.ANCHOR_EDITED: _PINNED,
    e.ANCHOR_UNPINNED: _PINNED,
    e.PROPOSAL_STORED: frozenset({Topic.INBOX, Topic.REACH}),
    e.PROPOSAL_DECIDED: frozenset({Topic.INBOX, Topic.ANCHORS}),
    e.PLAN_APPLIED: _WINDOW | {Topic.INBOX},
    e.PLAN_ENFORCED: _WINDOW,
    e.PLAN_UNDONE: _WINDOW | {Topic.INBOX},
    e.USAGE_RECORDED: _CONTEXT,
    e.RECEIPT_STORED: frozenset({Topic.HISTORY}),
    e.WINDOW_COMPACTED: _CONTEXT,
    e.ATLAS_WRITTEN: frozenset({Topic.STALE}),
    e.FOLD_OPENED: _WINDOW,
    e.FOLD_CLOSED: _WINDOW,
    e.FOLD_REOPENED: _WINDOW,
    e.INDEX_UPDATED: _CODE,
    e.WATCHER_CHANGED: _CODE,
    e.DREAM_FINISHED: frozenset({Topic.STALE}),
    e.STORE_DEGRADED: frozenset({Topic.STATUS}),
}


class EventsArrived(Message):
    """Events that were committed since the last such message, oldest first.

    Attributes:
        lagged: Some were lost on the way, so everything must be read afresh.
    """

    def __init__(self, events: tuple[e.Event, ...], lagged: bool) -> None:
        super().__init__()
        self.events = events
        self.lagged = lagged

    def moved(self) -> frozenset[Topic]:
        """The topics that these events moved."""
        if self.lagged:
            return frozenset(Topic)
        return frozenset().union(*(MOVED_BY.get(event.kind, frozenset()) for event in self.events))


async def carry_events(engine: Engine, post: Callable[[EventsArrived], object]) -> None:
    """Post a message for every burst of events until cancelled."""
    async with engine.events.subscribe() as subscription:
        while True:
            first = await subscription.get()
            await asyncio.sleep(GATHER_S)
            lagged = subscription.lagged
            post(EventsArrived((first, *subscription.drain()), lagged))
