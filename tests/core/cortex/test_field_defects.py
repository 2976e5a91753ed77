"""Faults that users of code indexes met, each by its number, and files that are no code."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sakur4_core.cortex import reading
from sakur4_core.cortex.cortex import Cortex
from sakur4_core.cortex.discovery import discover, folders
from sakur4_core.engine import Engine
from sakur4_core.errors import IndexingError
from sakur4_core.models import Impact
from sakur4_core.paths import Home
from sakur4_core.settings import CortexSettings, Settings
from sakur4_core.store import code_facts


def callers(impact: Impact) -> set[str]:
    return {caller.qualified_name for caller in impact.callers}


async def statuses(engine: Engine) -> dict[str, str]:
    known = await engine.workspace.database.read(code_facts.known_files)
    return {path: file.status for path, file in known.items()}


async def test_field_defect_16_a_call_is_not_bound_to_a_namesake(
    cortex: Cortex, write: Any
) -> None:
    write(
        {
            "one.py": "def close(): ...\n",
            "two.py": "def close(): ...\n\n\ndef end(handle):\n    handle.close()\n    close()\n",
        }
    )
    one = await cortex.impact("one.py:close", 3)
    assert callers(one) == set()
    # What may be a caller is counted, and nothing is said to be dead.
    assert one.unresolved == 1
    assert "could not be resolved" in one.note
    assert callers(await cortex.impact("two.py:close", 3)) == {"end"}


async def test_field_defect_17_a_changed_file_is_linked_to_unchanged_ones(
    cortex: Cortex, write: Any
) -> None:
    chain = {
        f"c{n}.py": f"from c{n + 1} import f{n + 1}\n\n\ndef f{n}():\n    f{n + 1}()\n"
        for n in range(6)
    }
    write({**chain, "c6.py": "def other(): ...\n"})
    await cortex.index()
    write({"c6.py": "def f6(): ...\n"})
    await cortex.index()
    write({"c3.py": chain["c3.py"] + "\n\ndef more():\n    f3()\n"})
    await cortex.index()
    impact = await cortex.impact("f6", 6)
    assert callers(impact) >= {"f0", "f1", "f2", "f3", "f4", "f5", "more"}
    assert max(caller.depth for caller in impact.callers) == 6


async def test_field_defect_18_nested_ignores_hold_and_one_file_stops_nothing(
    engine: Engine, cortex: Cortex, write: Any
) -> None:
    write(
        {
            "src/deep/.gitignore": "*.gen.py\n",
            "src/deep/a.gen.py": "def generated(): ...\n",
            "bad.py": "def (((:\n" * 50,
            "static/vendor.min.js": "function a(){return 1}" * 3_000,
            "large.py": "x = 1\n" * 400_000,
        }
    )
    await cortex.index()
    found = await statuses(engine)
    assert "src/deep/a.gen.py" not in found
    assert (found["large.py"], found["bad.py"]) == ("too_large", "degraded")
    assert (await cortex.symbol("check_user")).found
    answer = await cortex.repo_map(2_000)
    assert answer.files[0].path != "static/vendor.min.js"
    assert "1 too_large" in answer.text.splitlines()[-1]


async def test_field_defect_19_a_map_shows_signatures_is_dated_and_grows(
    cortex: Cortex, write: Any
) -> None:
    write({f"m{n}.py": f"def act{n}(value):\n    hidden = value\n" for n in range(30)})
    small, large = await cortex.repo_map(150), await cortex.repo_map(1_500)
    lines = small.text.splitlines()
    assert "hidden" not in large.text
    assert "indexed 2026-01-02" in lines[0]
    assert large.text.splitlines()[1 : len(lines) - 1] == lines[1:-1]


async def test_field_defect_20_a_file_that_never_ends_is_given_up(
    project: Path, home: Home, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sakur4_core.cortex.parsing.LONE_FILE_BYTES", 0)
    hasty = Settings(cortex=CortexSettings(parse_timeout_s=0.001))
    async with Engine.open(project, home=home, settings=hasty) as engine:
        async with asyncio.timeout(60):
            await engine.index()
        assert set((await statuses(engine)).values()) == {"timed_out"}


@pytest.mark.parametrize(
    "text",
    ["(" * 20_000 + ")" * 20_000, "f" + "()" * 20_000],
    ids=["one-in-the-other", "one-after-the-other"],
)
async def test_field_defect_20_what_nests_deeply_is_parsed_like_any_other(
    engine: Engine, cortex: Cortex, write: Any, text: str
) -> None:
    write({"deep.py": f"x = {text}\n\n\ndef after() -> None:\n    pass\n"})
    await cortex.index()
    assert (await statuses(engine))["deep.py"] == "parsed"
    assert (await cortex.symbol("after")).found


def test_field_defect_20_ignored_trees_are_not_watched(project: Path, write: Any) -> None:
    write({".gitignore": "node_modules/\n*.log\n", "a/b/c.py": "", "d.log/x.py": ""})
    write({f"node_modules/p{n}/index.js": "" for n in range(20)})
    (project / "empty").mkdir()
    expected = {"", "a", "a/b", "empty", "src"}
    assert set(folders(project)) == expected
    shutil.rmtree(project / ".git")
    assert set(folders(project)) == expected
    assert set(folders(project, ("a/b/",))) == expected - {"a/b"}


def test_field_defect_20_a_home_folder_is_no_project(private_home: Path) -> None:
    with pytest.raises(IndexingError, match="too wide"):
        discover(private_home)


async def test_field_defect_20_links_are_not_followed(
    engine: Engine, cortex: Cortex, project: Path
) -> None:
    (project / "src" / "up").symlink_to(project)
    (project / "one").symlink_to(project / "two")
    (project / "two").symlink_to(project / "one")
    (project / "outside.py").symlink_to("/etc/hostname")
    await cortex.index()
    found = await statuses(engine)
    assert {found[name] for name in ("src/up", "one", "two", "outside.py")} == {"unsupported"}
    assert len(found) == 6


async def test_field_defect_21_a_worktree_has_answers_of_its_own(
    engine: Engine, cortex: Cortex, project: Path, home: Home, git: Callable[..., None]
) -> None:
    git("add", "-A")
    git("commit", "-qm", "one")
    git("worktree", "add", "-q", "-b", "other", str(project.parent / "other"))
    (project.parent / "other" / "src" / "auth.py").write_text("def check_other(): ...\n")
    await cortex.index()
    async with Engine.open(project.parent / "other", home=home) as other:
        await other.index()
        assert not (await other.symbol("check_user")).found
        assert (await other.symbol("check_other")).found
    assert not (await cortex.symbol("check_other")).found
    # Another branch in the same place is another tree.
    git("checkout", "-q", "--detach")
    (project / "src" / "auth.py").write_text("def check_third(): ...\n")
    await cortex.index()
    assert not (await cortex.symbol("check_user")).found


async def test_nasty_files_never_stop_an_index(
    engine: Engine, cortex: Cortex, project: Path
) -> None:
    nasty = {
        "one_line.json": b'{"a":[' + b'{"k":"v"},' * 1_000_000 + b"{}]}",
        "deep.py": b"x = " + b"(" * 20_000 + b")" * 20_000 + b"\n",
        "deep.json": b"[" * 100_000 + b"]" * 100_000,
        "open.js": b"`${" * 5_000,
        "bytes.py": bytes(range(1, 256)) * 20,
        "only_nul.py": b"\0" * 5_000,
        "empty.py": b"",
        "cr.py": b"def a(): ...\rdef b(): ...\r",
        "lone.ts": "export const \ud800x = 1".encode("utf-8", "surrogatepass"),
        "a\nb\tc.py": b"def in_odd_name(): ...\n",
        "-rf.py": b"def dashed(): ...\n",
        ":(glob)*.py": b"def magic(): ...\n",
    }
    for name, data in nasty.items():
        (project / name).write_bytes(data)
    os.mkfifo(project / "pipe.py")
    (project / "folder.py").mkdir()
    async with asyncio.timeout(60):
        report = await cortex.index()
    assert report.files == len(nasty) + 2
    found = await statuses(engine)
    assert found["one_line.json"] == "too_large"
    assert found["only_nul.py"] == "binary"
    for name in ("in_odd_name", "dashed", "magic", "check_user"):
        assert (await cortex.symbol(name)).found, name
    assert (await cortex.index()).parsed == 0


async def test_a_file_replaced_while_it_is_read_is_read_again(
    engine: Engine, cortex: Cortex, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fdopen
    place = project / "src" / "auth.py"

    def replacing(descriptor: int, *arguments: Any) -> Any:
        opened = real(descriptor, *arguments)
        if os.fstat(descriptor).st_ino == place.stat().st_ino:
            (project / "new").write_text("def replaced(): ...\n")
            (project / "new").rename(place)
        return opened

    monkeypatch.setattr(reading.os, "fdopen", replacing)
    await cortex.index()
    monkeypatch.undo()
    await cortex.index()
    assert (await cortex.symbol("replaced")).found
    assert not (await cortex.symbol("check_user")).found


async def test_what_goes_while_the_index_runs_is_no_failure(
    engine: Engine, cortex: Cortex, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = subprocess.run

    def vanishing(*arguments: Any, **options: Any) -> Any:
        done = real(*arguments, **options)
        (project / "src" / "api.py").unlink(missing_ok=True)
        return done

    monkeypatch.setattr(subprocess, "run", vanishing)
    await cortex.index()
    assert set(await statuses(engine)) == {"src/auth.py"}
