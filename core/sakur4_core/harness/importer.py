"""Transcripts into the store: past sessions at once, running ones piece by piece."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final

from sakur4_core.clock import stamp
from sakur4_core.harness import calls, opencode
from sakur4_core.harness.intake import Batch, Intake, Taken, stored_id
from sakur4_core.harness.prepare import prepare
from sakur4_core.harness.reading import GrowingFile, Piece, is_compressed, read_compressed
from sakur4_core.harness.records import (
    Compacted,
    Node,
    Record,
    Skipped,
    Spend,
    Turn,
    Unknown,
)
from sakur4_core.harness.sources import Format, Source, find, reader_of
from sakur4_core.harness.tally import ImportReport, Tally
from sakur4_core.memory.redaction import redact
from sakur4_core.memory.text import storable
from sakur4_core.models import Committed
from sakur4_core.store import harness as sql
from sakur4_core.workspace import Workspace

# Records of a database that go into one transaction.
PIECE_RECORDS: Final = 400
# Of an unknown line, as much is kept as shows what it is.
KEPT_BYTES: Final = 16_384

Progress = Callable[[Path, int, int], None]
"""Told of a file, the bytes of it that were read, and its size."""
Hear = Callable[[Committed], Awaitable[object]]
"""Told of each new turn that a person typed."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import found, the same however often it runs, and how many turns were new."""

    report: ImportReport
    new_episodes: int


class Importer:
    """Takes records in, each turn once, whatever it is read from and how often.

    Args:
        hear: Looks for lasting rules in what a person typed; never fails.
    """

    def __init__(self, workspace: Workspace, hear: Hear) -> None:
        self._workspace = workspace
        self._hear = hear
        self._intake = Intake(workspace.counter.name)
        self._lock = asyncio.Lock()

    async def run(
        self, path: Path, format_: Format | None = None, progress: Progress | None = None
    ) -> Imported:
        """Import a file or every transcript below a folder; again, and nothing changes.

        Args:
            format_: The only kind of transcript to read; None for all.

        Raises:
            InvalidInput: There is no transcript at the path.
        """
        sources = await asyncio.to_thread(find, path, format_)
        tally, added = Tally(), 0
        for source in sources:
            if source.format is Format.SAKUR4:
                continue
            tally.files += 1
            several = len(sources) > 1
            pending = 0
            async for piece in self._pieces(source, sources, progress):
                pending = piece.pending
                tally.add(_named(piece.records, source.path if several else None))
                added += await self.take(source.format, piece)
            tally.pending_bytes += pending
        return Imported(tally.report(), added)

    async def take(self, format_: Format, piece: Piece, *, fresh: bool = True) -> int:
        """Store a piece; return how many episodes it added.

        Raises:
            StoreError: It was not stored; nothing of it was.
        """
        async with self._lock:
            taken = await self._take(format_.value, piece, fresh)
        for committed in taken.typed:
            await self._hear(committed)
        return taken.episodes

    async def _take(self, harness: str, piece: Piece, fresh: bool) -> Taken:
        database = self._workspace.database
        records = await database.read(lambda db: _originals(db, piece.records))
        keys = [record.key for record in records if isinstance(record, Turn)]
        known = await database.read(lambda db: sql.known_turns(db, keys))
        batch = await asyncio.to_thread(
            self._prepared, harness, replace(piece, records=records), known, fresh
        )
        try:
            return await database.write(lambda tx: self._intake.take(tx, batch))
        except BaseException:
            self._intake.forget()
            raise

    def _prepared(self, harness: str, piece: Piece, known: dict[str, int], fresh: bool) -> Batch:
        now = stamp(self._workspace.clock.now())
        turns: dict[str, Turn] = {}
        for record in piece.records:
            if isinstance(record, Turn) and record.key not in known:
                turns.setdefault(record.key, record)
        session_of = {turn.session_id: stored_id(turn.session_id) for turn in turns.values()}
        ready = prepare(
            turns.values(), session_of, self._workspace.ids, self._workspace.counter, now
        )
        spends = calls.merged(record for record in piece.records if isinstance(record, Spend))
        return Batch(
            harness,
            piece.records,
            {prepared.turn.key: prepared for prepared in ready},
            {
                key: calls.price(spend, stored_id(spend.session_id), now)
                for key, spend in spends.items()
            },
            {record.key: _kept(record) for record in piece.records if isinstance(record, Unknown)},
            piece.position,
            fresh,
        )

    async def _pieces(
        self, source: Source, among: list[Source], progress: Progress | None
    ) -> AsyncIterator[Piece]:
        size = source.path.stat().st_size
        pieces = _read(source, among)
        done = 0
        while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
            yield piece
            done += piece.bytes
            if progress is not None:
                progress(source.path, done, size)


def _read(source: Source, among: list[Source]) -> Iterator[Piece]:
    if source.format is Format.OPENCODE:
        records = (
            opencode.read_storage(source.path)
            if source.path.is_dir()
            else opencode.read_database(source.path)
        )
        while some := list(islice(records, PIECE_RECORDS)):
            yield Piece(some, None, 0, 0)
        return
    if is_compressed(source.path):
        yield from read_compressed(source.path, reader_of(source, among))
        return
    file = GrowingFile(source.path, source.format.value, lambda: reader_of(source, among), None)
    while (piece := file.read(at_rest=True)) is not None:
        yield piece
        if not piece.bytes:
            return


def _originals(db: sqlite3.Connection, records: list[Record]) -> list[Record]:
    """Records under the keys of what they copy, however many forks lie between."""
    copies = {
        record.node: record.origin
        for record in records
        if isinstance(record, Node) and record.origin is not None
    }
    if not copies:
        return records
    known = sql.known_nodes(db, copies.values())
    first: dict[str, str] = {}
    for origin in copies.values():
        stored = known[origin][2] if origin in known else None
        first[origin] = stored or copies.get(origin, origin)
    return [_original(record, first) for record in records]


def _original(record: Record, first: dict[str, str]) -> Record:
    if isinstance(record, Node):
        origin = record.origin
        return record if origin is None else replace(record, origin=first[origin])
    if isinstance(record, Turn | Spend | Compacted):
        node, mark, place = record.key.partition("#")
        if first.get(node, node) != node:
            return replace(record, key=first[node] + mark + place)
    return record


def _named(records: Sequence[Record], file: Path | None) -> Iterator[Record]:
    """Records as they are counted: where there are several files, lines say which is theirs."""
    for record in records:
        if file is not None and isinstance(record, Skipped):
            yield replace(record, file=record.file or file.name)
        else:
            yield record


def _kept(line: Unknown) -> str:
    text = line.raw[:KEPT_BYTES].decode("utf-8", "replace")
    return redact(storable(text)[0]).text
