"""A long log is copied beside the commits, and begins anew even while others write."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest
from sakur4_core.engine import Engine
from sakur4_core.store import checkpoint
from sakur4_core.store.checkpoint import copy_log


def log_of(engine: Engine) -> Path:
    file = engine.workspace.place.file
    return file.with_name(file.name + "-wal")


async def test_a_long_log_is_copied_beside_the_commits(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint, "LONG_LOG_BYTES", 400_000)
    monkeypatch.setattr(checkpoint, "PAUSE_S", 0.01)

    file = engine.workspace.place.file
    before = file.stat().st_size
    number = 0
    while log_of(engine).stat().st_size <= 400_000:
        await engine.commit_episode("assistant", f"{number} " * 300, session_id="s")
        number += 1
    async with asyncio.timeout(60):
        while file.stat().st_size == before:
            await asyncio.sleep(0.02)
    assert (await engine.verify()).episodes == number


def test_a_very_long_log_begins_anew_once_no_reader_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint, "LONGEST_LOG_BYTES", 0)
    file = tmp_path / "store.db"
    writer = sqlite3.connect(file, isolation_level=None)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("CREATE TABLE t (x)")
    reader = sqlite3.connect(file, isolation_level=None)
    keeper = sqlite3.connect(file, isolation_level=None, timeout=0.05)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM t").fetchall()
    log = file.with_name("store.db-wal")

    def grows() -> bool:
        before = log.stat().st_size
        writer.execute("INSERT INTO t VALUES (1)")
        return log.stat().st_size > before

    assert grows()
    # A reader of the past keeps the log: nothing fails, and nobody waits for long.
    copy_log(keeper)
    assert grows()
    reader.execute("ROLLBACK")
    copy_log(keeper)
    assert not grows()
    for connection in (writer, reader, keeper):
        connection.close()
