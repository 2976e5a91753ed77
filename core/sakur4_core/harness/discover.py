"""Where the running sessions of a project write."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Final

from sakur4_core.errors import InvalidInput
from sakur4_core.harness.codex_fork import HEAD_LINES
from sakur4_core.harness.lines import mapping, text
from sakur4_core.harness.sources import Format, entries

# A session that was silent for longer is taken for past; `import` reads those.
RUNNING: Final = timedelta(hours=12)
# Claude Code cuts longer folder names and puts a hash behind that others cannot compute.
SLUG_CHARS: Final = 200
# Days of Codex's folders that are looked into often; all of them are now and then.
RECENT_DAYS: Final = 2


@dataclass(frozen=True, slots=True)
class Homes:
    """The folders that the harnesses of this user write to."""

    claude: tuple[Path, ...]
    codex: Path
    opencode: tuple[Path, ...]
    claude_folder: str | None = None

    @classmethod
    def of(cls, environment: Mapping[str, str], home: Path) -> Homes:
        """As the harnesses themselves find them."""
        named = environment.get("CLAUDE_CONFIG_DIR")
        claude = [Path(named) if named else home / ".claude", home / ".config" / "claude"]
        data = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share") / "opencode"
        database = environment.get("OPENCODE_DB")
        return cls(
            tuple(folder / "projects" for folder in claude),
            Path(environment.get("CODEX_HOME") or home / ".codex"),
            (data, *((data / database,) if database else ())),
            environment.get("CLAUDE_CODE_PROJECT_DIR_NAME") if named else None,
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that a session of this project may write to."""

    path: Path
    format: Format


def slug(folder: Path) -> str:
    """The name that Claude Code gives a project's folder, cut where it would cut it."""
    name = unicodedata.normalize("NFC", str(folder))
    return re.sub(r"[^a-zA-Z0-9]", "-", name)[:SLUG_CHARS]


class Discovery:
    """Finds the files of one project's sessions."""

    def __init__(self, root: Path, homes: Homes) -> None:
        self._root = root.resolve()
        self._homes = homes
        self._ours: dict[Path, bool] = {}
        # Files that did not say yet where they belong, with the sizes they had.
        self._silent: dict[Path, int] = {}

    def candidates(self, now: datetime, *, everywhere: bool) -> list[Candidate]:
        """The files that were written lately, in a fixed order.

        Args:
            everywhere: Whether to look into old folders too, which takes longer.
        """
        oldest = (now - RUNNING).timestamp()
        found = [
            *self._claude(oldest),
            *self._codex(now, everywhere=everywhere),
            *self._opencode(),
        ]
        return [one for one in found if _written_after(one, oldest) and self._is_ours(one)]

    def _claude(self, oldest: float) -> Iterator[Candidate]:
        start = slug(self._root)
        for projects in self._homes.claude:
            for folder in _folders(projects):
                if folder.name.startswith(start) or folder.name == self._homes.claude_folder:
                    yield from _sessions_in(folder, oldest)

    def _codex(self, now: datetime, *, everywhere: bool) -> Iterator[Candidate]:
        sessions = self._homes.codex / "sessions"
        if everywhere:
            files = sorted(sessions.glob("*/*/*/*.jsonl"))
        else:
            # Folders go by local time, files by when a session began.
            days = (now.astimezone() + timedelta(days=1 - age) for age in range(RECENT_DAYS + 1))
            folders = [sessions / f"{day:%Y}" / f"{day:%m}" / f"{day:%d}" for day in days]
            files = [file for folder in folders for file in sorted(folder.glob("*.jsonl"))]
        for file in files:
            yield Candidate(file, Format.CODEX)

    def _opencode(self) -> Iterator[Candidate]:
        for place in self._homes.opencode:
            files = sorted(place.glob("opencode*.db")) if place.is_dir() else [place]
            for file in files:
                if file.is_file():
                    yield Candidate(file, Format.OPENCODE)

    def _is_ours(self, candidate: Candidate) -> bool:
        """Whether a file tells of this project; asked again until it says where it belongs."""
        if candidate.format is Format.OPENCODE:
            return True  # Its sessions are told apart one by one.
        path = candidate.path
        if path not in self._ours:
            with suppress(OSError):
                size = path.stat().st_size
                if self._silent.get(path) == size:
                    return False
                self._silent[path] = size
            where = _working_folder(path)
            if where is None:
                return False
            self._silent.pop(path, None)
            self._ours[path] = self._holds(where)
        return self._ours[path]

    def _holds(self, where: str) -> bool:
        folder = Path(where)
        if folder.is_relative_to(self._root):
            return True
        with suppress(OSError, RuntimeError):
            return folder.resolve().is_relative_to(self._root)
        return False


def _working_folder(path: Path) -> str | None:
    """The folder that a transcript's first lines name, or None."""
    try:
        for entry in islice(entries(path), HEAD_LINES):
            where = text(entry.get("cwd")) or text(mapping(entry.get("payload")).get("cwd"))
            if where is not None:
                return where
    except InvalidInput:
        pass
    return None


def _sessions_in(folder: Path, oldest: float) -> Iterator[Candidate]:
    """The main threads of a project's folder; and subagents, of those that were written lately."""
    for file in sorted(folder.glob("*.jsonl")):
        main = Candidate(file, Format.CLAUDE_CODE)
        yield main
        if _written_after(main, oldest):
            for beside in sorted((folder / file.stem / "subagents").glob("**/*.jsonl")):
                yield Candidate(beside, Format.CLAUDE_CODE)


def _written_after(candidate: Candidate, moment: float) -> bool:
    path, newest = candidate.path, 0.0
    # A database in WAL mode is written to beside itself first.
    beside = [path.with_name(path.name + "-wal")] if candidate.format is Format.OPENCODE else []
    for file in (path, *beside):
        with suppress(OSError):
            newest = max(newest, file.stat().st_mtime)
    return newest >= moment


def _folders(parent: Path) -> list[Path]:
    try:
        return sorted(Path(entry.path) for entry in os.scandir(parent) if entry.is_dir())
    except OSError:
        return []
