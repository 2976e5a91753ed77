"""Writers killed at random moments: what was acknowledged is there, and nothing is there twice."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from sakur4_core.engine import Engine
from sakur4_core.paths import Home

from .writers import Words, acknowledged, text, write


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_two_hundred_runs_of_eight_killed_writers_lose_and_double_nothing(
    project: Path, home: Home, tmp_path: Path
) -> None:
    await _kill_and_check(tmp_path, runs=200, writers=8)


async def test_field_defect_10_killed_writers_lose_and_double_nothing(
    project: Path, home: Home, tmp_path: Path
) -> None:
    await _kill_and_check(tmp_path, runs=3, writers=8)


async def _kill_and_check(folder: Path, *, runs: int, writers: int) -> None:
    script = Path(__file__).with_name("writers.py")
    command = [sys.executable, str(script), str(folder), str(runs), str(writers), "7"]
    subprocess.run(command, check=True, timeout=550)
    names = [f"w{number}" for number in range(writers)]
    before = {name: len(acknowledged(folder / f"{name}.notes")) for name in names}
    # Each tries again what it cannot know to be stored, and adds one turn that was never tried.
    await asyncio.gather(*(write(folder, name, before[name] + 1) for name in names))
    notes = {key: known for name in names for key, known in acknowledged(folder / f"{name}.notes")}
    assert sum(before.values()) > runs

    async with Engine.open(
        folder / "project", home=Home(folder / "home", folder / "home"), counter=Words()
    ) as engine:
        verified = await engine.verify()
        status = await engine.status()
        stored = await engine.workspace.database.read(_stored)
        problems = await engine.workspace.database.exclusive(_problems)
    assert verified.ok, verified.detail
    assert not [text for text in status.degraded if text.startswith(("store:", "feed:"))]
    assert [process.pid for process in status.processes] == [status.processes[0].pid]
    assert {key: known for key, known, _ in stored} == notes
    assert Counter(content for _, _, content in stored).most_common(1)[0][1] == 1
    assert all(content.strip() == text(key)[1].strip() for key, _, content in stored)
    assert problems == []


def _stored(db: sqlite3.Connection) -> list[tuple[str, str, str]]:
    rows = db.execute("SELECT idempotency_key, episode_id, content FROM episode ORDER BY seq")
    return [tuple(row) for row in rows]


def _problems(db: sqlite3.Connection) -> list[str]:
    """What SQLite's own checks find, and rows that lack their other half."""
    found = [row[0] for row in db.execute("PRAGMA integrity_check") if row[0] != "ok"]
    found += [str(tuple(row)) for row in db.execute("PRAGMA foreign_key_check")]
    db.execute("INSERT INTO episode_fts (episode_fts) VALUES ('integrity-check')")
    for other in (
        "SELECT seq FROM episode_state",
        "SELECT id FROM episode_fts_docsize",
        "SELECT json_extract(detail, '$.seq') FROM event WHERE kind = 'episode.committed'",
    ):
        for left, right in (
            ("SELECT seq FROM episode", other),
            (other, "SELECT seq FROM episode"),
        ):
            found += [f"{other}: {row[0]}" for row in db.execute(f"{left} EXCEPT {right}")]
    return found
