"""Upkeep: only when quiet, one item a transaction, and a commit always wins."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterable
from contextlib import suppress

import pytest
from sakur4_core.clock import FakeClock
from sakur4_core.consolidate.cycle import Check
from sakur4_core.consolidate.drafting import Drafting
from sakur4_core.consolidate.dream import Dream
from sakur4_core.consolidate.steps import ALL_GONE, PRUNE_BATCH
from sakur4_core.events import ANCHOR_PINNED, DREAM_FINISHED, RECALL_RAN, EventBus
from sakur4_core.memory.atlas import Atlas
from sakur4_core.memory.episodes import Episodes
from sakur4_core.store.database import Transaction
from sakur4_core.workspace import Workspace

DAY_S = 86_400


class Disk:
    """A code index that is up to date; ``when_asked`` runs in the middle of a pass."""

    def __init__(self) -> None:
        self.asked: list[set[str]] = []
        self.when_asked: object = None

    async def refresh(self, paths: set[str], budget_s: float) -> set[str]:
        self.asked.append(paths)
        if callable(self.when_asked):
            await self.when_asked()
        return set()


@pytest.fixture
def disk() -> Disk:
    return Disk()


class Surroundings:
    """What a cycle asks of others, as a test wants it to answer."""

    def __init__(self) -> None:
        self.why_busy: str | None = None
        self.holds_lease = True
        self.asked = 0

    async def busy(self) -> str | None:
        self.asked += 1
        return self.why_busy

    async def catch_up(self) -> int:
        return 0

    async def archive(self, session_id: str, keep: Iterable[str], check: Check) -> int:
        return 0


@pytest.fixture
def around() -> Surroundings:
    return Surroundings()


@pytest.fixture
def dream(workspace: Workspace, disk: Disk, around: Surroundings) -> Dream:
    return Dream(
        workspace,
        disk,
        Atlas(workspace, disk),
        around,
        around,
        around,
        Drafting(workspace.counter),
        lambda: around.holds_lease,
    )


async def say(workspace: Workspace, text: str = "hello") -> str:
    committed = await Episodes(workspace).commit("user", text, session_id="s1")
    return committed.episode_id


async def facts(workspace: Workspace, *names: str) -> None:
    def work(tx: Transaction) -> None:
        for name in names:
            tx.db.execute(
                "INSERT INTO fact (fact_id, kind, qualified_name, source, scope, value)"
                " VALUES (?, 'constant', ?, 'tree-sitter', 'project', '1')",
                (f"f_{name}", name),
            )

    await workspace.database.write(work)


async def forget(workspace: Workspace, name: str) -> None:
    await workspace.database.write(
        lambda tx: tx.db.execute("DELETE FROM fact WHERE qualified_name = ?", (name,))
    )


async def events(workspace: Workspace, kind: str) -> list[sqlite3.Row]:
    return await workspace.database.read(
        lambda db: db.execute("SELECT * FROM event WHERE kind = ?", (kind,)).fetchall()
    )


async def in_use(workspace: Workspace) -> list[str]:
    def work(db: sqlite3.Connection) -> list[str]:
        rows = db.execute("SELECT atlas_id FROM atlas WHERE retired_at IS NULL ORDER BY atlas_id")
        return [row["atlas_id"] for row in rows]

    return await workspace.database.read(work)


async def test_a_store_that_is_not_quiet_is_left_alone(
    workspace: Workspace, dream: Dream, clock: FakeClock
) -> None:
    await say(workspace)
    clock.advance(30)
    report = await dream.once()
    assert (report.ran, report.reason) == (False, "Not quiet yet: 60 s to go.")
    assert (await dream.once(force=True)).ran
    clock.advance(60)
    assert (await dream.once()).ran


async def test_a_summary_whose_ground_is_all_gone_becomes_a_tombstone(
    workspace: Workspace, dream: Dream, disk: Disk
) -> None:
    atlas = Atlas(workspace, disk)
    episode = await say(workspace)
    await facts(workspace, "gone", "kept")
    lost = await atlas.put("of a thing", [("fact", "f_gone")], origin="api")
    half = await atlas.put("of two", [("fact", "f_gone"), ("fact", "f_kept")], origin="api")
    told = await atlas.put("of a turn", [("episode", episode)], origin="api")
    await say(workspace)
    await forget(workspace, "gone")
    report = await dream.once(force=True)
    assert (report.ran, report.pruned) == (True, 1)
    assert await in_use(workspace) == sorted([half.atlas_id, told.atlas_id])
    row = await workspace.database.read(
        lambda db: db.execute(
            "SELECT * FROM atlas WHERE atlas_id = ?", (lost.atlas_id,)
        ).fetchone()
    )
    assert row["retired_why"] == ALL_GONE
    assert row["content"] == "of a thing"
    assert len(await events(workspace, DREAM_FINISHED)) == 1


async def test_old_reads_are_pruned_and_decisions_are_kept(
    workspace: Workspace, dream: Dream, clock: FakeClock
) -> None:
    def emit(tx: Transaction) -> None:
        tx.emit(RECALL_RAN, actor="agent")
        tx.emit(ANCHOR_PINNED, actor="person")

    for _ in range(PRUNE_BATCH + 5):
        await workspace.database.write(emit)
    clock.advance(31 * DAY_S)
    await workspace.database.write(emit)
    clock.advance(100)
    report = await dream.once()
    assert report.pruned == PRUNE_BATCH + 5
    assert len(await events(workspace, RECALL_RAN)) == 1
    assert len(await events(workspace, ANCHOR_PINNED)) == PRUNE_BATCH + 6


@pytest.mark.parametrize("force", [False, True])
async def test_a_commit_during_a_pass_ends_it(
    workspace: Workspace, dream: Dream, disk: Disk, clock: FakeClock, force: bool
) -> None:
    atlas = Atlas(workspace, disk)
    await facts(workspace, "a", "b")
    for name in ("a", "b"):
        await atlas.put(f"about {name}", [("fact", f"f_{name}")], origin="api")
        await forget(workspace, name)
    clock.advance(DAY_S)
    disk.when_asked = lambda: say(workspace)
    report = await dream.once(force=force)
    assert (report.ran, report.pruned) == (True, 0)
    assert "Somebody is at work" in report.reason
    assert len(await in_use(workspace)) == 2


async def test_a_pass_without_work_says_so_and_leaves_no_trace(
    workspace: Workspace, dream: Dream
) -> None:
    report = await dream.once()
    assert (report.ran, report.reason) == (True, "Nothing was due.")
    assert await events(workspace, DREAM_FINISHED) == []


async def test_two_passes_do_not_run_at_once(
    workspace: Workspace, dream: Dream, disk: Disk
) -> None:
    second = []

    async def again() -> None:
        second.append(await dream.once(force=True))

    disk.when_asked = again
    assert (await dream.once(force=True)).ran
    assert [report.ran for report in second] == [False]


async def test_it_runs_by_itself_until_cancelled(
    workspace: Workspace, dream: Dream, disk: Disk, clock: FakeClock
) -> None:
    await facts(workspace, "a")
    await Atlas(workspace, disk).put("about a", [("fact", "f_a")], origin="api")
    await forget(workspace, "a")
    clock.advance(90)
    task = asyncio.create_task(dream.run(EventBus()))
    async with asyncio.timeout(10):
        while await in_use(workspace):
            await asyncio.sleep(0.01)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert task.cancelled()


async def test_a_server_that_works_or_cannot_be_read_ends_a_cycle(
    workspace: Workspace, dream: Dream, disk: Disk, around: Surroundings
) -> None:
    await facts(workspace, "a")
    await Atlas(workspace, disk).put("about a", [("fact", "f_a")], origin="api")
    await forget(workspace, "a")
    around.why_busy = "the slots of llama.cpp cannot be read"
    report = await dream.once(force=True)
    assert report.reason == "Not idle: the slots of llama.cpp cannot be read."
    assert len(await in_use(workspace)) == 1
    around.why_busy = None
    assert (await dream.once(force=True)).pruned == 1
    # Asked before each item: the summary, the index.
    assert around.asked == 3


async def test_only_the_holder_of_the_lease_works(
    workspace: Workspace, dream: Dream, around: Surroundings
) -> None:
    around.holds_lease = False
    report = await dream.once(force=True)
    assert (report.ran, report.reason) == (False, "Another process holds the lease.")


async def test_a_read_by_an_agent_counts_as_work(
    workspace: Workspace, dream: Dream, clock: FakeClock
) -> None:
    await say(workspace)
    clock.advance(DAY_S)
    await workspace.database.write(lambda tx: tx.emit(RECALL_RAN, actor="agent"))
    assert not (await dream.once()).ran
    await workspace.database.write(lambda tx: tx.emit(RECALL_RAN, actor="engine"))
    clock.advance(90)
    assert (await dream.once()).ran
