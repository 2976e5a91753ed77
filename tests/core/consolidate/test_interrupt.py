"""Whoever works comes first: a cycle ends before the next item, and nothing is half-written."""

from __future__ import annotations

import asyncio
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sakur4_core.engine import Engine
from sakur4_core.events import ATLAS_WRITTEN, DREAM_FINISHED, DREAM_PROGRESSED, EPISODE_COMMITTED

from .test_summaries import DECISION

TURNS = 20
CYCLE = """
import asyncio, sys
from sakur4_core.engine import Engine
async def main():
    async with Engine.open(sys.argv[1]) as engine:
        print("ready", flush=True)
        await engine.dream(force=True)
asyncio.run(main())
"""


async def fill(engine: Engine) -> None:
    await engine.index()
    for number in range(TURNS):
        text = f"Turn {number} of `check_user`. {DECISION}"
        await engine.commit_episode("assistant", text, session_id=f"s{number % 3}")


async def seqs(engine: Engine, kind: str) -> list[int]:
    return [event.seq for event in await engine.recent_events(500) if event.kind == kind]


@pytest.mark.parametrize("seed", range(6))
async def test_a_writer_at_any_moment_wins(open_engine: Callable[..., Any], seed: int) -> None:
    after = random.Random(seed).randrange(TURNS)
    async with open_engine() as engine, open_engine() as other:
        await fill(engine)
        async with other.events.subscribe() as events:
            cycle = asyncio.create_task(engine.dream(force=True))
            told = 0
            while told < after and not cycle.done():
                async with asyncio.timeout(30):
                    told += (await events.get()).kind == DREAM_PROGRESSED
            await other.commit_episode("user", "I am at work.", session_id="s9")
            report = await cycle
        (*_, committed) = await seqs(engine, EPISODE_COMMITTED)
        late = [seq for seq in await seqs(engine, ATLAS_WRITTEN) if seq > committed]
        assert late == []
        assert report.ran
        if report.promoted < TURNS:
            assert "Somebody is at work" in report.reason
        if report.promoted:
            assert len(await seqs(engine, DREAM_FINISHED)) == 1
        # The rest is done in the next quiet time, and nothing twice.
        rest = await engine.dream(force=True)
        assert report.promoted + rest.promoted == TURNS


@pytest.mark.parametrize("seed", range(4))
async def test_a_process_that_is_killed_leaves_whole_items(
    open_engine: Callable[..., Any], project: Path, seed: int
) -> None:
    async with open_engine() as engine:
        await fill(engine)
        store = engine.workspace.place.file
    program = subprocess.Popen(
        [sys.executable, "-c", CYCLE, str(project)], stdout=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    wanted = random.Random(seed).randrange(1, TURNS)
    with sqlite3.connect(store) as db:
        async with asyncio.timeout(60):
            while program.poll() is None and _written(db) < wanted:
                await asyncio.sleep(0.002)
    program.send_signal(signal.SIGKILL)
    program.wait()
    program.stdout.close()
    async with open_engine() as engine:
        assert (await engine.verify()).ok
        broken = await engine.workspace.database.read(
            lambda db: db.execute(
                "SELECT count(*) FROM atlas t WHERE NOT EXISTS (SELECT 1 FROM atlas_anchor a"
                " WHERE a.atlas_id = t.atlas_id AND a.anchor_type = 'episode')"
                " OR NOT EXISTS (SELECT 1 FROM event e WHERE e.subject = t.atlas_id)"
            ).fetchone()[0]
        )
        assert broken == 0
        before = len(await engine.atlas.entries())
        assert before >= wanted
        assert (await engine.dream(force=True)).promoted == TURNS - before
    db.close()


def _written(db: sqlite3.Connection) -> int:
    count: int = db.execute("SELECT count(*) FROM atlas").fetchone()[0]
    return count
