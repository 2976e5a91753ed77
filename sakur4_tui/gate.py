"""The engine, opened beside the protocol so that no handshake waits for it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sakur4_core.engine import Engine

log = logging.getLogger(__name__)


class EngineGate:
    """Opens one engine when it is first wanted, and closes it once.

    A failed opening is told to whoever waits, and tried again for the next who asks: a store
    that another program blocked, or a full disk, may be well again.
    """

    def __init__(self, opener: Callable[[], AbstractAsyncContextManager[Engine]]) -> None:
        self._opener = opener
        self._holder: asyncio.Task[None] | None = None
        self._opened: asyncio.Future[Engine] | None = None
        self._closing = asyncio.Event()

    def begin(self) -> None:
        """Start opening, if nobody has."""
        failed = self._opened is not None and self._opened.done() and self._opened.exception()
        if self._opened is None or failed:
            self._opened = asyncio.get_running_loop().create_future()
            self._holder = asyncio.create_task(self._hold(self._opened), name="sakur4-engine")

    async def engine(self) -> Engine:
        """The engine, once it is open.

        Raises:
            Sakur4Error: It cannot be opened; the error says why.
        """
        self.begin()
        assert self._opened is not None
        return await asyncio.shield(self._opened)

    async def close(self) -> None:
        """Close the engine if it was opened, after an opening in progress."""
        self._closing.set()
        if self._holder is not None:
            await self._holder

    async def _hold(self, opened: asyncio.Future[Engine]) -> None:
        try:
            async with self._opener() as engine:
                opened.set_result(engine)
                await self._closing.wait()
        except Exception as error:
            if opened.done():
                log.exception("the engine did not close cleanly")
            else:
                opened.set_exception(error)
                opened.exception()  # Marks it as seen: it is told to those who ask.
