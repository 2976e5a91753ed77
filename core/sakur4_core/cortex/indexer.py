"""Brings the stored index up to date with the disk: stat, then hash, then parse, then link."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from sakur4_core.cortex.discovery import Found, among, discover, look
from sakur4_core.cortex.extraction import Job
from sakur4_core.cortex.languages import language_of
from sakur4_core.cortex.linking import Linker
from sakur4_core.cortex.modules import keys_of
from sakur4_core.cortex.parsing import Parsers
from sakur4_core.cortex.preparing import Prepared
from sakur4_core.cortex.units import Unit
from sakur4_core.events import INDEX_PROGRESSED, INDEX_UPDATED
from sakur4_core.models import IndexReport
from sakur4_core.store import code_facts as facts_sql
from sakur4_core.store import cortex as sql
from sakur4_core.store.code_facts import FactChange, FileRow, KnownFile
from sakur4_core.store.cortex import NewUnit
from sakur4_core.store.database import Transaction
from sakur4_core.store.moves import follow_moves, note_moves
from sakur4_core.store.packing import unpack
from sakur4_core.store.status import meta, set_meta
from sakur4_core.workspace import Workspace

T = TypeVar("T")

INDEXED_AT = "indexed_at"
# Moves when extraction or the packed form changes, so that older indexes are built afresh.
FORMAT = 5
FORMAT_KEY = "index_format"
# Dead rows of the full-text index distort its statistics; beyond this many, and more than there
# are live ones, it is built afresh.
MAX_DEAD_ROWS = 2_000
SHOWN_PATHS = 20
PROGRESS_FROM_FILES = 200


@dataclass(frozen=True, slots=True)
class _Done:
    """What a pass has written so far."""

    seen: int = 0
    paths: tuple[str, ...] = ()
    symbols: int = 0
    parsed: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class _Work:
    """What a pass is to do."""

    actor: str
    started: float
    full: bool
    known: Mapping[str, KnownFile]
    changed: tuple[Found, ...]
    removed: tuple[str, ...]


class Indexer:
    """Writes the code index. Every batch of files is one transaction, and may be the last."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._settings = workspace.settings.cortex
        self._format = (
            f"{FORMAT}:{','.join(self._settings.languages)}:{self._settings.max_file_bytes}"
        )
        self._lock = asyncio.Lock()
        self.parsers = Parsers(self._settings.parse_timeout_s)
        self.without_git = ""
        # Counts the passes that changed the index.
        self.updates = 0

    async def index(self, *, full: bool = False, actor: str = "engine") -> IndexReport:
        """Bring every file up to date; ``full`` parses those too that did not change.

        Raises:
            IndexingError: The root is no project.
            StoreError: The index cannot be written.
        """
        database = self._workspace.database
        async with self._lock:
            listing = await asyncio.to_thread(
                discover, self._workspace.project.root, self._settings.ignores
            )
            self.without_git = listing.without_git
            known = await database.read(facts_sql.known_files)
            full = full or await database.read(self._is_outdated)
            if full:
                await database.write(_begin_afresh)
            work = self._plan(listing.files, known, known, actor=actor, full=full)
            done = await self._carry_out(work)
            return await self._report(work, done, len(listing.files))

    async def index_paths(self, paths: Iterable[str], *, actor: str) -> None:
        """Bring these files, and what lies below folders among them, up to date."""
        async with self._lock:
            wanted = frozenset(paths)
            files = await asyncio.to_thread(
                among, self._workspace.project.root, wanted, self._settings.ignores
            )
            known = await self._workspace.database.read(facts_sql.known_files)
            below = tuple(f"{path}/" for path in sorted(wanted))
            concerned = {
                path: file
                for path, file in known.items()
                if path in wanted or path.startswith(below)
            }
            await self._carry_out(self._plan(files, concerned, known, actor=actor))

    async def refresh(self, paths: frozenset[str], unverified: set[str]) -> None:
        """Check known files against the disk; take each from ``unverified`` once it is."""
        root = self._workspace.project.root
        known = await self._workspace.database.read(
            lambda db: {path: facts_sql.known_file(db, path) for path in sorted(paths)}
        )
        found = await asyncio.to_thread(lambda: {path: look(root, path) for path in known})
        changed = []
        for path, file in known.items():
            if file is None or _same(file, found[path]):
                unverified.discard(path)
            else:
                changed.append(path)
        for path in changed:
            async with self._lock:
                await self._refresh_one(path)
            unverified.discard(path)

    async def _refresh_one(self, path: str) -> None:
        """Check one file; another pass may have written it while this one waited its turn."""
        file = await self._workspace.database.read(lambda db: facts_sql.known_file(db, path))
        at = await asyncio.to_thread(look, self._workspace.project.root, path)
        if file is not None and not _same(file, at):
            files = {} if at is None else {path: at}
            await self._carry_out(self._plan(files, {path: file}, {path: file}, actor="engine"))

    def _is_outdated(self, db: sqlite3.Connection) -> bool:
        """Whether the whole index has to be built afresh."""
        live, rows = sql.word_rows(db)
        too_many_dead = rows - live > max(MAX_DEAD_ROWS, live)
        return too_many_dead or meta(db, FORMAT_KEY) != self._format

    def _plan(
        self,
        files: Mapping[str, Found],
        concerned: Mapping[str, KnownFile],
        known: Mapping[str, KnownFile],
        *,
        actor: str,
        full: bool = False,
    ) -> _Work:
        """What makes the store hold ``files`` and of ``concerned`` nothing else."""
        changed = (
            file
            for path, file in sorted(files.items())
            if full or path not in known or not _same(known[path], file)
        )
        removed = tuple(sorted(concerned.keys() - files.keys()))
        started = self._workspace.clock.monotonic()
        return _Work(actor, started, full, known, tuple(changed), removed)

    async def _carry_out(self, work: _Work) -> _Done:
        """Write in batches; the last write of all dates the index and tells of it."""
        done = _Done()
        linker = Linker()
        jobs = [self._job(found) for found in work.changed]
        last: Sequence[Prepared] = ()
        async for parsed in self.parsers.batches(jobs):
            if last:
                done = await self._write(partial(self._apply, work, done, last))
            last = parsed
        done, more = await self._write(partial(self._finish, work, done, last, linker))
        self.updates += bool(done.paths)
        while more:
            done, more = await self._write(partial(self._finish, work, done, (), linker))
        return done

    async def _write(self, step: Callable[[Transaction], T]) -> T:
        return await self._workspace.database.write(step)

    def _job(self, found: Found) -> Job:
        language = language_of(found.path, self._settings.languages)
        name = None if language is None else language.name
        return Job(found, name, self._settings.max_file_bytes)

    def _apply(
        self, work: _Work, done: _Done, parsed: Sequence[Prepared], tx: Transaction
    ) -> _Done:
        """Write one batch of files."""
        kept: list[Prepared] = []
        written: list[Prepared] = []
        for file in parsed:
            old = work.known.get(file.path)
            same = old is not None and (old.hash, old.status) == (file.hash, file.status)
            (kept if same and not work.full else written).append(file)
        facts_sql.touch_files(
            tx, ((file.path, file.size, file.stamp_ns, file.hash) for file in kept)
        )
        put(tx, written, work.known)
        seen = done.seen + len(parsed)
        if parsed and len(work.changed) >= PROGRESS_FROM_FILES:
            detail = {"done": seen, "total": len(work.changed)}
            tx.emit(INDEX_PROGRESSED, actor=work.actor, detail=detail)
        return _Done(
            seen,
            (*done.paths, *(file.path for file in written)),
            done.symbols + sum(len(file.facts) for file in written),
            done.parsed + sum(1 for file in written if file.facts),
            done.removed,
        )

    def _finish(
        self,
        work: _Work,
        done: _Done,
        parsed: Sequence[Prepared],
        linker: Linker,
        tx: Transaction,
    ) -> tuple[_Done, bool]:
        """Write the last batch, remove what is gone, link; when all is linked, date the index."""
        done = self._apply(work, done, parsed, tx)
        if done.removed < len(work.removed):
            remove(tx, {path: work.known[path] for path in work.removed})
            paths = (*done.paths, *work.removed)
            done = replace(done, paths=paths, removed=len(work.removed))
        if linker.link(tx):
            return done, True
        follow_moves(tx)
        if work.full:
            set_meta(tx.db, FORMAT_KEY, self._format)
        if done.paths or meta(tx.db, INDEXED_AT) is None:
            set_meta(tx.db, INDEXED_AT, tx.now())
            elapsed = (self._workspace.clock.monotonic() - work.started) * 1000
            tx.emit(
                INDEX_UPDATED,
                actor=work.actor,
                detail={
                    "paths": list(done.paths[:SHOWN_PATHS]),
                    "files": len(done.paths),
                    "symbols": done.symbols,
                    "removed": done.removed,
                    "ms": round(elapsed, 1),
                },
            )
        return done, False

    async def _report(self, work: _Work, done: _Done, files: int) -> IndexReport:
        coverage = await self._workspace.database.read(sql.coverage)
        return IndexReport(
            files=files,
            parsed=done.parsed,
            unchanged=files - len(done.paths) + done.removed,
            removed=done.removed,
            facts=done.symbols,
            edges=await self._workspace.database.read(sql.edge_count),
            skipped={status: n for status, n in coverage.items() if status != "parsed"},
            elapsed_ms=(self._workspace.clock.monotonic() - work.started) * 1000,
        )


