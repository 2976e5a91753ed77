"""One store file: one writer, a few readers, and what is wrong with them."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from sakur4_core.clock import Clock, stamp
from sakur4_core.errors import StoreError, StoreMoved
from sakur4_core.events import STORE_DEGRADED
from sakur4_core.store import patience
from sakur4_core.store.checkpoint import Checkpoints
from sakur4_core.store.connection import StoreConnection, configure, connect, waiting_inside
from sakur4_core.store.faults import UNSTORABLE, concerns_store, translate
from sakur4_core.store.migrate import migrate

T = TypeVar("T")
Side = Literal["read", "write", "watch", "checkpoint"]

READERS = 2
# How long a checkpoint may hold writers up while it waits for a reader.
KEEPER_TIMEOUT_MS = 100


# One for all: `json.dumps` would make an encoder for each event.
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event before its place and its moment are known; see ``events``."""

    kind: str
    actor: str
    session_id: str | None = None
    subject: str | None = None
    detail: Mapping[str, Any] | None = None


class Transaction:
    """A write in progress: the raw connection, and the events that will be true with it."""

    __slots__ = ("_now", "db")

    def __init__(self, db: sqlite3.Connection, clock: Clock) -> None:
        self.db = db
        self._now = stamp(clock.now())

    def now(self) -> str:
        """The moment of this transaction, the same for all it writes, in the store's notation."""
        return self._now

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
        self.emit_all([NewEvent(kind, actor, session_id, subject, detail)])

    def emit_all(self, events: Iterable[NewEvent]) -> None:
        """Add event rows in their order."""
        self.db.executemany(
            "INSERT INTO event (kind, created_at, actor, session_id, subject, detail)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            [
                (
                    event.kind,
                    self._now,
                    event.actor,
                    event.session_id,
                    event.subject,
                    _JSON.encode(event.detail or {}),
                )
                for event in events
            ],
        )


class Database:
    """The store of one project.

    Writes are one ``BEGIN IMMEDIATE`` transaction each, through one connection, in the order
    in which they were asked for; reads go through connections of their own and never wait for
    a writer.
    """

    def __init__(self, path: Path, clock: Clock, writer: StoreConnection) -> None:
        self.path = path
        self.clock = clock
        self._writer = writer
        self._readers: asyncio.LifoQueue[StoreConnection] = asyncio.LifoQueue()
        self._all_readers: list[StoreConnection] = []
        self._keeper = connect(path, read_only=True, busy_timeout_ms=KEEPER_TIMEOUT_MS)
        self._checkpoints = Checkpoints(
            path, lambda work: self._visit("checkpoint", self._keeper, work)
        )
        self._closed = False
        self._identity = _identity(path)
        self._faults: dict[Side, str] = {}
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
            await database._keeper
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

    @property
    def degraded(self) -> tuple[str, ...]:
        """What the last read and the last write found wrong with the store; mostly nothing."""
        return tuple(dict.fromkeys(f"store: {text}" for text in self._faults.values()))

    async def write(
        self, work: Callable[[Transaction], T], *, patience_s: float | None = None
    ) -> T:
        """Run ``work`` in one transaction; commit, or roll back and raise.

        Args:
            patience_s: How long to wait for other processes, instead of ``LOCK_WAIT_S``.

        Raises:
            StoreBusy: Others held the store beyond the bounded wait; nothing was written.
            StoreError: SQLite refused, or the file is no longer the one that was opened.
            InvalidInput: A value that SQLite cannot hold.
        """
        limit = patience.LOCK_WAIT_S if patience_s is None else patience_s
        result = await self._visit(
            "write", self._writer, lambda raw: self._transact(raw, work, limit)
        )
        self.on_commit()
        return result

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` on a read connection, in one snapshot of the store."""
        self._check_open()
        reader = await self._readers.get()
        try:
            return await self._visit("read", reader, lambda raw: _snapshot(raw, work))
        finally:
            self._readers.put_nowait(reader)

    async def data_version(self) -> int:
        """A number that moves when a connection other than the watching one commits.

        Raises:
            StoreError: The file is gone or another one, or cannot be read.
        """

        def work(raw: sqlite3.Connection) -> int:
            self._check_in_place()
            version: int = raw.execute("PRAGMA data_version").fetchone()[0]
            return version

        # Always the same connection: the number is only comparable within one.
        return await self._visit("watch", self._all_readers[0], work)

    async def recover(self) -> None:
        """Write one event if the last write failed, so that a store which works again says so.

        Raises:
            StoreError: It does not.
        """
        fault = self._faults.get("write")
        if fault is not None:
            detail = {"status": "works again", "reason": fault}
            await self.write(
                lambda tx: tx.emit(STORE_DEGRADED, actor="engine", detail=detail), patience_s=0.2
            )

    def tend(self) -> None:
        """Have a long log copied into the file beside the commits; return at once."""
        self._check_open()
        if not self._checkpoints.tend():
            self._faults.pop("checkpoint", None)

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
        except (OSError, ValueError, sqlite3.Error) as error:
            raise StoreError(f"The backup failed: {error}.", "Check the folder.") from error

    async def exclusive(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` on the writer outside a transaction (checkpoint, vacuum)."""

        def visit(raw: sqlite3.Connection) -> T:
            self._check_in_place()
            with waiting_inside(raw):
                return work(raw)

        return await self._visit("write", self._writer, visit)

    async def close(self) -> None:
        """Close every connection; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        await self._checkpoints.stop()
        for connection in (*self._all_readers, self._keeper, self._writer):
            await connection.close()

    async def _visit(
        self, side: Side, connection: StoreConnection, work: Callable[[sqlite3.Connection], T]
    ) -> T:
        """Run ``work`` on a connection's thread, and keep account of what fails and why."""
        self._check_open()
        try:
            result = await connection.run(work)
        except (sqlite3.Error, StoreMoved, *UNSTORABLE) as error:
            translated = translate(error, self.path)
            if concerns_store(error):
                self._faults[side] = translated.message
            if translated is error:
                raise
            raise translated from error
        self._faults.pop(side, None)
        return result

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError("The store is closed.", "Open the engine again.")

    def _check_in_place(self) -> None:
        """Refuse a file that was replaced or deleted: what is written to it would be lost."""
        if _identity(self.path) != self._identity:
            raise StoreMoved(
                f"The store {self.path} was replaced or deleted while it was open.",
                "Put the file back, or start sakur4-tui again to use the one that is there.",
            )

    def _transact(
        self, raw: sqlite3.Connection, work: Callable[[Transaction], T], limit_s: float
    ) -> T:
        patience.patiently(
            lambda: raw.execute("BEGIN IMMEDIATE"),
            limit_s=limit_s,
            go_on=lambda: not self._closed,
        )
        try:
            self._check_in_place()
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
        if raw.in_transaction:
            raw.execute("ROLLBACK")


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file stands at ``path``, whatever it is called; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


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
    raw = sqlite3.connect(path, isolation_level=None, timeout=0)
    try:
        # Two processes that turn a new file to WAL are refused at once, without the busy wait.
        patience.patiently(lambda: _prepare(raw))
    except sqlite3.Error as error:
        raise translate(error, path) from error
    finally:
        raw.close()


def _prepare(raw: sqlite3.Connection) -> None:
    configure(raw, read_only=False)
    raw.execute("PRAGMA journal_mode = WAL")
    migrate(raw)
