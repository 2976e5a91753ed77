"""Facts of code: written by the cortex's parsers, a batch of files at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sakur4_core.store.database import Transaction
from sakur4_core.store.packing import CodeFact


@dataclass(frozen=True, slots=True)
class KnownFile:
    """What the store knows of a file. ``stamp_ns`` is 0 where it proves nothing."""

    file_id: int
    size: int
    stamp_ns: int
    hash: str | None
    status: str


class FileRow(NamedTuple):
    """A file as it is written. ``package`` is the name under which its folder is imported."""

    path: str
    language: str | None
    hash: str | None
    size: int
    stamp_ns: int
    status: str
    detail: str
    package: str | None


@dataclass(frozen=True, slots=True)
class FactChange:
    """What replacing a file's facts came to.

    Attributes:
        rows: The row of each fact, in the order given.
        fresh: Rows of facts that are new or whose body changed.
        new: Facts that were not there before.
        gone: Facts that no longer are.
    """

    rows: Sequence[int]
    fresh: Sequence[int]
    new: Sequence[CodeFact] = ()
    gone: Sequence[CodeFact] = ()


_COLUMNS = ", ".join(CodeFact._fields)
_MARKS = ", ".join("?" * len(CodeFact._fields))


def known_files(db: sqlite3.Connection) -> dict[str, KnownFile]:
    """Every file of the index by path."""
    cursor = db.cursor()
    cursor.row_factory = None
    rows = cursor.execute("SELECT path, file_id, size, mtime_ns, hash, status FROM file")
    return {row[0]: KnownFile(*row[1:]) for row in rows}


def known_file(db: sqlite3.Connection, path: str) -> KnownFile | None:
    """One file of the index."""
    row = db.execute(
        "SELECT file_id, size, mtime_ns, hash, status FROM file WHERE path = ?", (path,)
    ).fetchone()
    return None if row is None else KnownFile(*row)


def put_files(
    tx: Transaction, files: Sequence[FileRow], known: Mapping[str, KnownFile]
) -> list[int]:
    """Write files' rows; return their ids, in order, the same as before where known."""
    now = tx.now()
    following = _following(tx.db, "file", "file_id")
    ids: list[int] = []
    new: list[tuple[object, ...]] = []
    old: list[tuple[object, ...]] = []
    for file in files:
        before = known.get(file.path)
        if before is None:
            ids.append(following + len(new))
            new.append((ids[-1], *file, now))
        else:
            ids.append(before.file_id)
            old.append((*file, now, before.file_id))
    tx.db.executemany(
        "INSERT INTO file (file_id, path, language, hash, size, mtime_ns, status, detail,"
        " package, indexed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        new,
    )
    tx.db.executemany(
        "UPDATE file SET path = ?, language = ?, hash = ?, size = ?, mtime_ns = ?, status = ?,"
        " detail = ?, package = ?, indexed_at = ? WHERE file_id = ?",
        old,
    )
    return ids


def touch_files(tx: Transaction, files: Iterable[tuple[str, int, int, str | None]]) -> None:
    """Note the path, size, new time of change and hash of files whose content is the same.

    A file that another pass has written with other content since keeps its time, so that the
    next look at it finds it changed.
    """
    tx.db.executemany(
        "UPDATE file SET size = ?2, mtime_ns = ?3 WHERE path = ?1 AND hash IS ?4", files
    )


def delete_files(tx: Transaction, file_ids: Sequence[int]) -> None:
    """Remove files' rows, once nothing refers to them."""
    tx.db.executemany("DELETE FROM file WHERE file_id = ?", [(file_id,) for file_id in file_ids])


def insert_facts(
    tx: Transaction, files: Sequence[tuple[int, Sequence[CodeFact]]]
) -> list[FactChange]:
    """Write the facts of files that have none yet."""
    following = _following(tx.db, "fact", "fact_row")
    changes: list[FactChange] = []
    rows: list[tuple[object, ...]] = []
    for file_id, facts in files:
        given = range(following, following + len(facts))
        following += len(facts)
        rows.extend((row, file_id, *fact) for row, fact in zip(given, facts, strict=True))
        changes.append(FactChange(given, given, facts))
    tx.db.executemany(
        f"INSERT INTO fact (fact_row, file_id, scope, {_COLUMNS})"
        f" VALUES (?, ?, 'project', {_MARKS})",
        rows,
    )
    return changes


def replace_facts(tx: Transaction, file_id: int, facts: Sequence[CodeFact]) -> FactChange:
    """Make a file's facts exactly ``facts``. One that stays keeps its row, so edges hold."""
    before = {
        row[1]: (row[0], CodeFact(*row[1:]))
        for row in tx.db.execute(
            f"SELECT fact_row, {_COLUMNS} FROM fact WHERE file_id = ?", (file_id,)
        )
    }
    following = _following(tx.db, "fact", "fact_row")
    rows: list[int] = []
    fresh: list[int] = []
    new: list[CodeFact] = []
    changed: list[tuple[object, ...]] = []
    added: list[tuple[object, ...]] = []
    for fact in facts:
        row, old = before.pop(fact.fact_id, (0, None))
        if old is None:
            row = following + len(new)
            new.append(fact)
            added.append((row, file_id, *fact))
        elif old != fact:
            changed.append((*fact[4:10], row))
        rows.append(row)
        if old is None or old.body_hash != fact.body_hash:
            fresh.append(row)
    _forget(tx, [row for row, _ in before.values()])
    tx.db.executemany(
        f"INSERT INTO fact (fact_row, file_id, scope, {_COLUMNS})"
        f" VALUES (?, ?, 'project', {_MARKS})",
        added,
    )
    tx.db.executemany(
        "UPDATE fact SET line_start = ?, line_end = ?, signature = ?, value = ?,"
        " interface_hash = ?, body_hash = ? WHERE fact_row = ?",
        changed,
    )
    return FactChange(rows, fresh, new, [fact for _, fact in before.values()])


def _forget(tx: Transaction, rows: Sequence[int]) -> None:
    """Delete facts, and the edges to them, for a row may be used again."""
    keys = [(row,) for row in rows]
    tx.db.executemany("DELETE FROM code_edge WHERE target_row = ?", keys)
    tx.db.executemany("DELETE FROM fact WHERE fact_row = ?", keys)


def _following(db: sqlite3.Connection, table: str, key: str) -> int:
    last: int = db.execute(f"SELECT coalesce(max({key}), 0) FROM {table}").fetchone()[0]
    return last + 1
