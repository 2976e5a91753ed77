"""SQL of the ``event`` table: the trail of everything that happened."""

from __future__ import annotations

import json
import sqlite3

from sakur4_core.events import Event


def read_events(db: sqlite3.Connection, after: int, limit: int = 1000) -> list[Event]:
    """The events after ``after``, oldest first."""
    rows = db.execute(
        "SELECT seq, kind, created_at, actor, session_id, subject, detail FROM event"
        " WHERE seq > ? ORDER BY seq LIMIT ?",
        (after, limit),
    )
    return [_event(row) for row in rows]


def newest_events(db: sqlite3.Connection, limit: int) -> tuple[Event, ...]:
    """The newest events, oldest of them first."""
    rows = db.execute("SELECT * FROM event ORDER BY seq DESC LIMIT ?", (limit,)).fetchall()
    return tuple(_event(row) for row in reversed(rows))


def _event(row: sqlite3.Row) -> Event:
    return Event(
        row["seq"],
        row["kind"],
        row["created_at"],
        row["actor"],
        row["session_id"],
        row["subject"],
        json.loads(row["detail"]),
    )


def last_event(db: sqlite3.Connection) -> int:
    """The newest event's place, 0 where there is none."""
    value: int = db.execute("SELECT coalesce(max(seq), 0) FROM event").fetchone()[0]
    return value
