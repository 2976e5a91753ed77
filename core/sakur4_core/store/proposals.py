"""SQL of the ``proposal`` table and of what an eviction plan does to ``episode_state``."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sakur4_core.models import Tier
from sakur4_core.store.database import Transaction


@dataclass(frozen=True, slots=True)
class Row:
    """One row of ``proposal``, payload and undo record as JSON data."""

    proposal_id: str
    kind: str
    status: str
    session_id: str | None
    payload: Mapping[str, Any]
    base_revision: str
    asked_by: str
    created_at: str
    expires_at: str
    decided_by: str | None
    decided_at: str | None
    reason: str | None
    replaced_by: str | None
    effect: str | None
    undo: Any


@dataclass(frozen=True, slots=True)
class ItemState:
    """What a plan's validity hangs on, for one episode."""

    seq: int
    tier: Tier
    superseded_by: str | None
    fold_id: str | None
    in_window: str
    redacted: bool


def insert(
    tx: Transaction,
    proposal_id: str,
    kind: str,
    payload: Mapping[str, Any],
    *,
    session_id: str | None,
    base_revision: str,
    asked_by: str,
    expires_at: str,
) -> None:
    """Store a pending proposal."""
    tx.db.execute(
        "INSERT INTO proposal (proposal_id, kind, status, session_id, payload, base_revision,"
        " asked_by, created_at, expires_at) VALUES (?, ?, 'pending', ?, ?, ?, ?, ?, ?)",
        (
            proposal_id,
            kind,
            session_id,
            json.dumps(payload, ensure_ascii=False, separators=(",", ":")),
            base_revision,
            asked_by,
            tx.now(),
            expires_at,
        ),
    )


def decide(
    tx: Transaction,
    proposal_id: str,
    status: str,
    *,
    by: str,
    reason: str | None = None,
    effect: str | None = None,
    replaced_by: str | None = None,
    undo: Any = None,
) -> bool:
    """Move a pending proposal to ``status``; False if it was decided before."""
    cursor = tx.db.execute(
        "UPDATE proposal SET status = ?, decided_by = ?, decided_at = ?, reason = ?, effect = ?,"
        " replaced_by = ?, undo = ? WHERE proposal_id = ? AND status = 'pending'",
        (
            status,
            by,
            tx.now(),
            reason,
            effect,
            replaced_by,
            None if undo is None else json.dumps(undo, separators=(",", ":")),
            proposal_id,
        ),
    )
    return cursor.rowcount == 1


def mark_undone(tx: Transaction, proposal_id: str, reason: str) -> bool:
    """Move an applied proposal to undone; False if it is not applied."""
    cursor = tx.db.execute(
        "UPDATE proposal SET status = 'undone', reason = ? WHERE proposal_id = ?"
        " AND status = 'applied'",
        (reason, proposal_id),
    )
    return cursor.rowcount == 1


def set_effect(tx: Transaction, proposal_id: str, effect: str) -> None:
    """Note what became of an applied plan: advised, or enforced and by what."""
    tx.db.execute("UPDATE proposal SET effect = ? WHERE proposal_id = ?", (effect, proposal_id))


def get(db: sqlite3.Connection, proposal_id: str) -> Row | None:
    """One proposal, or None."""
    row = db.execute("SELECT * FROM proposal WHERE proposal_id = ?", (proposal_id,)).fetchone()
    return None if row is None else _row(row)


def pending(db: sqlite3.Connection, session_id: str | None = None) -> tuple[Row, ...]:
    """What waits for a decision, oldest first."""
    rows = db.execute(
        "SELECT * FROM proposal WHERE status = 'pending' AND (? IS NULL OR session_id = ?)"
        " ORDER BY created_at, rowid",
        (session_id, session_id),
    )
    return tuple(_row(row) for row in rows)


def recent(db: sqlite3.Connection, limit: int) -> tuple[Row, ...]:
    """Proposals of any status, newest first."""
    rows = db.execute(
        "SELECT * FROM proposal ORDER BY created_at DESC, rowid DESC LIMIT ?", (limit,)
    )
    return tuple(_row(row) for row in rows)


def overdue(db: sqlite3.Connection, now: str) -> tuple[str, ...]:
    """The pending proposals whose time has passed."""
    rows = db.execute(
        "SELECT proposal_id FROM proposal WHERE status = 'pending' AND expires_at <= ?"
        " ORDER BY created_at",
        (now,),
    )
    return tuple(row[0] for row in rows)


def newest_applied(db: sqlite3.Connection, session_id: str) -> str | None:
    """The session's newest applied eviction plan: the only one that can be undone."""
    row = db.execute(
        "SELECT proposal_id FROM proposal WHERE kind = 'eviction' AND status = 'applied'"
        " AND session_id = ? ORDER BY decided_at DESC, rowid DESC LIMIT 1",
        (session_id,),
    ).fetchone()
    return None if row is None else row[0]


def sentence_seen(db: sqlite3.Connection, sentence_key: str) -> bool:
    """Whether an anchor proposal of that sentence was ever made, whatever became of it."""
    return (
        db.execute(
            "SELECT 1 FROM proposal WHERE kind = 'anchor' AND base_revision = ? LIMIT 1",
            (sentence_key,),
        ).fetchone()
        is not None
    )


def item_states(db: sqlite3.Connection, seqs: Iterable[int]) -> tuple[ItemState, ...]:
    """The present state of a plan's items, by place."""
    rows = db.execute(
        "SELECT s.*, EXISTS (SELECT 1 FROM redaction r WHERE r.seq = s.seq) AS redacted"
        " FROM episode_state s WHERE s.seq IN (SELECT value FROM json_each(?)) ORDER BY s.seq",
        (json.dumps(list(seqs)),),
    )
    return tuple(
        ItemState(
            row["seq"],
            Tier(row["tier"]),
            row["superseded_by"],
            row["fold_id"],
            row["in_window"],
            bool(row["redacted"]),
        )
        for row in rows
    )


def move_tiers(tx: Transaction, moves: Iterable[tuple[int, Tier]]) -> None:
    """Set the tiers of episodes by place."""
    tx.db.executemany(
        "UPDATE episode_state SET tier = ? WHERE seq = ?",
        ((tier, seq) for seq, tier in moves),
    )


def _row(row: sqlite3.Row) -> Row:
    values = dict(row)
    values["payload"] = json.loads(values["payload"])
    values["undo"] = None if values["undo"] is None else json.loads(values["undo"])
    return Row(**values)
