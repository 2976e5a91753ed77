"""A process of its own that brings the saved view of a store's turns up to date.

Stems and vectors of a hundred thousand turns take many seconds of the interpreter's lock;
here they hold nobody up. It ends with the process that started it, whose pipe is its input.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from filelock import FileLock, Timeout

from sakur4_core.errors import EmbeddingError
from sakur4_core.recall.meanings import Meanings, lesson
from sakur4_core.recall.snapshot import Snapshot, load, save
from sakur4_core.recall.turn_index import TurnIndex, indexed_text
from sakur4_core.store import recall as sql
from sakur4_core.store.connection import configure

LOCK = "lock"
DONE, BUSY = 0, 3
PAGE = 500
# So many terms wait behind the arrays before they are worked in; about 100 MB.
TAIL_TERMS = 4_000_000


def build(store: Path, views: Path, *, embedded: bool) -> int:
    """Write the view; ``BUSY`` where another process does so already."""
    views.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with (
            FileLock(views / LOCK, timeout=0),
            closing(sqlite3.connect(store, isolation_level=None)) as db,
        ):
            configure(db, read_only=True)
            _update(db, views, embedded)
    except Timeout:
        return BUSY
    return DONE


def _update(db: sqlite3.Connection, views: Path, embedded: bool) -> None:
    mark = sql.mark(db)
    snapshot = _saved(db, views, mark, embedded) or Snapshot(redactions=mark.redactions)
    meanings, snapshot.meanings = snapshot.meanings, None
    for page in _pages(db, snapshot.index.last_seq, mark.last_seq):
        snapshot.append(page)
        if snapshot.index.postings.tail_size > TAIL_TERMS:
            snapshot.index.merge()
    if embedded and snapshot.index.turns.size:
        try:
            snapshot.meanings = _embedded(db, meanings, snapshot.index)
        except EmbeddingError:
            return
    chain = sql.chain_at(db, snapshot.index.last_seq)
    if chain is not None and sql.mark(db).redactions == mark.redactions:
        save(snapshot, chain, views)


def _saved(db: sqlite3.Connection, views: Path, mark: sql.Mark, embedded: bool) -> Snapshot | None:
    found = load(views, embedded=embedded)
    if found is None or found[0].redactions != mark.redactions:
        return None
    return found[0] if sql.chain_at(db, found[0].index.last_seq) == found[1] else None


def _embedded(db: sqlite3.Connection, meanings: Meanings | None, index: TurnIndex) -> Meanings:
    """Vectors of all turns: the saved ones continued, or all anew where they are outgrown."""
    wanted, last = lesson(index.turns.size), index.last_seq
    if meanings is None or meanings.learned != wanted:
        meanings = Meanings()
        left = wanted
        for page in _pages(db, 0, last):
            meanings.learn([indexed_text(turn) for turn in page[:left]])
            left -= len(page)
            if left <= 0:
                break
        meanings.settle(wanted)
    skipped = meanings.size
    for page in _pages(db, sql.seq_at(db, skipped) if skipped else 0, last):
        meanings.append([indexed_text(turn) for turn in page])
    return meanings


def _pages(db: sqlite3.Connection, seq: int, last: int) -> Iterator[list[sql.Turn]]:
    """The turns behind ``seq`` up to ``last``; others may be committed meanwhile."""
    while page := [turn for turn in sql.turns_after(db, seq, PAGE) if turn.seq <= last]:
        yield page
        seq = page[-1].seq


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def main() -> None:
    """Build what the arguments name: the store, the folder of views, ``dense`` or ``lexical``."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.nice(5)
    store, views, mode = sys.argv[1:4]
    code = build(Path(store), Path(views), embedded=mode == "dense")
    os._exit(code)


if __name__ == "__main__":
    main()
