"""SQL of the consolidator: what is due for upkeep, and each piece of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from sakur4_core.events import DREAM_FINISHED, EPISODE_COMMITTED
from sakur4_core.store.database import Transaction

# A redacted or superseded turn still stands in the transcript, so it counts as there.
_ORPHAN = (
    " t.retired_at IS NULL AND NOT EXISTS ("
    "SELECT 1 FROM atlas_anchor a WHERE a.atlas_id = t.atlas_id AND CASE a.anchor_type"
    " WHEN 'fact' THEN EXISTS (SELECT 1 FROM anchor_now n"
    " WHERE n.anchor_type = 'fact' AND n.anchor_id = a.anchor_id)"
    " WHEN 'episode' THEN EXISTS (SELECT 1 FROM episode WHERE episode_id = a.anchor_id)"
    " ELSE EXISTS (SELECT 1 FROM file WHERE path = a.anchor_id) END)"
)


def last_commit(db: sqlite3.Connection) -> tuple[int, str] | None:
    """The newest commit's place among the events and its time; None where none was."""
    row = db.execute(
        "SELECT seq, created_at FROM event WHERE kind = ? ORDER BY seq DESC LIMIT 1",
        (EPISODE_COMMITTED,),
    ).fetchone()
    return None if row is None else (row["seq"], row["created_at"])


def orphaned_summaries(db: sqlite3.Connection, limit: int) -> list[str]:
    """Summaries in use of which nothing is left that they were derived from, oldest first."""
    rows = db.execute(
        f"SELECT atlas_id FROM atlas t WHERE {_ORPHAN} ORDER BY created_at, atlas_id LIMIT ?",
        (limit,),
    )
    return [row["atlas_id"] for row in rows]


def is_orphaned(db: sqlite3.Connection, atlas_id: str) -> bool:
    """Whether one summary is in use and nothing is left that it was derived from."""
    row = db.execute(
        f"SELECT 1 FROM atlas t WHERE t.atlas_id = ? AND {_ORPHAN}", (atlas_id,)
    ).fetchone()
    return row is not None


def prunable(db: sqlite3.Connection, kinds: Iterable[str], before: str, limit: int) -> list[int]:
    """The oldest events of these kinds from before a moment."""
    rows = db.execute(
        "SELECT seq FROM event WHERE kind IN (SELECT value FROM json_each(?))"
        " AND created_at < ? ORDER BY seq LIMIT ?",
        (json.dumps(sorted(kinds)), before, limit),
    )
    return [row["seq"] for row in rows]


def prune(tx: Transaction, seqs: list[int]) -> int:
    """Delete these events; return how many there were."""
    return tx.db.execute(
        "DELETE FROM event WHERE seq IN (SELECT value FROM json_each(?))", (json.dumps(seqs),)
    ).rowcount


def note_finished(tx: Transaction, *, reason: str, archived: int, pruned: int) -> None:
    """Record the outcome of a pass that did something."""
    tx.emit(
        DREAM_FINISHED,
        actor="dream",
        detail={"reason": reason, "archived": archived, "pruned": pruned},
    )
