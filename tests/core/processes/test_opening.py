"""Many processes that find no store: one makes it, all use it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from sakur4_core.clock import FakeClock
from sakur4_core.store.database import Database
from sakur4_core.store.trail import newest_events

PROCESSES = 8


async def test_processes_that_create_a_store_together_share_it(
    tmp_path: Path, clock: FakeClock
) -> None:
    store = tmp_path / "store.db"
    script = str(Path(__file__).with_name("burst.py"))
    started = [
        subprocess.Popen(
            [sys.executable, script, str(store), "20", "1"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        for _ in range(PROCESSES)
    ]
    assert [process.wait(60) for process in started] == [0] * PROCESSES
    database = await Database.open(store, clock)
    try:
        events = await database.read(lambda db: newest_events(db, 1_000))
    finally:
        await database.close()
    assert len(events) == 20 * PROCESSES
