"""One store file: one writer, a few readers, and the events of what was committed."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from sakur4_core.clock import Clock, stamp
from sakur4_core.errors import Sakur4Error, StoreBusy, StoreError
from sakur4_core.events import Event
from sakur4_core.store.connection import StoreConnection, configure, connect
from sakur4_core.store.migrate import migrate

T = TypeVar("T")

READERS = 2
# Waits before a write is tried again when another process holds the store: with SQLite's own
# busy timeout of 2 s before each, about 20 s in all.
RETRY_WAITS_S = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.2)


class Transaction:
    """A write in progress: the raw connection, and the events that will be true with it."""

    __slots__ = ("_clock", "db", "events")

    def __init__(self, db: sqlite3.Connection, clock: Clock) -> None:
        self.db = db
        self.events = 0
        self._clock = clock

    def now(self) -> str:
        """The moment, in the store's own notation."""
        return stamp(self._clock.now())

    def emit(
        self,
        kind: str,
        *,
        actor: str,
        session_id: str | None = None,
        subject: str | None = None,
        detail: Mapping[str, Any] | None = None,
    ) -> None:
        """Add an event row to this transaction; it is published after the commit."""
        self.events += 1
        self.db.execute(
            "INSERT INTO event (kind, created_at, actor, session_id, subject, detail)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (
                kind,
                self.now(),
                actor,
                session_id,
                subject,
                json.dumps(detail or {}, ensure_ascii=False, separators=(",", ":")),
            ),
        )


