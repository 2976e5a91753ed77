"""The store file: opened, refused, migrated, shared."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
from pathlib import Path

import pytest
from sakur4_core.clock import FakeClock
from sakur4_core.errors import SchemaTooNew, StoreBusy, StoreError
from sakur4_core.store import patience
from sakur4_core.store.database import Database, Transaction
from sakur4_core.store.migrate import latest_version, migrations
from sakur4_core.store.trail import newest_events


async def test_a_new_store_is_private_and_at_the_latest_schema(
    tmp_path: Path, clock: FakeClock
) -> None:
    file = tmp_path / "deep" / "store.db"
    database = await Database.open(file, clock)
    try:
        version = await database.read(lambda db: db.execute("PRAGMA user_version").fetchone()[0])
        mode = await database.read(lambda db: db.execute("PRAGMA journal_mode").fetchone()[0])
    finally:
        await database.close()
    assert version == latest_version()
    assert mode == "wal"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_migrations_are_numbered_without_a_gap() -> None:
    assert [step.version for step in migrations()] == list(range(1, latest_version() + 1))


async def test_a_newer_schema_is_refused_and_left_alone(tmp_path: Path, clock: FakeClock) -> None:
    file = tmp_path / "store.db"
    raw = sqlite3.connect(file)
    raw.execute(f"PRAGMA user_version = {latest_version() + 1}")
    raw.close()
    with pytest.raises(SchemaTooNew, match="newer than this program"):
        await Database.open(file, clock)


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path, clock: FakeClock) -> None:
    file = tmp_path / "store.db"
    file.write_bytes(b"this is a text file, not a database" * 100)
    with pytest.raises(StoreError, match="not a usable database"):
        await Database.open(file, clock)
    assert file.read_bytes().startswith(b"this is a text file")


async def test_another_applications_database_is_refused(tmp_path: Path, clock: FakeClock) -> None:
    file = tmp_path / "store.db"
    raw = sqlite3.connect(file)
    raw.execute("CREATE TABLE bookmarks (url TEXT)")
    raw.close()
    with pytest.raises(StoreError, match="another application"):
        await Database.open(file, clock)


async def test_a_failed_write_leaves_nothing_behind(tmp_path: Path, clock: FakeClock) -> None:
    database = await Database.open(tmp_path / "store.db", clock)

    def fail(tx: Transaction) -> None:
        tx.emit("recall.ran", actor="agent")
        raise ZeroDivisionError

    try:
        with pytest.raises(ZeroDivisionError):
            await database.write(fail)
        assert await database.read(lambda db: newest_events(db, 10)) == ()
    finally:
        await database.close()


async def test_a_write_waits_for_another_process_and_then_says_busy(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "LOCK_WAIT_S", 0.05)
    database = await Database.open(tmp_path / "store.db", clock)
    other = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy, match="Another process holds the store"):
            await database.write(lambda tx: tx.emit("recall.ran", actor="agent"))
        assert database.degraded == ("store: Another process holds the store.",)
        monkeypatch.setattr(patience, "LOCK_WAIT_S", 20)
        waiting = asyncio.create_task(
            database.write(lambda tx: tx.emit("recall.ran", actor="agent"))
        )
        other.execute("COMMIT")
        await waiting
        assert database.degraded == ()
    finally:
        other.close()
        await database.close()


async def test_reads_do_not_wait_for_a_writer(tmp_path: Path, clock: FakeClock) -> None:
    database = await Database.open(tmp_path / "store.db", clock)
    other = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        assert await database.read(lambda db: newest_events(db, 1)) == ()
    finally:
        other.close()
        await database.close()


async def test_a_closed_store_says_so(tmp_path: Path, clock: FakeClock) -> None:
    database = await Database.open(tmp_path / "store.db", clock)
    await database.close()
    await database.close()
    with pytest.raises(StoreError, match="closed"):
        await database.read(lambda db: newest_events(db, 1))
