"""Events: what happened, published after the commit that made it true.

An event is a row of the ``event`` table, written in the transaction it tells of. Every
process, the writing one included, learns of it the same way: the feed sees that the
store moved, reads the rows after the last one it knows and publishes them in order.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

# The closed set of event kinds, ``subject.past-tense-verb``.
EPISODE_COMMITTED: Final = "episode.committed"
EPISODE_REDACTED: Final = "episode.redacted"
SESSION_OPENED: Final = "session.opened"
ANCHOR_PINNED: Final = "anchor.pinned"
ANCHOR_EDITED: Final = "anchor.edited"
ANCHOR_UNPINNED: Final = "anchor.unpinned"
PROPOSAL_STORED: Final = "proposal.stored"
PROPOSAL_DECIDED: Final = "proposal.decided"
PLAN_APPLIED: Final = "plan.applied"
PLAN_ENFORCED: Final = "plan.enforced"
PLAN_UNDONE: Final = "plan.undone"
USAGE_RECORDED: Final = "usage.recorded"
PART_SUBMITTED: Final = "part.submitted"
RECEIPT_STORED: Final = "receipt.stored"
WINDOW_COMPACTED: Final = "window.compacted"
ATLAS_WRITTEN: Final = "atlas.written"
FOLD_OPENED: Final = "fold.opened"
FOLD_CLOSED: Final = "fold.closed"
FOLD_REOPENED: Final = "fold.reopened"
INDEX_PROGRESSED: Final = "index.progressed"
INDEX_UPDATED: Final = "index.updated"
WATCHER_CHANGED: Final = "watcher.changed"
RECALL_RAN: Final = "recall.ran"
MAP_RENDERED: Final = "map.rendered"
DREAM_ASKED: Final = "dream.asked"
DREAM_PROGRESSED: Final = "dream.progressed"
DREAM_FINISHED: Final = "dream.finished"
SNAPSHOT_SAVED: Final = "snapshot.saved"
SNAPSHOT_RESTORED: Final = "snapshot.restored"
STORE_DEGRADED: Final = "store.degraded"
PROXY_PASSED: Final = "proxy.passed"
HOOK_RAN: Final = "hook.ran"

# Reads and progress: pruned after 30 days. Everything else is a decision or a fact, and kept.
PRUNABLE: Final = frozenset(
    {
        RECALL_RAN,
        MAP_RENDERED,
        INDEX_PROGRESSED,
        DREAM_ASKED,
        DREAM_PROGRESSED,
        PROXY_PASSED,
        HOOK_RAN,
    }
)


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    Attributes:
        seq: Its place in the store's event table.
        kind: One of this module's constants.
        created_at: UTC, as the store writes times.
        actor: Who did it: ``agent``, ``person``, ``watcher``, ``dream``, ``hook``, ``proxy``,
            ``harness`` or ``engine``.
        session_id: The session concerned, or None.
        subject: The id of the thing concerned (episode, proposal, anchor, path), or None.
        detail: Small, JSON-clean facts for display. Text of others in it is untrusted.
    """

    seq: int
    kind: str
    created_at: str
    actor: str
    session_id: str | None = None
    subject: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


class EventBus:
    """Hands published events to every subscriber of this process, in order.

    A subscriber that does not keep up loses the oldest events, never the newest, and is
    told by ``Subscription.lagged``: it should then read the state afresh.
    """

    def __init__(self, capacity: int = 4096) -> None:
        self._capacity = capacity
        self._subscriptions: set[Subscription] = set()

    @asynccontextmanager
    async def subscribe(self) -> AsyncIterator[Subscription]:
        """A subscription that ends with the ``async with`` block."""
        subscription = Subscription(self._capacity)
        self._subscriptions.add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)

    @property
    def heard(self) -> bool:
        """Whether anybody subscribes now."""
        return bool(self._subscriptions)

    def publish(self, event: Event) -> None:
        """Hand one committed event to every subscriber."""
        for subscription in self._subscriptions:
            subscription.offer(event)


class Subscription:
    """One subscriber's queue; iterate over it."""

    def __init__(self, capacity: int) -> None:
        self._queue: asyncio.Queue[Event] = asyncio.Queue(maxsize=capacity)
        self.lagged = False

    def offer(self, event: Event) -> None:
        """Append, making room by dropping the oldest."""
        if self._queue.full():
            self._queue.get_nowait()
            self.lagged = True
        self._queue.put_nowait(event)

    async def get(self) -> Event:
        """The next event, waiting for it."""
        return await self._queue.get()

    def drain(self) -> list[Event]:
        """All that waits now, without waiting; clears ``lagged``."""
        events = []
        while not self._queue.empty():
            events.append(self._queue.get_nowait())
        self.lagged = False
        return events

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> Event:
        return await self._queue.get()
