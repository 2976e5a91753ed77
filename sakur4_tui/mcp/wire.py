"""The wire: the two descriptors that carry protocol frames, and the threads that serve them.

Nothing here imports the SDK, so that the wire can be claimed before anything else may print.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import select
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Final

from sakur4_core.errors import ConfigError

CHUNK: Final = 1 << 16
MAX_FRAME: Final = 1 << 26
"""Bytes of one frame, 64 MiB; a longer one is refused without being held in memory."""


class WireClosed(ConnectionError):
    """The reader at the other end is gone."""


@dataclass(frozen=True, slots=True)
class Wire:
    """Private descriptors: ``source`` is read, ``sink`` is written."""

    source: int
    sink: int


def claim_wire() -> Wire:
    """Take standard input and output for the protocol, and leave harmless ones in their place.

    Afterwards fd 0 reads as empty and fd 1 is standard error, so that a stray ``print`` or a
    child process cannot touch the protocol.

    Raises:
        ConfigError: A standard stream is closed.
    """
    try:
        wire = Wire(_above_standard(0), _above_standard(1))
    except OSError as error:
        raise ConfigError(
            "Standard input or output is closed.", "Let an MCP client start the server."
        ) from error
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(null, 1)
    os.close(null)
    return wire


def _above_standard(descriptor: int) -> int:
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)


class FrameReader:
    """Lines of a descriptor, read on a thread that never keeps the process alive."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue(maxsize=8)
        self._ended = False

    def end(self) -> None:
        """Read no further, as if the other end had closed."""
        self._ended = True
        with suppress(asyncio.QueueFull):  # Full means that nobody waits on it now.
            self._chunks.put_nowait(b"")

    async def frames(self) -> AsyncIterator[bytes | None]:
        """Every line without its end; None stands for a line beyond ``MAX_FRAME``."""
        loop = asyncio.get_running_loop()
        threading.Thread(
            target=self._pump, args=(loop,), name="sakur4-wire-in", daemon=True
        ).start()
        held = bytearray()
        oversized = False
        while not self._ended and (chunk := await self._chunks.get()):
            start = 0
            while (end := chunk.find(b"\n", start)) >= 0:
                held += chunk[start:end]
                yield None if oversized else bytes(held)
                held.clear()
                oversized, start = False, end + 1
            held += chunk[start:]
            if len(held) > MAX_FRAME:
                held.clear()
                oversized = True
        if held or oversized:
            yield None if oversized else bytes(held)

    def _pump(self, loop: asyncio.AbstractEventLoop) -> None:
        chunk = b"-"
        while chunk:
            try:
                chunk = os.read(self._descriptor, CHUNK)
            except BlockingIOError:
                select.select([self._descriptor], [], [])
                continue
            except OSError:
                chunk = b""
            try:
                asyncio.run_coroutine_threadsafe(self._chunks.put(chunk), loop).result()
            except (RuntimeError, asyncio.CancelledError):
                return


class FrameWriter:
    """Writes whole frames in order, on a thread, so that a slow client stalls no other work."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._frames: SimpleQueue[tuple[bytes, asyncio.Future[None]]] = SimpleQueue()
        self._thread: threading.Thread | None = None

    async def write(self, frame: bytes) -> None:
        """Write one frame and its line end; return when the system has taken all of it.

        Raises:
            WireClosed: Nobody reads any more.
        """
        loop = asyncio.get_running_loop()
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._pump, args=(loop,), name="sakur4-wire-out", daemon=True
            )
            self._thread.start()
        done: asyncio.Future[None] = loop.create_future()
        self._frames.put((frame + b"\n", done))
        # A frame that has begun must be completed, or the next one would be glued to its half.
        await asyncio.shield(done)

    def _pump(self, loop: asyncio.AbstractEventLoop) -> None:
        while True:
            frame, done = self._frames.get()
            error: WireClosed | None = None
            try:
                self._write_all(frame)
            except OSError as failure:
                error = WireClosed(str(failure))
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_settle, done, error)

    def _write_all(self, frame: bytes) -> None:
        rest = memoryview(frame)
        while rest:
            try:
                rest = rest[os.write(self._descriptor, rest) :]
            except BlockingIOError:
                select.select([], [self._descriptor], [])


def _settle(done: asyncio.Future[None], error: WireClosed | None) -> None:
    if done.done():
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)
        done.exception()  # Marks it as seen: the waiter may have been cancelled.
