"""The order of effects on one connection."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self


class Place:
    """One call's place in the queue: held until its effect has committed.

    Entering waits for the calls that arrived before. ``leave`` gives the place up early, for
    a call that has had its effect and goes on to wait for a person.
    """

    def __init__(self, queue: asyncio.Lock) -> None:
        self._queue = queue
        self._held = False

    async def __aenter__(self) -> Self:
        await self._queue.acquire()
        self._held = True
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.leave()

    def leave(self) -> None:
        """Let the next call in; a second time does nothing."""
        if self._held:
            self._held = False
            self._queue.release()


class Order:
    """Lets the calls of a connection in one by one, in the order in which they arrived.

    The SDK starts the handler of each frame in the order of the frames, and a lock wakes its
    waiters first come, first served; so the order of arrival is the order of entry.
    """

    def __init__(self) -> None:
        self._queue = asyncio.Lock()

    def place(self) -> Place:
        """A place at the end of the queue, taken on entry."""
        return Place(self._queue)
