"""SQL of taking out what slipped through: the row itself, and every text that quotes it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from sakur4_core.store.database import Transaction
from sakur4_core.store.faults import is_busy
from sakur4_core.store.patience import patiently


@dataclass(frozen=True, slots=True)
class Column:
    """A column whose texts may quote a turn; ``json`` where they are JSON documents."""

    table: str
    name: str
    json: bool = False


# Every column, but `episode.content`, that free text of a conversation reaches.
DERIVED: Final = (
    Column("atlas", "content"),
    Column("atlas_anchor", "value_at_write"),
    Column("anchor", "content"),
    Column("fold", "description"),
    Column("fold", "goal"),
    Column("fold", "summary"),
    Column("session", "title"),
    Column("prompt_part", "content"),
    Column("proposal", "payload", json=True),
    Column("proposal", "undo", json=True),
    Column("proposal", "reason"),
    Column("receipt", "body", json=True),
    Column("snapshot", "body", json=True),
    Column("slot_state", "segments", json=True),
    Column("event", "detail", json=True),
    Column("harness_line", "raw"),
    Column("harness_file", "state", json=True),
)


def texts(db: sqlite3.Connection, column: Column) -> tuple[str, ...]:
    """The different texts of a column."""
    rows = db.execute(
        f"SELECT DISTINCT {column.name} FROM {column.table} WHERE {column.name} IS NOT NULL"
    )
    return tuple(row[0] for row in rows)


def replace(tx: Transaction, column: Column, old: str, new: str) -> None:
    """Put ``new`` wherever ``old`` is all of a column's text."""
    tx.db.execute(
        f"UPDATE {column.table} SET {column.name} = ? WHERE {column.name} = ?", (new, old)
    )


def other_contents(db: sqlite3.Connection, seq: int) -> Iterator[str]:
    """The contents of all turns but one."""
    for row in db.execute("SELECT content FROM episode WHERE seq <> ? ORDER BY seq", (seq,)):
        yield row[0]


def resting_on(db: sqlite3.Connection, episode_id: str, scope: str) -> tuple[str, ...]:
    """The summaries that rest on a turn, or on a fact of its tool result."""
    rows = db.execute(
        "SELECT DISTINCT t.content FROM atlas t JOIN atlas_anchor w USING (atlas_id)"
        " WHERE (w.anchor_type = 'episode' AND w.anchor_id = ?) OR (w.anchor_type = 'fact'"
        " AND w.anchor_id IN (SELECT fact_id FROM fact WHERE source = 'tool-output'"
        " AND scope = ?))",
        (episode_id, scope),
    )
    return tuple(row[0] for row in rows)


def forget_values(tx: Transaction, episode_id: str, scope: str, tombstone: str) -> None:
    """Drop what summaries noted of a turn and its facts, and all other counts of its tokens."""
    tx.db.execute(
        "UPDATE atlas_anchor SET value_at_write = ? WHERE (anchor_type = 'episode' AND"
        " anchor_id = ?) OR (anchor_type = 'fact' AND anchor_id IN (SELECT fact_id FROM fact"
        " WHERE source = 'tool-output' AND scope = ?))",
        (tombstone, episode_id, scope),
    )
    tx.db.execute(
        "DELETE FROM token_count WHERE seq = (SELECT seq FROM episode WHERE episode_id = ?)",
        (episode_id,),
    )


def retire_summaries(tx: Transaction, tombstone: str, why: str) -> tuple[str, ...]:
    """Take the summaries out of use that are a tombstone now; return their ids."""
    rows = tx.db.execute(
        "UPDATE atlas SET retired_at = ?, retired_why = ? WHERE content = ? AND retired_at IS NULL"
        " RETURNING atlas_id",
        (tx.now(), why, tombstone),
    ).fetchall()
    return tuple(sorted(row[0] for row in rows))


def end_anchors(tx: Transaction, tombstone: str, by: str) -> tuple[str, ...]:
    """Unpin the statements that are a tombstone now; return their ids."""
    rows = tx.db.execute(
        "UPDATE anchor SET unpinned_at = ?, unpinned_by = ? WHERE content = ?"
        " AND unpinned_at IS NULL RETURNING anchor_id",
        (tx.now(), by, tombstone),
    ).fetchall()
    return tuple(sorted(row[0] for row in rows))


def pending_quotes(db: sqlite3.Connection, tombstone: str) -> tuple[str, ...]:
    """The pending proposals to pin what is a tombstone now."""
    rows = db.execute(
        "SELECT proposal_id FROM proposal WHERE status = 'pending' AND kind <> 'eviction'"
        " AND json_extract(payload, '$.content') = ? ORDER BY proposal_id",
        (tombstone,),
    )
    return tuple(row[0] for row in rows)


def silence(tx: Transaction, subjects: Iterable[str], tombstone: str) -> None:
    """Take the preview out of every event about one of ``subjects``."""
    tx.db.execute(
        "UPDATE event SET detail = json_set(detail, '$.preview', ?) WHERE subject IN"
        " (SELECT value FROM json_each(?)) AND json_extract(detail, '$.preview') IS NOT NULL",
        (tombstone, json.dumps(sorted(subjects))),
    )


def forget_words(tx: Transaction) -> None:
    """Merge the indexes of words, so that no segment holds what was deleted from them."""
    for index in ("episode_fts", "atlas_fts", "fact_fts"):
        tx.db.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")


def scrub(db: sqlite3.Connection) -> bool:
    """Leave no trace of deleted bytes in the file, its free pages or its WAL.

    Returns:
        False where others read the store for so long that the WAL could not be emptied.
    """
    db.execute("VACUUM")

    def truncate() -> None:
        if db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            busy = sqlite3.OperationalError("the WAL is being read")
            busy.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise busy

    try:
        patiently(truncate)
    except sqlite3.OperationalError as error:
        if not is_busy(error):
            raise
        return False
    return True
