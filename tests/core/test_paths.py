"""Which project a folder is, and where its things stand."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from sakur4_core.errors import ConfigError
from sakur4_core.paths import Home, find_root, identify, registered


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)


def test_a_folder_inside_a_work_tree_belongs_to_its_root(project: Path) -> None:
    assert find_root(project / "src") == project


@pytest.mark.parametrize("name", ["missing", "file"])
def test_a_project_must_be_a_directory(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="--project"):
        find_root(tmp_path / name)


def test_a_moved_checkout_keeps_its_identity(project: Path, home: Home, tmp_path: Path) -> None:
    before = identify(project, home)
    moved = project.rename(tmp_path / "moved")
    after = identify(moved, home)
    assert after.project_id == before.project_id
    assert registered(home)[after.project_id] == moved


def test_a_copy_beside_its_original_gets_its_own(
    project: Path, home: Home, tmp_path: Path
) -> None:
    before = identify(project, home)
    copy = shutil.copytree(project, tmp_path / "copy")
    fresh = identify(copy, home)
    assert fresh.project_id != before.project_id
    assert identify(project, home) == before
    assert identify(copy, home) == fresh


def test_field_defect_21_a_work_tree_has_an_identity_of_its_own(
    project: Path, home: Home, tmp_path: Path
) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.invalid")
    git("-C", str(project), "add", ".")
    git("-C", str(project), *who, "commit", "-qm", "first")
    git("-C", str(project), "worktree", "add", "-q", str(tmp_path / "tree"))
    assert identify(tmp_path / "tree", home) != identify(project, home)
    assert identify(tmp_path / "tree", home).project_id != identify(project, home).project_id


def test_field_defect_03_folders_of_the_same_name_are_two_projects(
    tmp_path: Path, home: Home
) -> None:
    ids = set()
    for parent in ("a", "b"):
        root = tmp_path / parent / "app"
        root.mkdir(parents=True)
        ids.add(identify(root, home).project_id)
    assert len(ids) == 2


def test_without_git_the_path_is_the_identity(tmp_path: Path, home: Home) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    assert identify(root, home) == identify(root, home)
    assert list(root.iterdir()) == []
