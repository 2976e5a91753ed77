"""Facts of code: written by the cortex's parsers, one file at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from sakur4_core.models import Fact, FactKind
from sakur4_core.store.database import Transaction
from sakur4_core.store.ledger import COLUMNS


@dataclass(frozen=True, slots=True)
class KnownFile:
    """What the store knows of a file. ``stamp_ns`` is 0 where it proves nothing."""

    file_id: int
    size: int
    stamp_ns: int
    hash: str | None
    status: str


@dataclass(frozen=True, slots=True)
class FactChange:
    """What replacing a file's facts changed.

    Attributes:
        rows: The row of each fact, in the order given.
        fresh: Rows of facts that are new or whose body changed.
        names: Last names that appeared, went, or mean another kind of thing now.
        surfaces: Rows of classes whose declared surface changed.
    """

    rows: tuple[int, ...]
    fresh: tuple[int, ...]
    names: frozenset[str]
    surfaces: tuple[int, ...]


def known_files(db: sqlite3.Connection) -> dict[str, KnownFile]:
    """Every file of the index by path."""
    rows = db.execute("SELECT path, file_id, size, mtime_ns, hash, status FROM file")
    return {row[0]: KnownFile(row[1], row[2], row[3], row[4], row[5]) for row in rows}


def known_file(db: sqlite3.Connection, path: str) -> KnownFile | None:
    """One file of the index."""
    row = db.execute(
        "SELECT file_id, size, mtime_ns, hash, status FROM file WHERE path = ?", (path,)
    ).fetchone()
    return None if row is None else KnownFile(row[0], row[1], row[2], row[3], row[4])


def put_file(
    tx: Transaction,
    *,
    path: str,
    language: str | None,
    hash: str | None,
    size: int,
    stamp_ns: int,
    status: str,
    detail: str,
) -> int:
    """Write a file's row; return its id, the same as before if it was known."""
    row = tx.db.execute(
        "INSERT INTO file (path, language, hash, size, mtime_ns, status, detail, indexed_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (path) DO UPDATE SET language = excluded.language, hash = excluded.hash,"
        " size = excluded.size, mtime_ns = excluded.mtime_ns, status = excluded.status,"
        " detail = excluded.detail, indexed_at = excluded.indexed_at RETURNING file_id",
        (path, language, hash, size, stamp_ns, status, detail, tx.now()),
    ).fetchone()
    file_id: int = row[0]
    return file_id


def touch_file(tx: Transaction, path: str, size: int, stamp_ns: int) -> None:
    """Note a new time of change of a file whose content is the same."""
    tx.db.execute("UPDATE file SET size = ?, mtime_ns = ? WHERE path = ?", (size, stamp_ns, path))


def delete_file(tx: Transaction, file_id: int) -> None:
    """Remove a file's row, once nothing refers to it."""
    tx.db.execute("DELETE FROM file WHERE file_id = ?", (file_id,))


def replace_facts(tx: Transaction, file_id: int, facts: Sequence[tuple[str, Fact]]) -> FactChange:
    """Make a file's facts exactly ``facts``: pairs of last name and fact.

    A fact that stays keeps its row, so that edges to it hold.
    """
    before = {
        row["fact_id"]: row
        for row in tx.db.execute(
            "SELECT fact_id, fact_row, kind, name, interface_hash, body_hash"
            " FROM fact WHERE file_id = ?",
            (file_id,),
        )
    }
    rows, fresh, surfaces = [], [], []
    names: set[str] = set()
    for name, fact in facts:
        old = before.pop(fact.fact_id, None)
        row = _put_fact(tx, file_id, name, fact)
        rows.append(row)
        if old is None or old["body_hash"] != fact.body_hash:
            fresh.append(row)
        if old is None:
            names.add(name)
        elif fact.kind is FactKind.CLASS and old["interface_hash"] != fact.interface_hash:
            surfaces.append(row)
    names.update(old["name"] for old in before.values())
    _forget(tx, [old["fact_row"] for old in before.values()])
    return FactChange(tuple(rows), tuple(fresh), frozenset(names), tuple(surfaces))


def _put_fact(tx: Transaction, file_id: int, name: str, fact: Fact) -> int:
    row = tx.db.execute(
        f"INSERT INTO fact ({COLUMNS}, file_id, name)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (fact_id) DO UPDATE SET line_start = excluded.line_start,"
        " line_end = excluded.line_end, signature = excluded.signature, value = excluded.value,"
        " interface_hash = excluded.interface_hash, body_hash = excluded.body_hash,"
        " file_id = excluded.file_id RETURNING fact_row",
        (
            fact.fact_id,
            fact.kind,
            fact.qualified_name,
            fact.file_path,
            fact.line_start,
            fact.line_end,
            fact.signature,
            fact.value,
            fact.interface_hash,
            fact.body_hash,
            fact.source,
            fact.scope,
            file_id,
            name,
        ),
    ).fetchone()
    fact_row: int = row[0]
    return fact_row


def _forget(tx: Transaction, rows: Sequence[int]) -> None:
    """Delete facts; edges to them become unresolved, for a row may be used again."""
    keys = [(row,) for row in rows]
    tx.db.executemany(
        "UPDATE code_edge SET target_row = NULL, confidence = 'unresolved', seen_hash = NULL"
        " WHERE target_row = ?",
        keys,
    )
    tx.db.executemany("DELETE FROM fact WHERE fact_row = ?", keys)
