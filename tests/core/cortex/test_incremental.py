"""Only what changed is parsed; whatever the history, the index equals one built afresh."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from cortex_store import stored_edges
from sakur4_core.clock import FakeClock
from sakur4_core.cortex import indexer
from sakur4_core.cortex.cortex import Cortex
from sakur4_core.cortex.discovery import discover
from sakur4_core.engine import Engine
from sakur4_core.paths import Home
from sakur4_core.settings import CortexSettings, Settings
from sakur4_core.store import code_facts as facts_sql

DUMP = {
    "file": "SELECT path, language, hash, size, status, detail FROM file ORDER BY path",
    "fact": "SELECT fact_id, kind, qualified_name, file_path, line_start, line_end, signature,"
    " value, interface_hash, body_hash, name FROM fact ORDER BY fact_id",
}


async def dump(engine: Engine) -> dict[str, list[tuple[Any, ...]]]:
    def work(db: Any) -> dict[str, list[tuple[Any, ...]]]:
        tables = {name: [tuple(row) for row in db.execute(text)] for name, text in DUMP.items()}
        return {**tables, "edge": [(*edge[:-1],) for edge in stored_edges(db)]}

    return await engine.workspace.database.read(work)


async def same_as_afresh(engine: Engine, home: Home) -> None:
    async with Engine.open(engine.project.root, store=":memory:", home=home) as other:
        await other.index()
        assert await dump(engine) == await dump(other)


async def test_the_second_pass_parses_nothing(cortex: Cortex) -> None:
    first = await cortex.index()
    assert (first.files, first.parsed, first.unchanged) == (2, 2, 0)
    second = await cortex.index()
    assert (second.files, second.parsed, second.unchanged) == (2, 0, 2)
    assert second.edges == first.edges


async def test_a_look_that_waited_does_not_take_old_facts_for_new_ones(
    cortex: Cortex, engine: Engine, project: Path, home: Home
) -> None:
    """A file changes, is indexed and changes back while a reader's look at it waits its turn."""
    await cortex.index()
    place = project / "src" / "auth.py"
    first, own = place.read_text(), cortex._indexer
    place.write_text("def other(): ...\n")
    async with own._lock:
        looking = asyncio.create_task(own.refresh(frozenset({"src/auth.py"}), set()))
        await asyncio.sleep(0.2)
        known = await engine.workspace.database.read(facts_sql.known_files)
        found = discover(project, ()).files
        await own._carry_out(own._plan(found, known, known, actor="engine"))
        place.write_text(first)
        # Past the time in which a file's time of change proves nothing.
        await asyncio.sleep(0.1)
    await looking
    await cortex.index()
    await same_as_afresh(engine, home)


async def test_only_a_file_with_the_content_that_was_seen_gets_its_time(engine: Engine) -> None:
    await engine.index()
    path = "src/auth.py"
    database = engine.workspace.database
    before = await database.read(lambda db: facts_sql.known_file(db, path))
    await database.write(lambda tx: facts_sql.touch_files(tx, [(path, 1, 1, "another")]))
    assert await database.read(lambda db: facts_sql.known_file(db, path)) == before
    assert before is not None
    await database.write(lambda tx: facts_sql.touch_files(tx, [(path, 1, 2, before.hash)]))
    after = await database.read(lambda db: facts_sql.known_file(db, path))
    assert after is not None and (after.size, after.stamp_ns) == (1, 2)


async def test_a_touched_file_keeps_its_date(
    cortex: Cortex, project: Path, clock: FakeClock
) -> None:
    await cortex.index()
    before = (await cortex.repo_map(500)).text
    clock.advance(60)
    os.utime(project / "src" / "auth.py", ns=(1, 10**18))
    assert (await cortex.index()).parsed == 0
    assert (await cortex.repo_map(500)).text == before


async def test_the_index_is_dated_when_it_changes(
    engine: Engine, cortex: Cortex, write: Any, clock: FakeClock
) -> None:
    await cortex.index()
    first = (await engine.status()).indexed_at
    clock.advance(60)
    write({"src/new.py": "def added(): ...\n"})
    await cortex.index()
    second = (await engine.status()).indexed_at
    assert first is not None and second is not None and second > first


async def test_edits_renames_deletes_and_branches_end_as_a_fresh_index_does(
    engine: Engine, cortex: Cortex, project: Path, home: Home, write: Any, git: Callable[..., None]
) -> None:
    await cortex.index()
    git("add", "-A")
    git("commit", "-qm", "one")
    write({"src/auth.py": "def check_user(email, strict=False):\n    return email\n"})
    await cortex.index()
    await same_as_afresh(engine, home)
    git("checkout", "-qb", "other")
    (project / "src" / "auth.py").rename(project / "src" / "access.py")
    await cortex.index()
    await same_as_afresh(engine, home)
    write(
        {
            "src/auth.py": (
                "from src.access import check_user as check_user\nfrom src.gone import *\n"
            )
        }
    )
    await cortex.index()
    await same_as_afresh(engine, home)
    write(
        {"src/gone.py": "def late(): ...\n", "src/use.py": "from src.auth import late\nlate()\n"}
    )
    await cortex.index()
    await same_as_afresh(engine, home)
    (project / "src" / "gone.py").unlink()
    await cortex.index()
    await same_as_afresh(engine, home)
    git("add", "-A")
    git("commit", "-qm", "two")
    git("checkout", "-q", "master" if (project / ".git/refs/heads/master").exists() else "main")
    await cortex.index()
    await same_as_afresh(engine, home)


