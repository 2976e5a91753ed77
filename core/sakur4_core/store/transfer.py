"""SQL of moving a store's memory to another store: rows out, rows in, nothing lost.

What a parser can see again (code facts, files, indexes, vectors) does not travel. Keys do not
either: the other store computes its own chain.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sakur4_core.store.database import Transaction


@dataclass(frozen=True, slots=True)
class Table:
    """One table that travels: its rows in a fixed order, under conditions of its own."""

    name: str
    order: str
    where: str = "1"
    without: tuple[str, ...] = ()


# In the order of their dependencies. Episodes travel apart (see `episodes`).
TABLES = (
    Table("session", "created_at, session_id"),
    Table("fact", "fact_id", "source = 'tool-output'", ("fact_row", "file_id")),
    Table("edge", "kind, source_id, target_id", without=("edge_row",)),
    Table("anchor", "created_at, anchor_id"),
    Table("fold", "created_at, fold_id"),
    Table("atlas", "created_at, atlas_id"),
    Table("atlas_anchor", "atlas_id, anchor_type, anchor_id"),
    Table("proposal", "created_at, proposal_id"),
    Table("usage", "usage_row", without=("usage_row",)),
    Table("receipt", "receipt_row", without=("receipt_row",)),
    Table("prompt_part", "session_id, name"),
    Table("compaction", "compaction_row", without=("compaction_row",)),
    Table("snapshot", "created_at, snapshot_id"),
    Table(
        "event",
        "seq",
        "kind NOT IN (SELECT value FROM json_each(:prunable))",
        ("seq",),
    ),
    # What tells a transcript's turns apart, so that one which is read again adds nothing. How far
    # a file was read is true of one machine only.
    Table("harness_turn", "key"),
    Table("harness_node", "node"),
    Table("harness_leaf", "session_id"),
    Table("harness_kept", "boundary, node"),
    Table("harness_mark", "key"),
    Table("harness_spend", "key"),
    Table("harness_line", "key"),
)
# Rows without an identity of their own: they are taken over only into an empty store.
_ANONYMOUS = frozenset({"usage", "receipt", "compaction", "event"})
# What the other store works out for itself.
_EPISODE_WITHOUT = frozenset({"content_hash", "chain_hash"})


def rows(
    db: sqlite3.Connection, table: Table, prunable: frozenset[str]
) -> Iterator[dict[str, Any]]:
    """The rows of one table that travel, each as JSON data, in their fixed order."""
    query = f"SELECT * FROM {table.name} WHERE {table.where} ORDER BY {table.order}"
    values = {"prunable": json.dumps(sorted(prunable))}
    for row in db.execute(query, values if ":prunable" in table.where else {}):
        yield {key: value for key, value in dict(row).items() if key not in table.without}


def episodes(db: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    """Each episode with its state, its redaction and its counts, in order."""
    for row in db.execute("SELECT * FROM episode ORDER BY seq"):
        seq = row["seq"]
        body = {key: value for key, value in dict(row).items() if key not in _EPISODE_WITHOUT}
        body["state"] = _one(db, "episode_state", seq)
        body["redaction"] = _one(db, "redaction", seq)
        body["counts"] = {
            count["counter"]: count["tokens"]
            for count in db.execute(
                "SELECT counter, tokens FROM token_count WHERE seq = ? ORDER BY counter", (seq,)
            )
        }
        yield body


def known_ids(db: sqlite3.Connection) -> tuple[str, ...]:
    """The ids of all episodes, in order."""
    return tuple(row[0] for row in db.execute("SELECT episode_id FROM episode ORDER BY seq"))


def open_gate(tx: Transaction) -> None:
    """Let summaries come in whose anchors this store does not (yet) know: they read as stale."""
    tx.db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('importing', '1')")


def close_gate(tx: Transaction) -> None:
    """From here on a summary's anchors must exist again."""
    tx.db.execute("DELETE FROM meta WHERE key = 'importing'")


def insert(tx: Transaction, name: str, row: Mapping[str, Any], *, into_empty: bool) -> bool:
    """Take over one row; False where the store has it already, or keeps its own.

    Raises:
        KeyError: The table does not travel, or a column is unknown here.
    """
    if name not in {table.name for table in TABLES}:
        raise KeyError(name)
    if name in _ANONYMOUS and not into_empty:
        return False
    known = {column["name"] for column in tx.db.execute(f"PRAGMA table_info({name})")}
    unknown = set(row) - known
    if unknown:
        raise KeyError(f"{name}.{min(unknown)}")
    columns = ", ".join(row)
    marks = ", ".join("?" for _ in row)
    cursor = tx.db.execute(
        f"INSERT INTO {name} ({columns}) VALUES ({marks}) ON CONFLICT DO NOTHING",
        tuple(row.values()),
    )
    return cursor.rowcount == 1


def set_state(
    tx: Transaction,
    seq: int,
    state: Mapping[str, Any],
    redaction: Mapping[str, Any] | None,
    counts: Mapping[str, int],
) -> None:
    """Give a taken-over episode the state, the redaction and the counts it had."""
    tx.db.execute(
        "UPDATE episode_state SET tier = :tier, droppable = :droppable,"
        " superseded_by = :superseded_by, fold_id = :fold_id, in_window = :in_window"
        " WHERE seq = :place",
        {**state, "place": seq},
    )
    if redaction is not None:
        tx.db.execute(
            "INSERT INTO redaction (seq, tombstone, reason, created_at) VALUES (?, ?, ?, ?)",
            (seq, redaction["tombstone"], redaction["reason"], redaction["created_at"]),
        )
    tx.db.executemany(
        "INSERT INTO token_count (seq, counter, tokens) VALUES (?, ?, ?)",
        ((seq, counter, tokens) for counter, tokens in counts.items()),
    )


def _one(db: sqlite3.Connection, table: str, seq: int) -> dict[str, Any] | None:
    row = db.execute(f"SELECT * FROM {table} WHERE seq = ?", (seq,)).fetchone()
    return None if row is None else {k: v for k, v in dict(row).items() if k != "seq"}
