"""What belongs to a project, with git and without, and what becomes of odd files."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from sakur4_core.cortex.cortex import Cortex
from sakur4_core.cortex.discovery import among, discover
from sakur4_core.engine import Engine
from sakur4_core.errors import IndexingError
from sakur4_core.store import code_facts


def fill(root: Path) -> None:
    (root / ".gitignore").write_text("build/\n*.log\n")
    for name in ("build/gen.py", "src/keep.log", "src/inner/x.py", "src/inner/y.tmp", "z.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x = 1\n")
    (root / "src" / "inner" / ".gitignore").write_text("*.tmp\n!../keep.log\n")


@pytest.mark.parametrize("with_git", [True, False])
def test_nested_ignore_files_are_kept_to(project: Path, with_git: bool) -> None:
    fill(project)
    if not with_git:
        shutil.rmtree(project / ".git")
    listing = discover(project)
    assert list(listing.files) == [
        ".gitignore",
        "src/api.py",
        "src/auth.py",
        "src/inner/.gitignore",
        "src/inner/x.py",
        "z.py",
    ]
    assert bool(listing.without_git) != with_git


@pytest.mark.parametrize("with_git", [True, False])
def test_among_names_files_and_folders(project: Path, with_git: bool) -> None:
    fill(project)
    if not with_git:
        shutil.rmtree(project / ".git")
    found = among(project, ["src/inner", "z.py", "build/gen.py", "gone.py"])
    assert sorted(found) == ["src/inner/.gitignore", "src/inner/x.py", "z.py"]


def test_user_ignores_come_on_top(project: Path) -> None:
    assert list(discover(project, ("src/a*.py", "!src/auth.py")).files) == ["src/auth.py"]


def test_a_hooks_environment_does_not_mislead_git(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert "src/api.py" in discover(project).files


def test_the_repositorys_configuration_runs_nothing(project: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    (project / ".git" / "config").write_text(f'[core]\n\tfsmonitor = "touch {mark}; false"\n')
    assert "src/api.py" in discover(project).files
    assert not mark.exists()


def test_home_and_root_are_refused(private_home: Path) -> None:
    for root in (private_home, Path("/"), private_home.parent):
        with pytest.raises(IndexingError, match="too wide"):
            discover(root)


async def test_every_file_has_a_status(engine: Engine, cortex: Cortex, project: Path) -> None:
    files = {
        "nul.py": b"x = 1\0",
        "latin.py": "# caf\xe9\nx = 1\n".encode("latin-1"),
        "cookie.py": "# coding: cp1252\nx = '\u201c'\n".encode("cp1252"),
        "utf16.py": "y = 1\n".encode("utf-16"),
        "bom.py": b"\xef\xbb\xbfz = 1\n",
        "odd.py": b"# \x81\x82\xff\n",
        "broken.py": b"def f(:\n",
        "notes.txt": b"text\n",
        "large.py": b"#" * 2_000_001,
    }
    for name, data in files.items():
        (project / name).write_bytes(data)
    os.symlink(project, project / "loop")
    os.symlink(project / "bom.py", project / "link.py")
    report = await cortex.index()
    known = await engine.workspace.database.read(code_facts.known_files)
    assert {path: file.status for path, file in known.items()} == {
        "bom.py": "parsed",
        "broken.py": "degraded",
        "cookie.py": "parsed",
        "large.py": "too_large",
        "latin.py": "parsed",
        "link.py": "unsupported",
        "loop": "unsupported",
        "notes.txt": "unsupported",
        "nul.py": "binary",
        "odd.py": "undecodable",
        "src/api.py": "parsed",
        "src/auth.py": "parsed",
        "utf16.py": "parsed",
    }
    assert report.files == 13
    assert report.skipped == {
        "binary": 1,
        "degraded": 1,
        "too_large": 1,
        "undecodable": 1,
        "unsupported": 3,
    }


async def test_a_name_that_is_no_text_is_indexed(cortex: Cortex, project: Path) -> None:
    place = os.fsencode(project) + b"/caf\xe9.py"
    try:
        with open(place, "w") as file:
            file.write("def served(): ...\n")
    except OSError:
        pytest.skip("this file system wants names that are text")
    await cortex.index()
    answer = await cortex.symbol("served")
    assert answer.symbols[0].file == "caf\\xe9.py"


async def test_an_unreadable_file_does_not_stop_the_index(cortex: Cortex, project: Path) -> None:
    (project / "secret.py").write_text("x = 1\n")
    (project / "secret.py").chmod(0)
    if os.access(project / "secret.py", os.R_OK):
        pytest.skip("this user may read anything")
    report = await cortex.index()
    assert report.skipped == {"degraded": 1}
