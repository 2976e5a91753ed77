"""Which files belong to a project: what git tracks or would not ignore."""

from __future__ import annotations

import os
import re
import stat
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from sakur4_core.errors import IndexingError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

GIT_TIMEOUT_S = 60
# A repository's own configuration is untrusted: this key names a program that git would run.
GIT = ("git", "--no-optional-locks", "-c", "core.fsmonitor=false")
LIST = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
IGNORED = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
# Variables that a hook's environment carries and that would point git at another repository.
GIT_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")
_ESCAPED_BYTE = re.compile(r"\\x([89a-f][0-9a-f])")
NEVER = frozenset({".git", ".hg", ".svn"})


@dataclass(frozen=True, slots=True)
class Found:
    """One file of the project.

    Attributes:
        path: Relative, with slashes, always valid text.
        place: The absolute path as the system knows it.
        stamp_ns: The later of its times of change.
        link: Whether it is a symbolic link; links are listed and not followed.
    """

    path: str
    place: str
    size: int
    stamp_ns: int
    link: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a project by path, and why git could not be asked, or an empty text."""

    files: dict[str, Found]
    without_git: str


def refuse_too_wide(root: Path) -> None:
    """Raise where ``root`` is no project but a whole home folder or file system.

    Raises:
        IndexingError: It is one of these.
    """
    home = Path("~").expanduser().resolve()
    if root == home or root == Path(root.anchor) or root in home.parents:
        raise IndexingError(
            f"{root} is too wide to index: it is, or holds, a home folder.",
            "Name one project's folder with --project.",
        )


def discover(root: Path, ignores: tuple[str, ...] = ()) -> Listing:
    """List the project's files, sorted by path.

    Args:
        ignores: The user's own patterns, in gitignore's form.

    Raises:
        IndexingError: The root is too wide, or cannot be read.
    """
    refuse_too_wide(root)
    if not root.is_dir():
        raise IndexingError(f"{root} is not a directory.", "Name a folder with --project.")
    names, problem = _ask_git(root, LIST, [])
    if names is None:
        names = list(_walk(root))
    return Listing(_look_at(root, names, ignores), problem)


def among(root: Path, paths: Iterable[str], ignores: tuple[str, ...] = ()) -> dict[str, Found]:
    """Those of ``paths``, or of what lies below them, that belong to the project."""
    names, _ = _ask_git(root, LIST, sorted(paths))
    if names is None:
        wanted = frozenset(paths)
        below = tuple(f"{path}/" for path in sorted(wanted))
        names = [name for name in _walk(root) if name in wanted or name.startswith(below)]
    return _look_at(root, names, ignores)


def folders(root: Path, ignores: tuple[str, ...] = ()) -> list[str]:
    """Every folder that files of the project stand in, or may come to; the root is empty."""
    names, _ = _ask_git(root, IGNORED, [])
    if names is None:
        found = [path for path, is_folder in _entries(root) if is_folder]
    else:
        ignored = frozenset(name.rstrip("/") for name in names if name.endswith("/"))
        found = list(_folders(root, ignored))
    spec = _spec(ignores) if ignores else None
    return ["", *(path for path in found if spec is None or not spec.match_file(path + "/"))]


def look(root: Path, path: str) -> Found | None:
    """One file as it stands on disk now, by the path it is listed by, or None."""
    found = _look_at(root, [path], ()).get(path)
    if found is None and "\\x" in path:
        found = _look_at(root, [_name_on_disk(path)], ()).get(path)
    return found


def _ask_git(
    root: Path, question: tuple[str, ...], paths: list[str]
) -> tuple[list[str] | None, str]:
    environment = {k: v for k, v in os.environ.items() if k not in GIT_VARIABLES}
    environment["GIT_LITERAL_PATHSPECS"] = "1"
    if not (root / ".git").exists():
        return None, "no git repository"
    try:
        done = subprocess.run(
            [*GIT, *question, *(("--", *paths) if paths else ())],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_TIMEOUT_S,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        lines = error.stderr.decode("utf-8", "replace").strip().splitlines()
        return None, f"git failed: {lines[0]}" if lines else "git failed"
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, f"git cannot be asked: {type(error).__name__}"
    return [os.fsdecode(name) for name in done.stdout.split(b"\0") if name], ""


def _folders(root: Path, ignored: frozenset[str]) -> Iterator[str]:
    """The folders below the root, without those that git leaves out."""
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name in NEVER or path in ignored:
                continue
            if entry.is_dir(follow_symlinks=False):
                pending.append(path)
                yield path


def _walk(root: Path) -> Iterator[str]:
    """Every file's relative path, by gitignore's rules as a library reads them."""
    return (path for path, is_folder in _entries(root) if not is_folder)


def _entries(root: Path) -> Iterator[tuple[str, bool]]:
    """Every path that is not ignored, and whether it is a folder."""
    pending: list[tuple[str, tuple[tuple[str, GitIgnoreSpec], ...]]] = [("", ())]
    while pending:
        folder, specs = pending.pop()
        here = root / folder
        specs = (*specs, *_own_spec(here, folder))
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.name in NEVER or _ignored(path, is_folder, specs):
                continue
            if is_folder:
                pending.append((path, specs))
            yield path, is_folder


def _own_spec(here: Path, folder: str) -> tuple[tuple[str, GitIgnoreSpec], ...]:
    try:
        rules = (here / ".gitignore").read_text("utf-8", errors="replace")
    except OSError:
        return ()
    return ((folder, _spec(tuple(rules.splitlines()))),)


def _ignored(path: str, is_folder: bool, specs: tuple[tuple[str, GitIgnoreSpec], ...]) -> bool:
    """The nearest rule that speaks of the path decides, as with git."""
    for folder, spec in reversed(specs):
        inner = path[len(folder) :].lstrip("/") + ("/" if is_folder else "")
        said = spec.check_file(inner).include
        if said is not None:
            return said
    return False


@lru_cache(maxsize=64)
def _spec(lines: tuple[str, ...]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(lines)


def _name_on_disk(path: str) -> str:
    """The name behind a listed path whose bytes are no valid text."""
    return _ESCAPED_BYTE.sub(lambda match: chr(0xDC00 + int(match[1], 16)), path)


def _look_at(root: Path, names: Iterable[str], ignores: tuple[str, ...]) -> dict[str, Found]:
    spec = _spec(ignores) if ignores else None
    found = {}
    for name in sorted(set(names)):
        place = f"{root}/{name}"
        try:
            seen = os.lstat(place)
        except (OSError, ValueError):
            continue
        link = stat.S_ISLNK(seen.st_mode)
        if not link and not stat.S_ISREG(seen.st_mode):
            continue
        # Names need not be valid text; what the store and the screen get always is.
        path = os.fsencode(name).decode("utf-8", "backslashreplace")
        if spec is not None and spec.match_file(path):
            continue
        stamp = max(seen.st_mtime_ns, seen.st_ctime_ns)
        found[path] = Found(path, place, seen.st_size, stamp, link)
    return found
