"""A store that fails says so, loses nothing it acknowledged, and works again by itself.

Defects 10 and 12: no silent loss, no store that is dead and looks healthy.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from sakur4_core.engine import Engine
from sakur4_core.errors import StoreBusy, StoreError, StoreMoved
from sakur4_core.events import STORE_DEGRADED
from sakur4_core.paths import Home
from sakur4_core.store import feed as feed_module
from sakur4_core.store import patience


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "LOCK_WAIT_S", 0.05)
    monkeypatch.setattr(feed_module, "RECOVER_S", 0.05)


async def faults(engine: Engine) -> list[str]:
    """What the status says of the store and its feed."""
    degraded = (await engine.status()).degraded
    return [text for text in degraded if text.startswith(("store:", "feed:"))]


async def until_healthy(engine: Engine) -> None:
    async with asyncio.timeout(20):
        while await faults(engine):
            await asyncio.sleep(0.02)


async def commit(engine: Engine, content: str) -> str:
    return (await engine.commit_episode("assistant", content, session_id="s")).episode_id


async def test_field_defect_10_a_lock_that_stays_is_told_and_forgotten_when_it_goes(
    engine: Engine,
) -> None:
    other = sqlite3.connect(engine.workspace.place.file, isolation_level=None)
    async with engine.events.subscribe() as events:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy, match="Another process holds the store"):
            await commit(engine, "one")
        assert await faults(engine) == ["store: Another process holds the store."]
        async with asyncio.timeout(20):
            while (event := await events.get()).kind != STORE_DEGRADED:
                pass
        assert event.detail["status"] == "store: Another process holds the store."
        other.execute("ROLLBACK")
        other.close()
        # Nobody writes: the engine finds out by itself.
        await until_healthy(engine)
    recovered = (await engine.recent_events(1))[0]
    assert (recovered.kind, recovered.detail["status"]) == (STORE_DEGRADED, "works again")
    await commit(engine, "two")
    assert (await engine.verify()).episodes == 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount command")
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


async def test_a_full_disk_is_told_and_the_store_goes_on_when_there_is_space(
    project: Path, home: Home, small_disk: Path
) -> None:
    ballast = small_disk / "ballast"
    async with Engine.open(project, home=home, store=small_disk / "store.db") as engine:
        kept = await commit(engine, "before")
        with ballast.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"\0" * 4096)
            except OSError:
                pass
        with pytest.raises(StoreError, match="disk"):
            for number in range(200):
                kept = await commit(engine, f"{number} " * 2_000)
        assert len(await faults(engine)) == 1
        ballast.unlink()
        await until_healthy(engine)
        newest = await commit(engine, "after")
        stored = [episode.episode_id for episode in await engine.episodes.page(limit=2)]
        assert stored == [newest, kept]
        assert (await engine.verify()).ok


async def test_a_store_at_its_largest_size_is_told_and_goes_on(engine: Engine) -> None:
    kept = await commit(engine, "before")

    async def limit(pages: int) -> None:
        await engine.workspace.database.exclusive(
            lambda raw: raw.execute(f"PRAGMA max_page_count = {pages}").fetchall()
        )

    await limit(1)
    with pytest.raises(StoreError, match="The disk is full; nothing was written"):
        for number in range(200):
            kept = await commit(engine, f"{number} " * 2_000)
    assert await faults(engine) == ["store: The disk is full; nothing was written."]
    await limit(1_000_000)
    newest = await commit(engine, "after")
    assert await faults(engine) == []
    stored = [episode.episode_id for episode in await engine.episodes.page(limit=2)]
    assert stored == [newest, kept]
    assert (await engine.verify()).ok


async def test_field_defect_10_a_store_that_turns_read_only_is_told(engine: Engine) -> None:
    database = engine.workspace.database
    await commit(engine, "before")
    await database._writer.run(lambda raw: raw.execute("PRAGMA query_only = ON"))
    with pytest.raises(StoreError, match="cannot be written"):
        await commit(engine, "lost")
    (fault,) = await faults(engine)
    assert "cannot be written" in fault
    assert (await engine.status()).episodes == 1
    await database._writer.run(lambda raw: raw.execute("PRAGMA query_only = OFF"))
    await until_healthy(engine)
    await commit(engine, "after")
    assert (await engine.verify()).episodes == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write any file")
async def test_a_store_without_write_permission_is_refused(
    project: Path, home: Home, tmp_path: Path
) -> None:
    store = tmp_path / "store.db"
    async with Engine.open(project, home=home, store=store):
        pass
    store.chmod(0o400)
    with pytest.raises(StoreError, match="cannot be written"):
        async with Engine.open(project, home=home, store=store):
            pass


@pytest.fixture
async def moved(engine: Engine) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Puts the store file away; the value puts it back."""
    file = engine.workspace.place.file
    aside = file.with_name("aside.db")
    await commit(engine, "before")
    file.rename(aside)

    async def put_back() -> None:
        aside.replace(file)

    yield put_back
    if aside.exists():
        aside.replace(file)


async def test_a_deleted_store_is_not_written_to_and_found_again(
    engine: Engine, moved: Callable[[], Awaitable[None]]
) -> None:
    with pytest.raises(StoreMoved, match="replaced or deleted"):
        await commit(engine, "lost")
    assert any("replaced or deleted" in text for text in await faults(engine))
    assert not engine.workspace.place.file.exists()
    await moved()
    await until_healthy(engine)
    await commit(engine, "after")
    assert (await engine.verify()).episodes == 2


async def test_a_replaced_store_is_not_written_to(
    engine: Engine, moved: Callable[[], Awaitable[None]]
) -> None:
    file = engine.workspace.place.file
    other = sqlite3.connect(file)
    other.execute("CREATE TABLE bookmarks (url TEXT)")
    other.commit()
    other.close()
    before = file.read_bytes()
    # Nobody writes: the watching finds it.
    async with asyncio.timeout(20):
        while not await faults(engine):
            await asyncio.sleep(0.02)
    with pytest.raises(StoreMoved):
        await commit(engine, "lost")
    assert file.read_bytes() == before
    await moved()
    await until_healthy(engine)


async def test_a_feed_that_fails_is_told_and_goes_on(engine: Engine) -> None:
    """A row that no program of ours wrote stops nothing for ever and is not passed over."""

    def spoil(tx: object) -> None:
        tx.emit("recall.ran", actor="agent", subject="first")  # type: ignore[attr-defined]
        tx.db.execute("UPDATE event SET detail = '{' WHERE subject = 'first'")  # type: ignore[attr-defined]

    database = engine.workspace.database
    async with engine.events.subscribe() as events:
        await database.write(spoil)
        async with asyncio.timeout(20):
            while not await faults(engine):
                await asyncio.sleep(0.02)
        (fault,) = await faults(engine)
        assert fault.startswith("feed: ")
        await database.write(
            lambda tx: tx.db.execute("UPDATE event SET detail = '{}' WHERE subject = 'first'")
        )
        async with asyncio.timeout(20):
            while (await events.get()).subject != "first":
                pass
        await until_healthy(engine)


async def test_a_value_that_cannot_be_stored_is_no_fault_of_the_store(engine: Engine) -> None:
    from sakur4_core.errors import InvalidInput

    for value in (2**70, "\ud800"):
        with pytest.raises(InvalidInput, match="cannot be stored"):
            await engine.workspace.database.read(
                lambda db, value=value: db.execute("SELECT ?", (value,)).fetchone()
            )
    assert await faults(engine) == []
