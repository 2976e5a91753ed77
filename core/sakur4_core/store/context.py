"""SQL of what was sent: prompt parts, receipts, compactions, slots, snapshots."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sakur4_core.store.database import Transaction

# -- the prefix ledger ----------------------------------------------------------


def put_slot(
    tx: Transaction,
    session_id: str,
    slot_id: int,
    segments: str,
    tokens: int,
    checkpoints: Sequence[int],
    backend: str,
) -> None:
    """Note what was last sent to a slot, and where the slot can resume."""
    now = tx.now()
    tx.db.execute(
        "INSERT OR REPLACE INTO slot_state (session_id, slot_id, segments, tokens, updated_at)"
        " VALUES (?, ?, ?, ?, ?)",
        (session_id, slot_id, segments, tokens, now),
    )
    tx.db.execute(
        "DELETE FROM checkpoint WHERE session_id = ? AND slot_id = ?", (session_id, slot_id)
    )
    tx.db.executemany(
        "INSERT INTO checkpoint (session_id, slot_id, position, backend, created_at)"
        " VALUES (?, ?, ?, ?, ?)",
        ((session_id, slot_id, position, backend, now) for position in checkpoints),
    )


def slot_segments(db: sqlite3.Connection, session_id: str, slot_id: int) -> str | None:
    """What was last sent to a slot, or None."""
    row = db.execute(
        "SELECT segments FROM slot_state WHERE session_id = ? AND slot_id = ?",
        (session_id, slot_id),
    ).fetchone()
    return None if row is None else row[0]


def checkpoints_of(db: sqlite3.Connection, session_id: str, slot_id: int) -> tuple[int, ...]:
    """Where a slot can resume, in tokens from the beginning; none where nobody said."""
    rows = db.execute(
        "SELECT position FROM checkpoint WHERE session_id = ? AND slot_id = ? ORDER BY position",
        (session_id, slot_id),
    )
    return tuple(row[0] for row in rows)


def moved_since(db: sqlite3.Connection, session_id: str, moment: str) -> tuple[str, ...]:
    """What happened to a session's prefix since ``moment``: event kinds, sorted."""
    rows = db.execute(
        "SELECT DISTINCT kind FROM event WHERE session_id = ? AND created_at >= ? AND kind IN"
        " ('window.compacted', 'plan.enforced', 'plan.undone', 'fold.closed', 'fold.reopened',"
        " 'snapshot.restored')"
        " ORDER BY kind",
        (session_id, moment),
    )
    return tuple(row[0] for row in rows)


# -- compactions -----------------------------------------------------------------


def compactions(db: sqlite3.Connection, session_id: str) -> int:
    """How many compactions a session had."""
    count: int = db.execute(
        "SELECT count(*) FROM compaction WHERE session_id = ?", (session_id,)
    ).fetchone()[0]
    return count


def put_compaction(
    tx: Transaction,
    session_id: str,
    *,
    after_seq: int | None,
    trigger: str | None,
    pre_tokens: int | None,
) -> tuple[int, int]:
    """Note a compaction: what stands at ``after_seq`` or before it has left the window.

    Args:
        after_seq: None for the session's newest episode.

    Returns:
        The place that was compacted up to, and how many episodes left.
    """
    last = after_seq
    if last is None:
        last = tx.db.execute(
            "SELECT coalesce(max(seq), 0) FROM episode WHERE session_id = ?", (session_id,)
        ).fetchone()[0]
    tx.db.execute(
        "INSERT INTO compaction (session_id, after_seq, trigger, pre_tokens, created_at)"
        " VALUES (?, ?, ?, ?, ?)",
        (session_id, last, trigger, pre_tokens, tx.now()),
    )
    left = tx.db.execute(
        "UPDATE episode_state SET in_window = 'no' WHERE in_window <> 'no' AND seq IN"
        " (SELECT seq FROM episode WHERE session_id = ? AND seq <= ?)",
        (session_id, last),
    ).rowcount
    return last, left


def waiting_plans(db: sqlite3.Connection, session_id: str) -> tuple[tuple[str, bool], ...]:
    """Applied plans of a session that are only advised, and whether all they move is out of
    the window."""
    rows = db.execute(
        "SELECT p.proposal_id, NOT EXISTS ("
        " SELECT 1 FROM json_each(p.undo) m"
        " JOIN episode_state s ON s.seq = json_extract(m.value, '$[0]') WHERE s.in_window <> 'no')"
        " FROM proposal p WHERE p.session_id = ? AND p.kind = 'eviction' AND p.status = 'applied'"
        " AND p.effect = 'advised' ORDER BY p.decided_at, p.rowid",
        (session_id,),
    )
    return tuple((row[0], bool(row[1])) for row in rows)


