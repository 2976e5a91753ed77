"""Brings the stored index up to date with the disk: stat, then hash, then parse, then link."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from sakur4_core.cortex import linking
from sakur4_core.cortex.discovery import Found, among, discover, look
from sakur4_core.cortex.extraction import Job
from sakur4_core.cortex.languages import language_of
from sakur4_core.cortex.model import Definition, ParsedFile
from sakur4_core.cortex.parsing import parse_batches
from sakur4_core.cortex.resolution import pack_scopes, pack_uses
from sakur4_core.events import INDEX_PROGRESSED, INDEX_UPDATED
from sakur4_core.memory.ledger import natural_id
from sakur4_core.models import Fact, FactKind, IndexReport
from sakur4_core.store import code_facts as facts_sql
from sakur4_core.store import cortex as sql
from sakur4_core.store.code_facts import KnownFile
from sakur4_core.store.database import Transaction
from sakur4_core.store.status import meta, set_meta
from sakur4_core.words import search_text
from sakur4_core.workspace import Workspace

T = TypeVar("T")

INDEXED_AT = "indexed_at"
# Moves when extraction or the packed form changes, so that older indexes are built afresh.
FORMAT = 1
FORMAT_KEY = "index_format"
# Dead rows of the full-text index distort its statistics; beyond this many, and more than there
# are live ones, it is built afresh.
MAX_DEAD_ROWS = 2_000
SHOWN_PATHS = 20
PROGRESS_FROM_FILES = 200
SCOPE = "project"


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
        self.without_git = ""

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
        changed = {}
        for path, file in known.items():
            if file is None or _same(file, found[path]):
                unverified.discard(path)
            else:
                changed[path] = file
        for path, file in changed.items():
            at = found[path]
            files = {} if at is None else {path: at}
            async with self._lock:
                await self._carry_out(
                    self._plan(files, {path: file}, {path: file}, actor="engine")
                )
            unverified.discard(path)

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
        jobs = [self._job(found) for found in work.changed]
        last: Sequence[ParsedFile] = ()
        async for parsed in parse_batches(jobs, self._settings.parse_timeout_s):
            if last:
                done = await self._write(partial(self._apply, work, done, last))
            last = parsed
        done, more = await self._write(partial(self._finish, work, done, last))
        while more:
            done, more = await self._write(partial(self._finish, work, done, ()))
        return done

    async def _write(self, step: Callable[[Transaction], T]) -> T:
        return await self._workspace.database.write(step)

    def _job(self, found: Found) -> Job:
        language = language_of(found.path, self._settings.languages)
        name = None if language is None else language.name
        return Job(found, name, self._settings.max_file_bytes)

    def _apply(
        self, work: _Work, done: _Done, parsed: Sequence[ParsedFile], tx: Transaction
    ) -> _Done:
        """Write one batch of files."""
        paths, symbols, with_facts = list(done.paths), done.symbols, done.parsed
        for file in parsed:
            old = work.known.get(file.path)
            same = old is not None and (old.hash, old.status) == (file.hash, file.status)
            if same and not work.full:
                facts_sql.touch_file(tx, file.path, file.size, file.stamp_ns)
                continue
            paths.append(file.path)
            symbols += _put(tx, file)
            with_facts += bool(file.definitions)
        seen = done.seen + len(parsed)
        if parsed and len(work.changed) >= PROGRESS_FROM_FILES:
            detail = {"done": seen, "total": len(work.changed)}
            tx.emit(INDEX_PROGRESSED, actor=work.actor, detail=detail)
        return _Done(seen, tuple(paths), symbols, with_facts, done.removed)

    def _finish(
        self, work: _Work, done: _Done, parsed: Sequence[ParsedFile], tx: Transaction
    ) -> tuple[_Done, bool]:
        """Write the last batch, remove what is gone, link; when all is linked, date the index."""
        done = self._apply(work, done, parsed, tx)
        if done.removed < len(work.removed):
            for path in work.removed:
                _remove(tx, work.known[path].file_id)
            paths = (*done.paths, *work.removed)
            done = replace(done, paths=paths, removed=len(work.removed))
        if linking.link(tx):
            return done, True
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


def _put(tx: Transaction, file: ParsedFile) -> int:
    """Write one file with its facts and its unit; return the number of facts."""
    file_id = facts_sql.put_file(
        tx,
        path=file.path,
        language=file.language,
        hash=file.hash,
        size=file.size,
        stamp_ns=file.stamp_ns,
        status=file.status,
        detail=file.detail,
    )
    facts = [(definition.name, _fact(file.path, definition)) for definition in file.definitions]
    change = facts_sql.replace_facts(tx, file_id, facts)
    sql.unlink_users(tx, change.names, change.surfaces)
    if file.definitions:
        names = " ".join(d.name for d in file.definitions if d.kind is not FactKind.IMPORT)
        sql.put_unit(
            tx,
            file_id,
            scopes=pack_scopes(file.definitions, change.rows, file.scopes),
            uses=pack_uses(file.references),
            fresh=change.fresh,
            words=(search_text(file.path), search_text(names), file.search_text),
        )
    else:
        sql.delete_unit(tx, file_id)
    return len(facts)


def _remove(tx: Transaction, file_id: int) -> None:
    sql.delete_unit(tx, file_id)
    change = facts_sql.replace_facts(tx, file_id, ())
    sql.unlink_users(tx, change.names, change.surfaces)
    facts_sql.delete_file(tx, file_id)


def _fact(path: str, definition: Definition) -> Fact:
    return Fact(
        fact_id=natural_id(
            "code", path, definition.kind, definition.qualified_name, definition.ordinal
        ),
        kind=definition.kind,
        qualified_name=definition.qualified_name,
        file_path=path,
        line_start=definition.line_start,
        line_end=definition.line_end,
        signature=definition.signature,
        value=definition.value,
        interface_hash=definition.interface_hash,
        body_hash=definition.body_hash,
        source="tree-sitter",
        scope=SCOPE,
    )
