"""The event feed: how a process learns what any process committed."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from functools import partial

from sakur4_core.clock import stamp
from sakur4_core.errors import StoreError
from sakur4_core.events import STORE_DEGRADED, Event, EventBus
from sakur4_core.store.database import Database
from sakur4_core.store.trail import last_event, read_events

log = logging.getLogger(__name__)

POLL_S = 0.08
# After a commit of its own the feed waits this long for more, so that a burst is read at once.
GATHER_S = 0.03
BATCH = 500
# How often a store that failed is tried again.
RECOVER_S = 1.0


class Feed:
    """Publishes new rows of the ``event`` table to a bus, this process's own included.

    It looks when this process committed, and every ``POLL_S`` whether another one did. Rows that
    nobody here would hear of are passed over unread: else each of N processes would read what
    all of them write. It also
    tells this process that the store fails or works again: a store that cannot be written
    cannot hold that event, so this one alone is published without a row.
    """

    def __init__(self, database: Database, bus: EventBus) -> None:
        self._database = database
        self._bus = bus
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._position = 0
        self._version = -1
        self._fault: str | None = None
        self._told: tuple[str, ...] = ()
        database.on_commit = self._committed

    @property
    def degraded(self) -> tuple[str, ...]:
        """Why this process may not hear of what others commit; mostly nothing."""
        return () if self._fault is None else (f"feed: {self._fault}",)

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

    def _committed(self) -> None:
        if self._bus.heard:
            self._wake.set()

    async def _run(self) -> None:
        while True:
            try:
                await self._look()
                self._fault = None
            except StoreError as error:
                self._fault = error.message
            except Exception as error:
                # The feed outlives whatever a row holds: a process that hears of nothing any
                # more looks healthy and is not.
                log.exception("the event feed failed")
                self._fault = f"{type(error).__name__}: {error}"
            self._tell()
            await self._pause()

    async def _look(self) -> None:
        self._database.tend()
        seen = await self._database.data_version()
        if seen != self._version or self._wake.is_set():
            self._wake.clear()
            await (self._publish_new() if self._bus.heard else self._pass_over())
            self._version = seen

    async def _pass_over(self) -> None:
        newest = await self._database.read(last_event)
        # Whoever subscribed meanwhile must not miss what was committed since.
        if not self._bus.heard:
            self._position = newest

    async def _publish_new(self) -> None:
        while True:
            events = await self._database.read(
                partial(read_events, after=self._position, limit=BATCH)
            )
            for event in events:
                self._bus.publish(event)
                self._position = event.seq
            if len(events) < BATCH:
                return

    async def _pause(self) -> None:
        if not self._told:
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await self._wake.wait()
                    await asyncio.sleep(GATHER_S)
            return
        await asyncio.sleep(RECOVER_S)
        with suppress(StoreError):
            await self._database.recover()

    def _tell(self) -> None:
        """Publish a change of what is wrong, once."""
        now = (*self._database.degraded, *self.degraded)
        if now == self._told:
            return
        self._told = now
        self._bus.publish(
            Event(
                self._position,
                STORE_DEGRADED,
                stamp(self._database.clock.now()),
                "engine",
                detail={"status": "; ".join(now) or "works again"},
            )
        )
