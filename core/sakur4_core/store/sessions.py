"""SQL of the ``session`` table."""

from __future__ import annotations

import sqlite3

from sakur4_core.models import Session
from sakur4_core.store.database import Transaction

_COLUMNS = (
    "session_id, harness, parent_session, slot_id, model, branch, created_at, title, last_seen_at"
)


def ensure(
    tx: Transaction,
    session_id: str,
    *,
    harness: str,
    parent_session: str | None = None,
    slot_id: int | None = None,
    model: str | None = None,
    branch: str | None = None,
    title: str | None = None,
) -> bool:
    """Create the session if it is new, else note what became known; return whether it is new."""
    now = tx.now()
    known = tx.db.execute(
        "UPDATE session SET last_seen_at = ?, slot_id = coalesce(?, slot_id),"
        " model = coalesce(?, model), branch = coalesce(?, branch), title = coalesce(?, title)"
        " WHERE session_id = ?",
        (now, slot_id, model, branch, title, session_id),
    )
    if known.rowcount:
        return False
    tx.db.execute(
        f"INSERT INTO session ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (session_id, harness, parent_session, slot_id, model, branch, now, title, now),
    )
    return True


def get(db: sqlite3.Connection, session_id: str) -> Session | None:
    """One session, or None."""
    row = db.execute(
        f"SELECT {_COLUMNS} FROM session WHERE session_id = ?", (session_id,)
    ).fetchone()
    return None if row is None else Session(*row)


def newest(db: sqlite3.Connection, limit: int) -> tuple[Session, ...]:
    """Sessions, the one heard of last first."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM session ORDER BY last_seen_at DESC, rowid DESC LIMIT ?", (limit,)
    )
    return tuple(Session(*row) for row in rows)
