"""SQLite connections with the store's settings, and work done on their own threads."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import aiosqlite

from sakur4_core.store.checkpoint import LONG_LOG_BYTES
from sakur4_core.store.patience import patiently
from sakur4_core.words import search_text

T = TypeVar("T")

# How long SQLite itself waits: readers, for the recovery after a crash. The writer never lets
# it wait (see patience.py), but for a vacuum and a checkpoint.
BUSY_TIMEOUT_MS = 2_000

# Pages in the log after which a commit copies them itself: 128 MB. Long-lived processes do it much
# earlier, beside the commits (checkpoint.py); this is for stores that only hooks write to.
CHECKPOINT_PAGES = 32_000


class StoreConnection(aiosqlite.Connection):
    """An aiosqlite connection that runs a whole piece of work in one visit to its thread.

    A commit is a dozen statements; one thread hop for all of them costs a tenth of a hop
    for each, and the transaction is never left open across an ``await``.
    """

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Call ``work`` with the raw connection on the connection's thread."""
        result: T = await self._execute(work, self._conn)  # type: ignore[no-untyped-call]
        return result


def connect(
    path: Path,
    *,
    read_only: bool,
    durability: str = "normal",
    busy_timeout_ms: int = BUSY_TIMEOUT_MS,
) -> StoreConnection:
    """A connection, not yet awaited, to the store file at ``path``; a writer never waits in it."""

    def open_raw() -> sqlite3.Connection:
        timeout = busy_timeout_ms / 1_000 if read_only else 0.0
        raw = sqlite3.connect(path, isolation_level=None, timeout=timeout)
        try:
            # A process that is the last to close, or the first after a crash, has the store to
            # itself for a moment.
            patiently(lambda: configure(raw, read_only=read_only, durability=durability))
        except BaseException:
            raw.close()
            raise
        return raw

    return StoreConnection(open_raw, iter_chunk_size=256)


def configure(raw: sqlite3.Connection, *, read_only: bool, durability: str = "normal") -> None:
    """Set the pragmas that every connection of a store has."""
    raw.row_factory = sqlite3.Row
    # The triggers that index words call it.
    raw.create_function("search_text", 1, search_text, deterministic=True)
    raw.execute("PRAGMA foreign_keys = ON")
    raw.execute("PRAGMA recursive_triggers = ON")
    raw.execute("PRAGMA secure_delete = ON")
    raw.execute("PRAGMA temp_store = MEMORY")
    raw.execute("PRAGMA cache_size = -16000")
    raw.execute(f"PRAGMA synchronous = {'FULL' if durability == 'full' else 'NORMAL'}")
    raw.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    raw.execute(f"PRAGMA journal_size_limit = {LONG_LOG_BYTES}")
    if read_only:
        raw.execute("PRAGMA query_only = ON")


@contextmanager
def waiting_inside(raw: sqlite3.Connection) -> Iterator[None]:
    """Let SQLite wait for other connections within the block, statement by statement."""
    raw.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    try:
        yield
    finally:
        raw.execute("PRAGMA busy_timeout = 0")
