"""Where the facts went that a summary rests on: to another place, or under another name."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence

from sakur4_core.store.database import Transaction
from sakur4_core.store.packing import CodeFact


def note_moves(tx: Transaction, gone: Sequence[CodeFact], new: Sequence[CodeFact]) -> None:
    """Remember those of ``gone`` that something rests on, until they turn up again."""
    if new:
        moved = {row[0] for row in tx.db.execute("SELECT old_id FROM fact_move")}
        back = [(fact.fact_id,) for fact in new if fact.fact_id in moved]
        tx.db.executemany("DELETE FROM fact_move WHERE old_id = ?", back)
    if not gone:
        return
    anchored = {
        row[0]
        for row in tx.db.execute(
            "SELECT anchor_id FROM atlas_anchor WHERE anchor_type = 'fact'"
            " UNION SELECT new_id FROM fact_move WHERE new_id IS NOT NULL"
        )
    }
    for fact in gone:
        if fact.fact_id in anchored:
            _note(tx, fact, _renamed(fact, gone, new))


def follow_moves(tx: Transaction) -> None:
    """Find what was remembered: the one definition of the same name with the same text."""
    for row in tx.db.execute("SELECT * FROM fact_move WHERE new_id IS NULL").fetchall():
        found = _same_elsewhere(tx.db, row)
        if len(found) == 1:
            tx.db.execute(
                "UPDATE fact_move SET new_id = ? WHERE old_id = ?", (found[0], row["old_id"])
            )


def _note(tx: Transaction, fact: CodeFact, renamed: str | None) -> None:
    what = (renamed, fact.kind, fact.qualified_name, fact.interface_hash, fact.body_hash)
    # What had moved here before goes along.
    tx.db.execute(
        "UPDATE fact_move SET new_id = ?, kind = ?, qualified_name = ?, interface_hash = ?,"
        " body_hash = ? WHERE new_id = ?",
        (*what, fact.fact_id),
    )
    tx.db.execute(
        "INSERT OR REPLACE INTO fact_move VALUES (?, ?, ?, ?, ?, ?)", (fact.fact_id, *what)
    )


def _renamed(fact: CodeFact, gone: Sequence[CodeFact], new: Sequence[CodeFact]) -> str | None:
    """The id of what a fact has become: the one of its file that has its name, or its shape.

    Of several definitions of one name, one may be known by another id once it or they changed.
    """
    for other in new:
        if _named(other) == _named(fact) and _hashes(other) == _hashes(fact):
            return other.fact_id
    for alike in (_named, _shape):
        same = [other.fact_id for other in new if alike(other) == alike(fact)]
        rivals = [other for other in gone if alike(other) == alike(fact)]
        if len(same) == 1 == len(rivals):
            return same[0]
    return None


def _named(fact: CodeFact) -> tuple[str, ...]:
    return fact.file_path, fact.kind, fact.qualified_name


def _hashes(fact: CodeFact) -> tuple[str, str]:
    return fact.interface_hash, fact.body_hash


def _shape(fact: CodeFact) -> tuple[object, ...]:
    return (
        fact.file_path,
        fact.kind,
        fact.qualified_name.rpartition(".")[0],
        fact.line_end - fact.line_start,
        re.sub(rf"(?<!\w){re.escape(fact.name)}(?!\w)", "\0", fact.signature),
    )


def _same_elsewhere(db: sqlite3.Connection, row: sqlite3.Row) -> list[str]:
    found = db.execute(
        "SELECT fact_id FROM fact WHERE name = ? AND kind = ? AND qualified_name = ?"
        " AND interface_hash = ? AND body_hash = ? LIMIT 2",
        (
            row["qualified_name"].rpartition(".")[2],
            row["kind"],
            row["qualified_name"],
            row["interface_hash"],
            row["body_hash"],
        ),
    )
    return [row[0] for row in found]