class PlanRow(NamedTuple):
    """An eviction proposal in short: its status, and the prompt before and after its plan."""

    status: str
    tokens_before: int
    tokens_after: int


def newest_plan(db: sqlite3.Connection, session_id: str) -> PlanRow | None:
    """The session's newest eviction proposal, whatever became of it, or None."""
    row = db.execute(
        "SELECT status, json_extract(payload, '$.plan.tokens_before.value'),"
        " json_extract(payload, '$.plan.tokens_after.value') FROM proposal"
        " WHERE session_id = ? AND kind = 'eviction' ORDER BY created_at DESC, rowid DESC LIMIT 1",
        (session_id,),
    ).fetchone()
    return None if row is None else PlanRow(row[0], int(row[1] or 0), int(row[2] or 0))


# -- receipts, prompt parts, snapshots -------------------------------------------


def put_receipt(
    tx: Transaction, receipt_id: str, session_id: str, turn: int, body: str
) -> tuple[str, str, bool]:
    """Store a turn's receipt; return its id, its time, and whether anything changed."""
    known = tx.db.execute(
        "SELECT receipt_id, created_at, body FROM receipt WHERE session_id = ? AND turn = ?",
        (session_id, turn),
    ).fetchone()
    if known is not None and known["body"] == body:
        return known["receipt_id"], known["created_at"], False
    now = tx.now()
    if known is not None:
        tx.db.execute(
            "UPDATE receipt SET body = ?, created_at = ? WHERE receipt_id = ?",
            (body, now, known["receipt_id"]),
        )
        return known["receipt_id"], now, True
    tx.db.execute(
        "INSERT INTO receipt (receipt_id, session_id, turn, created_at, body)"
        " VALUES (?, ?, ?, ?, ?)",
        (receipt_id, session_id, turn, now, body),
    )
    return receipt_id, now, True


def stored_receipt(
    db: sqlite3.Connection, session_id: str, turn: int
) -> tuple[str, str, str] | None:
    """Id, time and body of a turn's receipt, or None."""
    row = db.execute(
        "SELECT receipt_id, created_at, body FROM receipt WHERE session_id = ? AND turn = ?",
        (session_id, turn),
    ).fetchone()
    return None if row is None else (row[0], row[1], row[2])


def receipts(
    db: sqlite3.Connection, session_id: str, limit: int
) -> tuple[tuple[str, str, str], ...]:
    """Id, time and body of the stored receipts, newest turn first."""
    rows = db.execute(
        "SELECT receipt_id, created_at, body FROM receipt WHERE session_id = ?"
        " ORDER BY turn DESC LIMIT ?",
        (session_id, limit),
    )
    return tuple((row[0], row[1], row[2]) for row in rows)


def put_part(tx: Transaction, session_id: str, name: str, content: str, tokens: int) -> bool:
    """Store a submitted part; False where it says what it said before."""
    cursor = tx.db.execute(
        "INSERT INTO prompt_part (session_id, name, content, tokens, created_at)"
        " VALUES (?, ?, ?, ?, ?) ON CONFLICT (session_id, name) DO UPDATE SET"
        " content = excluded.content, tokens = excluded.tokens, created_at = excluded.created_at"
        " WHERE content <> excluded.content",
        (session_id, name, content, tokens, tx.now()),
    )
    return cursor.rowcount > 0


def put_snapshot(
    tx: Transaction,
    snapshot_id: str,
    session_id: str,
    slot_id: int | None,
    body: Mapping[str, object],
    size: int | None,
) -> None:
    """Store a snapshot's record."""
    tx.db.execute(
        "INSERT INTO snapshot (snapshot_id, session_id, slot_id, body, bytes, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (snapshot_id, session_id, slot_id, json.dumps(body, sort_keys=True), size, tx.now()),
    )


def get_snapshot(
    db: sqlite3.Connection, snapshot_id: str
) -> tuple[str, int | None, Mapping[str, object]] | None:
    """Session, slot and body of a snapshot, or None."""
    row = db.execute(
        "SELECT session_id, slot_id, body FROM snapshot WHERE snapshot_id = ?", (snapshot_id,)
    ).fetchone()
    return None if row is None else (row[0], row[1], json.loads(row[2]))


def session_exists(db: sqlite3.Connection, session_id: str) -> bool:
    """Whether there is a session of that id."""
    return (
        db.execute("SELECT 1 FROM session WHERE session_id = ?", (session_id,)).fetchone()
        is not None
    )