class Database:
    """The store of one project.

    Writes are one ``BEGIN IMMEDIATE`` transaction each, through one connection; reads go
    through connections of their own and never wait for a writer.
    """

    def __init__(self, path: Path, clock: Clock, writer: StoreConnection) -> None:
        self.path = path
        self.clock = clock
        self._writer = writer
        self._write_lock = asyncio.Lock()
        self._readers: asyncio.LifoQueue[StoreConnection] = asyncio.LifoQueue()
        self._all_readers: list[StoreConnection] = []
        self._closed = False
        self.on_commit: Callable[[], None] = lambda: None

    @classmethod
    async def open(cls, path: Path, clock: Clock, *, durability: str = "normal") -> Database:
        """Open or create the store at ``path``, migrate it, and connect.

        Raises:
            StoreError: No database, not writable, or of another application.
            SchemaTooNew: Written by a newer program.
        """
        await asyncio.to_thread(prepare_file, path)
        database = cls(path, clock, connect(path, read_only=False, durability=durability))
        try:
            await database._writer
            for _ in range(READERS):
                reader = connect(path, read_only=True)
                database._all_readers.append(reader)
                await reader
                database._readers.put_nowait(reader)
        except BaseException as error:
            await database.close()
            if isinstance(error, sqlite3.Error):
                raise translate(error, path) from error
            raise
        return database

    async def write(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in one transaction; commit, or roll back and raise.

        Raises:
            StoreBusy: Others held the store beyond the bounded wait; nothing was written.
            StoreError: SQLite refused.
        """
        self._check_open()
        async with self._write_lock:
            for wait in (*RETRY_WAITS_S, None):
                try:
                    result = await self._writer.run(lambda raw: self._transact(raw, work))
                except sqlite3.OperationalError as error:
                    if wait is None or not is_busy(error):
                        raise translate(error, self.path) from error
                    await asyncio.sleep(wait * (0.5 + random.random()))
                except sqlite3.Error as error:
                    raise translate(error, self.path) from error
                else:
                    self.on_commit()
                    return result
        raise AssertionError("unreachable")

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` on a read connection, in one snapshot of the store."""
        self._check_open()
        reader = await self._readers.get()
        try:
            return await reader.run(lambda raw: _snapshot(raw, work))
        except sqlite3.Error as error:
            raise translate(error, self.path) from error
        finally:
            self._readers.put_nowait(reader)

    async def data_version(self) -> int:
        """A number that moves when a connection other than the watching one commits."""

        def work(raw: sqlite3.Connection) -> int:
            version: int = raw.execute("PRAGMA data_version").fetchone()[0]
            return version

        self._check_open()
        # Always the same connection: the number is only comparable within one.
        return await self._all_readers[0].run(work)

    async def backup(self, target: Path) -> None:
        """Copy the store, while it is in use, to a new file readable by its owner alone."""

        def work(raw: sqlite3.Connection) -> None:
            descriptor = os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            os.close(descriptor)
            copy = sqlite3.connect(target)
            try:
                raw.backup(copy)
            finally:
                copy.close()

        self._check_open()
        try:
            await self._writer.run(work)
        except FileExistsError as error:
            raise StoreError(f"{target} exists already.", "Name a new file.") from error
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"The backup failed: {error}.", "Check the folder.") from error

    async def exclusive(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` on the writer outside a transaction (checkpoint, vacuum)."""
        self._check_open()
        async with self._write_lock:
            try:
                return await self._writer.run(work)
            except sqlite3.Error as error:
                raise translate(error, self.path) from error

    async def close(self) -> None:
        """Close every connection; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        for connection in (*self._all_readers, self._writer):
            await connection.close()

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError("The store is closed.", "Open the engine again.")

    def _transact(self, raw: sqlite3.Connection, work: Callable[[Transaction], T]) -> T:
        raw.execute("BEGIN IMMEDIATE")
        try:
            result = work(Transaction(raw, self.clock))
            raw.execute("COMMIT")
        except BaseException:
            if raw.in_transaction:
                raw.execute("ROLLBACK")
            raise
        return result


def _snapshot(raw: sqlite3.Connection, work: Callable[[sqlite3.Connection], T]) -> T:
    raw.execute("BEGIN")
    try:
        return work(raw)
    finally:
        raw.execute("ROLLBACK")


def prepare_file(path: Path) -> None:
    """Create the file and its folder for their owner alone, set WAL, and migrate."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError as error:
        raise StoreError(
            f"The store {path} cannot be created: {error.strerror}.",
            "Name a writable place with --store or SAKUR4_HOME.",
        ) from error
    if path.is_dir() or not os.access(path, os.R_OK | os.W_OK):
        raise StoreError(f"The store {path} cannot be written.", "Name another file with --store.")
    raw = sqlite3.connect(path, isolation_level=None, timeout=10)
    try:
        configure(raw, read_only=False)
        raw.execute("PRAGMA journal_mode = WAL")
        migrate(raw)
    except sqlite3.Error as error:
        raise translate(error, path) from error
    finally:
        raw.close()


def is_busy(error: sqlite3.Error) -> bool:
    """Whether SQLite says that another connection is in the way."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def translate(error: sqlite3.Error, path: Path) -> Sakur4Error:
    """A SQLite error in the engine's own words."""
    if is_busy(error):
        return StoreBusy(
            "Another process holds the store.", "Try again; `sakur4-tui doctor` names who has it."
        )
    text = str(error)
    if "not a database" in text or "malformed" in text:
        return StoreError(
            f"{path} is not a usable database: {text}.", "Name another file with --store."
        )
    if "readonly" in text or "read-only" in text or "unable to open" in text:
        return StoreError(f"The store {path} cannot be written: {text}.", "Check its permissions.")
    if "disk is full" in text:
        return StoreError("The disk is full; nothing was written.", "Free some space.")
    return StoreError(f"The store refused: {text}.", "Run `sakur4-tui verify`.")


def read_events(db: sqlite3.Connection, after: int, limit: int = 1000) -> list[Event]:
    """The events after ``after``, oldest first."""
    rows = db.execute(
        "SELECT seq, kind, created_at, actor, session_id, subject, detail FROM event"
        " WHERE seq > ? ORDER BY seq LIMIT ?",
        (after, limit),
    )
    return [_event(row) for row in rows]


def newest_events(db: sqlite3.Connection, limit: int) -> tuple[Event, ...]:
    """The newest events, oldest of them first."""
    rows = db.execute("SELECT * FROM event ORDER BY seq DESC LIMIT ?", (limit,)).fetchall()
    return tuple(_event(row) for row in reversed(rows))


def _event(row: sqlite3.Row) -> Event:
    return Event(
        row["seq"],
        row["kind"],
        row["created_at"],
        row["actor"],
        row["session_id"],
        row["subject"],
        json.loads(row["detail"]),
    )


def last_event(db: sqlite3.Connection) -> int:
    """The newest event's place, 0 where there is none."""
    value: int = db.execute("SELECT coalesce(max(seq), 0) FROM event").fetchone()[0]
    return value