async def test_a_renamed_reexport_relinks_those_who_import_it(
    engine: Engine, cortex: Cortex, home: Home, write: Any
) -> None:
    write(
        {
            "pkg/__init__.py": "from .core import run as start\n",
            "pkg/core.py": "def other(): ...\n",
            "use.py": "from pkg import start\nstart()\n",
        }
    )
    await cortex.index()
    write({"pkg/core.py": "def run(): ...\n"})
    await cortex.index()
    await same_as_afresh(engine, home)
    callers = (await cortex.impact("run", 1)).callers
    assert {c.qualified_name for c in callers} == {"pkg", "use"}


async def test_field_defect_05_full_parses_all_again_and_changes_nothing(
    engine: Engine, cortex: Cortex
) -> None:
    await cortex.index()
    before = await dump(engine)
    assert (await cortex.index(full=True)).parsed == 2
    assert await dump(engine) == before
    assert (await cortex.repo_map(500, query="expire")).files[0].path == "src/auth.py"


async def test_an_interrupted_index_is_resumed(
    engine: Engine, cortex: Cortex, home: Home, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        {
            f"many/m{n}.py": f"from src.auth import check_user\ndef f{n}(): check_user(1)\n"
            for n in range(250)
        }
    )
    real = indexer.put
    count = 0

    def failing(tx: Any, files: Any, known: Any) -> None:
        nonlocal count
        count += len(files)
        if count > 150:
            raise KeyboardInterrupt
        real(tx, files, known)

    monkeypatch.setattr(indexer, "put", failing)
    with pytest.raises(KeyboardInterrupt):
        await cortex.index()
    monkeypatch.setattr(indexer, "put", real)
    status = await engine.status()
    assert 0 < status.files < 252
    await cortex.index()
    await same_as_afresh(engine, home)
    assert (await cortex.repo_map(4000, query="f7")).files[0].path == "many/m7.py"


async def test_refresh_reads_the_disk(cortex: Cortex, project: Path, write: Any) -> None:
    await cortex.index()
    write({"src/auth.py": "def check_user(email, realm): ...\n"})
    (project / "src" / "api.py").unlink()
    assert await cortex.refresh({"src/auth.py", "src/api.py", "unknown.py"}, 30) == set()
    answer = await cortex.symbol("check_user")
    assert answer.symbols[0].signature == "def check_user(email, realm)"
    assert not (await cortex.symbol("login")).found


async def test_refresh_beyond_its_budget_leaves_files_unverified(
    cortex: Cortex, write: Any
) -> None:
    await cortex.index()
    write({"src/auth.py": "def check_user(email, realm): ...\n"})
    assert await cortex.refresh({"src/auth.py"}, 0) == {"src/auth.py"}
    # The work goes on behind the answer.
    assert await cortex.refresh({"src/auth.py"}, 30) == set()


async def test_large_input_is_parsed_in_processes_with_the_same_result(
    engine: Engine, cortex: Cortex, home: Home, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    write({f"m/n{n}.py": f"def f{n}(): ...\n" for n in range(30)})
    monkeypatch.setattr("sakur4_core.cortex.parsing.POOL_FROM_BYTES", 1)
    assert (await cortex.index()).parsed == 32
    monkeypatch.undo()
    await same_as_afresh(engine, home)


async def test_a_file_that_takes_too_long_is_marked_and_the_rest_goes_on(
    project: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sakur4_core.cortex.parsing.POOL_FROM_BYTES", 1)
    # No process starts within a millisecond, so every file is late.
    hasty = Settings(cortex=CortexSettings(parse_timeout_s=0.001))
    async with Engine.open(project, home=home, settings=hasty) as engine:
        assert (await engine.index()).skipped == {"timed_out": 2}
    async with Engine.open(project, home=home) as engine:
        assert (await engine.index(full=True)).skipped == {}


async def test_an_index_given_up_leaves_no_process(
    engine: Engine, cortex: Cortex, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    write({f"m/n{n}.py": "x = 1\n" * 2000 for n in range(200)})
    monkeypatch.setattr("sakur4_core.cortex.parsing.POOL_FROM_BYTES", 1)
    task = asyncio.create_task(cortex.index())
    async with asyncio.timeout(30):
        while not workers():
            await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert workers() == []


def workers() -> list[psutil.Process]:
    found = []
    for child in psutil.Process().children():
        with suppress(psutil.Error):
            if "sakur4_core.cortex.worker" in child.cmdline():
                found.append(child)
    return found


async def test_uses_follow_the_one_of_several_definitions_that_counts(
    cortex: Cortex, engine: Engine, project: Path, home: Home
) -> None:
    """The last of several counts, as when the file is run, whichever came or changed."""
    place = project / "src" / "reader.py"
    (project / "src" / "caller.py").write_text(
        "from src.reader import A, read\n\n\ndef go(a: A):\n    return read(a.read())\n"
    )
    one = "def read(a):\n    return 1\n"
    method = "class A:\n    def read(self): return 1\n    def read(self): return 2\n"
    other = one.replace("1", "2")
    for text in (one, one + other, other + one, one.replace("1", "3") + other, other, ""):
        for members in (method, method.replace("1", "4"), method.replace("2", "5")):
            place.write_text(text + members)
            await cortex.index()
            await same_as_afresh(engine, home)
