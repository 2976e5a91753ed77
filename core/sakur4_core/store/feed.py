"""The event feed: how a process learns what any process committed."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial

from sakur4_core.errors import StoreError
from sakur4_core.events import EventBus
from sakur4_core.store.database import Database, last_event, read_events

POLL_S = 0.08
BATCH = 500


class Feed:
    """Publishes new rows of the ``event`` table to a bus, this process's own included.

    It looks when this process committed, and every ``POLL_S`` whether another one did.
    """

    def __init__(self, database: Database, bus: EventBus) -> None:
        self._database = database
        self._bus = bus
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._position = 0
        database.on_commit = self._wake.set

    async def start(self) -> None:
        """Begin at the newest event there is."""
        self._position = await self._database.read(last_event)
        self._task = asyncio.create_task(self._run(), name="sakur4-feed")

    async def stop(self) -> None:
        """Publish what is committed, then end."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            with suppress(StoreError):
                await self._publish_new()

    async def _run(self) -> None:
        version = -1
        while True:
            try:
                seen = await self._database.data_version()
                if seen != version or self._wake.is_set():
                    self._wake.clear()
                    version = seen
                    await self._publish_new()
            except StoreError:
                # The store may be locked or gone for a while; the feed goes on when it is back.
                await asyncio.sleep(1)
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await self._wake.wait()

    async def _publish_new(self) -> None:
        while True:
            events = await self._database.read(
                partial(read_events, after=self._position, limit=BATCH)
            )
            for event in events:
                self._bus.publish(event)
            if events:
                self._position = events[-1].seq
            if len(events) < BATCH:
                return
