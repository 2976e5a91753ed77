"""SQL of the Semantic Atlas: entries, what they rest on, and whether that still stands."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from sakur4_core.models import AtlasEntry, StaleAnchor
from sakur4_core.store.database import Transaction


@dataclass(frozen=True, slots=True)
class AnchorNow:
    """What can be anchored to, as it stands now."""

    anchor_type: str
    anchor_id: str
    hash: str
    value: str


def anchor_now(db: sqlite3.Connection, anchor_type: str, anchor_id: str) -> AnchorNow | None:
    """The present hash and value of a fact, an episode or a file; None where it is gone."""
    row = db.execute(
        "SELECT anchor_type, anchor_id, hash, value FROM anchor_now"
        " WHERE anchor_type = ? AND anchor_id = ?",
        (anchor_type, anchor_id),
    ).fetchone()
    return None if row is None else AnchorNow(*row)


def insert(
    tx: Transaction,
    atlas_id: str,
    content: str,
    anchors: Sequence[AnchorNow],
    *,
    origin: str,
    session_id: str | None,
    token_count: int,
) -> None:
    """Write an entry, what it rests on, and the edges between them."""
    now = tx.now()
    tx.db.execute(
        "INSERT INTO atlas (atlas_id, content, origin, session_id, token_count, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (atlas_id, content, origin, session_id, token_count, now),
    )
    for anchor in anchors:
        tx.db.execute(
            "INSERT INTO atlas_anchor VALUES (?, ?, ?, ?, ?)",
            (atlas_id, anchor.anchor_type, anchor.anchor_id, anchor.hash, anchor.value),
        )
        tx.db.execute(
            "INSERT OR IGNORE INTO edge (kind, source_id, target_id, created_at)"
            " VALUES (?, ?, ?, ?)",
            (
                "summarises" if anchor.anchor_type == "episode" else "derived_from",
                atlas_id,
                anchor.anchor_id,
                now,
            ),
        )


def retire(tx: Transaction, atlas_id: str, why: str) -> None:
    """Take an entry out of use; it stays as a tombstone of itself."""
    tx.db.execute(
        "UPDATE atlas SET retired_at = ?, retired_why = ? WHERE atlas_id = ?",
        (tx.now(), why, atlas_id),
    )


def totals(db: sqlite3.Connection) -> tuple[int, int]:
    """Entries in use, and how many of them are stale: of the whole store."""
    row = db.execute(
        "SELECT (SELECT count(*) FROM atlas WHERE retired_at IS NULL),"
        " (SELECT count(DISTINCT atlas_id) FROM atlas_staleness WHERE stale)"
    ).fetchone()
    return row[0], row[1]


def stale_entries(db: sqlite3.Connection, limit: int) -> tuple[AtlasEntry, ...]:
    """A page of the stale entries, the newest first."""
    rows = db.execute(
        "SELECT * FROM atlas a WHERE retired_at IS NULL AND EXISTS"
        " (SELECT 1 FROM atlas_staleness s WHERE s.atlas_id = a.atlas_id AND s.stale)"
        " ORDER BY created_at DESC, rowid DESC LIMIT ?",
        (limit,),
    ).fetchall()
    return tuple(_entry(db, row) for row in rows)


def get(db: sqlite3.Connection, atlas_id: str) -> AtlasEntry | None:
    """One entry in use, with its staleness now, or None."""
    row = db.execute(
        "SELECT * FROM atlas WHERE atlas_id = ? AND retired_at IS NULL", (atlas_id,)
    ).fetchone()
    return None if row is None else _entry(db, row)


def entries(db: sqlite3.Connection, limit: int) -> tuple[AtlasEntry, ...]:
    """Entries in use, the newest first."""
    rows = db.execute(
        "SELECT * FROM atlas WHERE retired_at IS NULL"
        " ORDER BY created_at DESC, rowid DESC LIMIT ?",
        (limit,),
    ).fetchall()
    return tuple(_entry(db, row) for row in rows)


def anchored_files(db: sqlite3.Connection) -> set[str]:
    """The paths of all files that an entry in use rests on."""
    rows = db.execute(
        "SELECT DISTINCT coalesce(f.file_path, CASE a.anchor_type WHEN 'file' THEN a.anchor_id"
        " END) FROM atlas_anchor a JOIN atlas t USING (atlas_id)"
        " LEFT JOIN fact_move m ON a.anchor_type = 'fact' AND m.old_id = a.anchor_id"
        " LEFT JOIN fact f ON a.anchor_type = 'fact'"
        " AND f.fact_id = coalesce(m.new_id, a.anchor_id)"
        " WHERE t.retired_at IS NULL"
    )
    return {row[0] for row in rows if row[0] is not None}


def _entry(db: sqlite3.Connection, row: sqlite3.Row) -> AtlasEntry:
    stale = tuple(
        StaleAnchor(
            anchor_type=anchor["anchor_type"],
            anchor_id=anchor["anchor_id"],
            name=anchor["name"] or anchor["value_at_write"].split("\n")[0][:120],
            location=_location(anchor),
            hash_at_write=anchor["hash_at_write"],
            hash_now=anchor["hash_now"],
            value_at_write=anchor["value_at_write"],
            value_now=anchor["value_now"],
            reason="changed" if anchor["hash_now"] is not None else _gone(anchor["anchor_type"]),
        )
        for anchor in db.execute(
            "SELECT * FROM atlas_staleness WHERE atlas_id = ? AND stale"
            " ORDER BY anchor_type, anchor_id",
            (row["atlas_id"],),
        )
    )
    return AtlasEntry(
        atlas_id=row["atlas_id"],
        content=row["content"],
        origin=row["origin"],
        created_at=row["created_at"],
        stale=bool(stale),
        stale_anchors=stale,
        session_id=row["session_id"],
    )


def _gone(anchor_type: str) -> str:
    return "superseded or redacted" if anchor_type == "episode" else "deleted"


def _location(anchor: sqlite3.Row) -> str:
    if anchor["file_path"] is None:
        return ""
    if anchor["line"] is None:
        return str(anchor["file_path"])
    return f"{anchor['file_path']}:{anchor['line']}"
