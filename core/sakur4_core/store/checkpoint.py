"""Copying the write-ahead log into the store file, off the path of any commit."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from sakur4_core.errors import StoreError

# A log longer than this is copied: after some hundred commits, so that a page which many of them
# changed is written once and the disk is waited for once. SQLite cuts a log that begins anew to
# this length, so that its size tells whether it is due.
LONG_LOG_BYTES: Final = 16 * 1024 * 1024
# Writers that never rest keep a log from beginning anew; at this length they are held up for it.
LONGEST_LOG_BYTES: Final = 64 * 1024 * 1024
# The shortest time between two copies by one process, in seconds; a reader that stays may keep
# the log long however often it is copied.
PAUSE_S: Final = 1.0

Run = Callable[[Callable[[sqlite3.Connection], None]], Awaitable[None]]


class Checkpoints:
    """Copies a log that has grown long. Whichever process notices first does it.

    SQLite would do it inside the commit that finds the log long, and that commit would wait for
    the disk.
    """

    def __init__(self, store: Path, run: Run) -> None:
        """Args: ``run`` does a piece of work on a connection that nothing else waits for."""
        self._log = store.with_name(store.name + "-wal")
        self._run = run
        self._task: asyncio.Task[None] | None = None

    def tend(self) -> bool:
        """Begin a copy if one is due; return at once, with whether one is due or under way."""
        if self._task is not None and not self._task.done():
            return True
        try:
            due = self._log.stat().st_size > LONG_LOG_BYTES
        except OSError:
            due = False
        if due:
            self._task = asyncio.create_task(self._copy(), name="sakur4-checkpoint")
        return due

    async def stop(self) -> None:
        """End without waiting for the pause."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _copy(self) -> None:
        with suppress(StoreError):
            await self._run(copy_log)
        await asyncio.sleep(PAUSE_S)


def copy_log(raw: sqlite3.Connection) -> None:
    """Copy what can be copied beside the writers; of a very long log then all, without them."""
    _, frames, copied = raw.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    page: int = raw.execute("PRAGMA page_size").fetchone()[0]
    if copied < frames and frames * page > LONGEST_LOG_BYTES:
        raw.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()