def _begin_afresh(tx: Transaction) -> None:
    """Empty the words; until the pass is complete, the index counts as outdated."""
    sql.clear_words(tx)
    set_meta(tx.db, FORMAT_KEY, "")


def _same(known: KnownFile, found: Found | None) -> bool:
    return found is not None and (known.size, known.stamp_ns) == (found.size, found.stamp_ns)


def put(tx: Transaction, files: Sequence[Prepared], known: Mapping[str, KnownFile]) -> None:
    """Write files with their facts and units, and have whom they concern linked again."""
    rows = [
        FileRow(
            file.path, file.language, file.hash, file.size, file.stamp_ns, file.status,
            file.detail, file.package,
        )
        for file in files
    ]  # fmt: skip
    ids = facts_sql.put_files(tx, rows, known)
    concerned: set[str] = set()
    units: list[NewUnit] = []
    gone: list[int] = []
    new = [(at, file) for at, file in zip(ids, files, strict=True) if file.path not in known]
    for file_id, file in zip(ids, files, strict=True):
        if file.path in known:
            change = facts_sql.replace_facts(tx, file_id, file.facts)
            concerned |= _names_changed(tx, file, change.rows)
            note_moves(tx, change.gone, change.new)
            if file.surface:
                units.append(_unit(file_id, file, change))
            else:
                gone.append(file_id)
    changes = facts_sql.insert_facts(tx, [(file_id, file.facts) for file_id, file in new])
    note_moves(tx, (), [fact for change in changes for fact in change.new])
    for (file_id, file), change in zip(new, changes, strict=True):
        concerned |= keys_of(file.path) | {fact.name for fact in change.new}
        if file.surface:
            units.append(_unit(file_id, file, change))
    sql.delete_units(tx, gone)
    sql.put_units(tx, units)
    sql.relink_askers(tx, concerned)


