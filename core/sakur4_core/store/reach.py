"""SQL of what a harness reports of a session's context."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from sakur4_core.store.context import compactions
from sakur4_core.store.pinned import HOLDS, IN_ORDER, OF_SESSION


class Reported(NamedTuple):
    """A session's harness and how often it compacted; and the anchors that stand in no turn of
    its window, or None where the turns do not come from the harness's own transcript."""

    harness: str
    compactions: int
    missing: tuple[str, ...] | None


def reported(db: sqlite3.Connection, session_id: str, now: str) -> Reported | None:
    """What is known of a session at ``now``, in the store's notation; None where there is none."""
    row = db.execute("SELECT harness FROM session WHERE session_id = ?", (session_id,)).fetchone()
    if row is None:
        return None
    transcribed = db.execute(
        "SELECT 1 FROM harness_turn t JOIN episode e USING (seq) WHERE e.session_id = ? LIMIT 1",
        (session_id,),
    ).fetchone()
    missing = _missing(db, session_id, now) if transcribed else None
    return Reported(row[0], compactions(db, session_id), missing)


def _missing(db: sqlite3.Connection, session_id: str, now: str) -> tuple[str, ...]:
    rows = db.execute(
        f"SELECT anchor_id FROM anchor WHERE {HOLDS} AND {OF_SESSION} AND NOT EXISTS"
        " (SELECT 1 FROM episode e INDEXED BY episode_window JOIN episode_state s USING (seq)"
        "  WHERE e.session_id = ? AND s.in_window <> 'no' AND instr(e.content, anchor.content))"
        f" ORDER BY {IN_ORDER}",
        (now, session_id, session_id),
    )
    return tuple(row[0] for row in rows)
