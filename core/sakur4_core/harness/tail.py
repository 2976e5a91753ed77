"""Follows the running sessions of a project as their harnesses write them."""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Final, Protocol

from sakur4_core.clock import Clock
from sakur4_core.errors import Sakur4Error
from sakur4_core.harness import opencode
from sakur4_core.harness.discover import RUNNING, Candidate, Discovery, Homes
from sakur4_core.harness.importer import Importer
from sakur4_core.harness.reading import GrowingFile, Piece
from sakur4_core.harness.sources import Format, Source, described, ordered, reader_of
from sakur4_core.store import harness as sql
from sakur4_core.workspace import Workspace

log = logging.getLogger(__name__)

# A line is in the store within 0.5 s of being written: half of that is for looking.
POLL_S: Final = 0.15
# New files are looked for every third time, old folders every half minute.
LOOK_EVERY: Final = 3
LOOK_EVERYWHERE_EVERY: Final = 200
# How far back a look at a database begins before the last one: its rows are stamped a little
# before they are there to be read.
OVERLAP_MS: Final = 5_000
# Looks that a new Codex file is given to be written past the history that a fork begins with.
SETTLING: Final = 2

Stat = tuple[int, int, int, int]


class Followed(Protocol):
    """A file that is followed."""

    def read(self, *, at_rest: bool) -> Piece | None:
        """What is new, or None."""
        ...


@dataclass(slots=True)
class _Tail:
    """A followed file, as it stood when it was last looked at."""

    candidate: Candidate
    file: Followed
    stat: Stat | None = None
    rested: bool = False
    looks: int = 0


class Follower:
    """Reads what running sessions add, until it is cancelled. One process a project runs it.

    Args:
        homes: Where the harnesses write; the user's own places by default.
    """

    def __init__(
        self, workspace: Workspace, importer: Importer, homes: Homes | None = None
    ) -> None:
        self._workspace = workspace
        self._importer = importer
        self._root = workspace.project.root
        self._discovery = Discovery(self._root, homes or Homes.of(os.environ, Path.home()))
        self._tails: dict[Path, _Tail] = {}
        self._faults: dict[Path, str] = {}
        self._look = 0

    @property
    def degraded(self) -> tuple[str, ...]:
        """Which sessions cannot be followed, and why."""
        return tuple(f"transcript {path.name}: {why}" for path, why in self._faults.items())

    @property
    def following(self) -> tuple[Path, ...]:
        """The files that are followed now."""
        return tuple(sorted(self._tails))

    async def run(self) -> None:
        """Follow until cancelled."""
        while True:
            await self.once()
            await asyncio.sleep(POLL_S)

    async def once(self) -> None:
        """Look for new files if it is time to, and read what the known ones add."""
        if self._look % LOOK_EVERY == 0:
            await self._find(everywhere=self._look % LOOK_EVERYWHERE_EVERY == 0)
        self._look += 1
        for tail in await asyncio.to_thread(self._moved):
            await self._follow(tail)

    async def _find(self, *, everywhere: bool) -> None:
        now = self._workspace.clock.now()
        found = await asyncio.to_thread(self._discovery.candidates, now, everywhere=everywhere)
        new = [candidate for candidate in found if candidate.path not in self._tails]
        for candidate in await asyncio.to_thread(_parents_first, new):
            self._tails[candidate.path] = _Tail(candidate, await self._open(candidate))

    async def _open(self, candidate: Candidate) -> Followed:
        path = candidate.path
        position = await self._workspace.database.read(lambda db: sql.position(db, str(path)))
        if candidate.format is Format.OPENCODE:
            return _LiveDatabase(path, self._root, self._workspace.clock, position)
        if position is None:
            position = await self._moved_from(path)
        source = Source(path, candidate.format)
        return GrowingFile(path, candidate.format.value, lambda: reader_of(source, []), position)

    async def _moved_from(self, path: Path) -> sql.FilePosition | None:
        """The position of a file that had another name when it was last read."""
        try:
            about = path.stat()
        except OSError:
            return None
        known = await self._workspace.database.read(
            lambda db: sql.moved_file(db, about.st_dev, about.st_ino)
        )
        return replace(known[0], path=str(path)) if known else None

    def _moved(self) -> list[_Tail]:
        """The files that changed, and those that rest with a last line that has no end."""
        moved = []
        for path, tail in tuple(self._tails.items()):
            stat = _stat(path)
            if stat is None:
                del self._tails[path]
                self._faults.pop(path, None)
            elif stat != tail.stat:
                tail.stat, tail.rested = stat, False
                moved.append(tail)
            elif not tail.rested:
                tail.rested = True
                moved.append(tail)
        return [tail for tail in moved if _is_settled(tail)]

    async def _follow(self, tail: _Tail) -> None:
        path = tail.candidate.path
        try:
            while piece := await asyncio.to_thread(tail.file.read, at_rest=tail.rested):
                if piece.position is None:
                    break
                await self._importer.take(tail.candidate.format, piece)
                if tail.candidate.format is Format.OPENCODE:
                    break
            self._faults.pop(path, None)
        except Sakur4Error as error:
            await self._again(tail, error.message)
        except Exception as error:
            # A transcript is of others: whatever is in it must not end the others' tails.
            log.exception("the transcript %s could not be read", path)
            await self._again(tail, f"could not be read ({type(error).__name__})")

    async def _again(self, tail: _Tail, why: str) -> None:
        """Go on from what is stored, at the next change at the latest."""
        self._faults[tail.candidate.path] = why
        with suppress(Sakur4Error):
            tail.file = await self._open(tail.candidate)
            tail.stat = None


class _LiveDatabase:
    """opencode's database: rows change in place, so it goes by the time of the last look."""

    def __init__(
        self, path: Path, root: Path, clock: Clock, position: sql.FilePosition | None
    ) -> None:
        self._path = path
        self._root = root
        self._clock = clock
        self._since = position.offset if position is not None else 0

    def read(self, *, at_rest: bool) -> Piece | None:
        """The messages that changed since the last look, as far as they are finished."""
        if at_rest:
            return None
        now = int(self._clock.now().timestamp() * 1000)
        live = opencode.Live(self._root, now - RUNNING // timedelta(milliseconds=1), self._since)
        records = list(opencode.read_database(self._path, live))
        about = self._path.stat()
        self._since = max(0, now - OVERLAP_MS)
        position = sql.FilePosition(
            path=str(self._path),
            harness=Format.OPENCODE.value,
            device=about.st_dev,
            inode=about.st_ino,
            offset=self._since,
            line=0,
            ended=True,
            last_hash="",
            skipped=0,
            state="{}",
        )
        return Piece(records, position, 0, 0)


def _parents_first(found: list[Candidate]) -> list[Candidate]:
    """Files in the order in which they are read: what a fork copied was said in its parent."""
    if len(found) < 2:
        return found
    by_path = {candidate.path: candidate for candidate in found}
    return [by_path[one.path] for one in ordered([described(c.path, c.format) for c in found])]


def _is_settled(tail: _Tail) -> bool:
    """Whether a new file holds enough to tell a fork's own lines from its parent's."""
    tail.looks += 1
    return tail.candidate.format is not Format.CODEX or tail.rested or tail.looks > SETTLING


def _stat(path: Path) -> Stat | None:
    try:
        about = path.stat()
    except OSError:
        return None
    wal = 0
    with suppress(OSError):
        beside = path.with_name(path.name + "-wal").stat()
        wal = beside.st_mtime_ns ^ beside.st_size
    return about.st_ino, about.st_size, about.st_mtime_ns, wal