def remove(tx: Transaction, files: Mapping[str, KnownFile]) -> None:
    """Take files out of the index."""
    concerned: set[str] = set()
    ids = [file.file_id for file in files.values()]
    for path, file in files.items():
        gone = facts_sql.replace_facts(tx, file.file_id, ()).gone
        concerned |= keys_of(path) | {fact.name for fact in gone}
        note_moves(tx, gone, ())
    sql.delete_units(tx, ids)
    facts_sql.delete_files(tx, ids)
    sql.relink_askers(tx, concerned)


def _unit(file_id: int, file: Prepared, change: FactChange) -> NewUnit:
    assert file.words is not None
    return NewUnit(file_id, change.rows, change.fresh, file.surface, file.uses, file.words)


def _names_changed(tx: Transaction, file: Prepared, rows: Sequence[int]) -> set[str]:
    """The names that mean something else in a file now, by the unit that is still stored.

    Args:
        rows: The row of each fact of the file now.
    """
    before = sql.unit(tx.db, file.path)
    old = set() if before is None else _exposed(before.path, before.language, before.surface)
    new: set[tuple[str, str]] = set()
    if file.surface and file.language is not None:
        new = _exposed(file.path, file.language, unpack(file.surface))
    names = {name for name, _ in old ^ new}
    if before is not None:
        names |= _otherwise_held(zip(before.surface[1], before.rows, strict=True), file, rows)
    return names | keys_of(file.path) if (before is None) == bool(file.surface) else names


def _otherwise_held(
    before: Iterable[tuple[str, int]], file: Prepared, rows: Sequence[int]
) -> set[str]:
    """The names that still stand in a file, and of which other facts are known now."""
    old, new = defaultdict(list), defaultdict(list)
    for name, row in before:
        old[name].append(row)
    for fact, row in zip(file.facts, rows, strict=True):
        new[fact.name].append(row)
    return {name for name in old.keys() & new.keys() if old[name] != new[name]}


def _exposed(path: str, language: str, surface: object) -> set[tuple[str, str]]:
    return set(Unit(path, language, (), surface).exposed())
