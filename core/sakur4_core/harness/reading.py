"""Growing files of lines, read piece by piece; where each piece ended can be gone on from."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from sakur4_core.harness.compressed import SUFFIX, chunks
from sakur4_core.harness.lines import LineSplitter, mapping
from sakur4_core.harness.records import Line, LineReader, Record, Skipped
from sakur4_core.store.harness import FilePosition

# A piece is stored in one transaction: large enough to be quick, small enough to stop anywhere.
PIECE_BYTES: Final = 1 << 20
READ_BYTES: Final = 1 << 18
# Bytes before a position that tell whether the file is still the one that was read.
MARK_BYTES: Final = 4_096


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of lines as records, and how far the file is read with them.

    Attributes:
        position: None for a compressed file, which is always read whole.
        pending: Bytes behind it that are no whole line yet.
    """

    records: list[Record]
    position: FilePosition | None
    pending: int
    bytes: int


class GrowingFile:
    """A transcript that may grow, shrink, be replaced or vanish between two looks.

    Args:
        fresh: Makes a reader for the file's beginning.
        position: Where an earlier reading stopped.
    """

    def __init__(
        self,
        path: Path,
        harness: str,
        fresh: Callable[[], LineReader],
        position: FilePosition | None,
    ) -> None:
        self.path = path
        self._harness = harness
        self._fresh = fresh
        self._reader: LineReader | None = None
        self._position = position
        self._splitter = LineSplitter()

    def read(self, *, at_rest: bool) -> Piece | None:
        """The next piece; None where there is nothing new, or no file any more.

        Args:
            at_rest: Whether a last line without its end is taken if it is whole.
        """
        try:
            with self.path.open("rb") as stream:
                return self._read(stream, at_rest)
        except OSError:
            return None

    def _read(self, stream: BinaryIO, at_rest: bool) -> Piece | None:
        about = os.fstat(stream.fileno())
        reader = self._reader
        if reader is None or not self._same(stream, about):
            reader = self._begin(stream, about)
        start = self._splitter.offset
        stream.seek(start)
        splitter = LineSplitter(start, self._splitter.number, ended=self._splitter.ended)
        self._splitter = splitter
        records: list[Record] = []
        lines = 0
        while splitter.offset - start < PIECE_BYTES and (chunk := stream.read(READ_BYTES)):
            for line in splitter.feed(chunk):
                lines += 1
                records.extend(reader.read(line))
        if at_rest and (last := splitter.rest()) is not None:
            lines += 1
            records.extend(reader.read(last))
        if not lines and splitter.offset == start:
            return Piece([], None, len(splitter.pending), 0) if splitter.pending.strip() else None
        position = self._note(stream, about, reader, records)
        return Piece(records, position, len(splitter.pending.strip()), splitter.offset - start)

    def _begin(self, stream: BinaryIO, about: os.stat_result) -> LineReader:
        """A reader for where the position is, or for the beginning if that is in doubt."""
        self._reader = reader = self._fresh()
        position = self._position
        if position is None or not self._same(stream, about):
            self._position = None
            self._splitter = LineSplitter()
            return reader
        reader.restore(mapping(json.loads(position.state)))
        self._splitter = LineSplitter(position.offset, position.line, ended=position.ended)
        return reader

    def _same(self, stream: BinaryIO, about: os.stat_result) -> bool:
        """Whether the file is the one that was read, and holds what was read of it."""
        position = self._position
        return (
            position is not None
            and (about.st_dev, about.st_ino) == (position.device, position.inode)
            and about.st_size >= position.offset
            and _mark(stream, position.offset) == position.last_hash
        )

    def _note(
        self,
        stream: BinaryIO,
        about: os.stat_result,
        reader: LineReader,
        records: list[Record],
    ) -> FilePosition:
        skipped = sum(isinstance(record, Skipped) for record in records)
        before = self._position
        self._position = FilePosition(
            path=str(self.path),
            harness=self._harness,
            device=about.st_dev,
            inode=about.st_ino,
            offset=self._splitter.offset,
            line=self._splitter.number,
            ended=self._splitter.ended,
            last_hash=_mark(stream, self._splitter.offset),
            skipped=skipped + (before.skipped if before else 0),
            state=json.dumps(reader.state(), ensure_ascii=True, separators=(",", ":")),
        )
        return self._position


def read_compressed(path: Path, reader: LineReader) -> Iterator[Piece]:
    """The pieces of a compressed file."""
    splitter = LineSplitter()
    start = 0
    for chunk in chunks(path):
        records: list[Record] = []
        for line in splitter.feed(chunk):
            records.extend(reader.read(line))
        if records:
            yield Piece(records, None, 0, splitter.offset - start)
            start = splitter.offset
    last: Line | None = splitter.rest()
    records = [] if last is None else list(reader.read(last))
    yield Piece(records, None, len(splitter.pending.strip()), splitter.offset - start)


def is_compressed(path: Path) -> bool:
    """Whether a file is read through a decompressor."""
    return path.suffix == SUFFIX


def _mark(stream: BinaryIO, offset: int) -> str:
    """A mark of the bytes before ``offset``."""
    start = max(0, offset - MARK_BYTES)
    stream.seek(start)
    return hashlib.blake2b(stream.read(offset - start), digest_size=12).hexdigest()
