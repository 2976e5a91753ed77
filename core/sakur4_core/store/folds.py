"""SQL of the ``fold`` table."""

from __future__ import annotations

import sqlite3

from sakur4_core.models import Fold
from sakur4_core.store.database import Transaction


def open_fold(db: sqlite3.Connection, session_id: str) -> str | None:
    """The innermost open fold of a session, or None."""
    row = db.execute(
        "SELECT fold_id FROM fold WHERE session_id = ? AND status = 'open'"
        " ORDER BY created_at DESC, rowid DESC LIMIT 1",
        (session_id,),
    ).fetchone()
    return None if row is None else row[0]


def insert(tx: Transaction, fold_id: str, session_id: str, description: str, goal: str) -> None:
    """Open a fold after the newest turn."""
    tx.db.execute(
        "INSERT INTO fold (fold_id, session_id, description, goal, status, first_seq, created_at)"
        " VALUES (?, ?, ?, ?, 'open', (SELECT coalesce(max(seq), 0) + 1 FROM episode), ?)",
        (fold_id, session_id, description, goal, tx.now()),
    )


def close(tx: Transaction, fold_id: str, summary: str, atlas_id: str | None, tokens: int) -> None:
    """Close a fold: its turns leave the prompt, its summary stands for them."""
    tx.db.execute(
        "UPDATE fold SET status = 'closed', summary = ?, atlas_id = ?, tokens_reclaimed = ?,"
        " closed_at = ? WHERE fold_id = ?",
        (summary, atlas_id, tokens, tx.now(), fold_id),
    )
    tx.db.execute(
        "INSERT INTO edge (kind, source_id, target_id, created_at)"
        " SELECT 'folded_from', ?, e.episode_id, ? FROM episode e JOIN episode_state s USING (seq)"
        " WHERE s.fold_id = ?",
        (fold_id, tx.now(), fold_id),
    )


def get(db: sqlite3.Connection, fold_id: str) -> Fold | None:
    """One fold with the ids of its turns, or None."""
    row = db.execute("SELECT * FROM fold WHERE fold_id = ?", (fold_id,)).fetchone()
    return None if row is None else _fold(db, row)


def of_session(db: sqlite3.Connection, session_id: str) -> tuple[Fold, ...]:
    """The folds of a session, oldest first."""
    rows = db.execute(
        "SELECT * FROM fold WHERE session_id = ? ORDER BY created_at, rowid", (session_id,)
    ).fetchall()
    return tuple(_fold(db, row) for row in rows)


def tokens_of(db: sqlite3.Connection, fold_id: str) -> int:
    """What the turns of a fold cost live."""
    total: int = db.execute(
        "SELECT coalesce(sum(e.token_count), 0) FROM episode e JOIN episode_state s USING (seq)"
        " WHERE s.fold_id = ?",
        (fold_id,),
    ).fetchone()[0]
    return total


def _fold(db: sqlite3.Connection, row: sqlite3.Row) -> Fold:
    episodes = db.execute(
        "SELECT e.episode_id FROM episode e JOIN episode_state s USING (seq)"
        " WHERE s.fold_id = ? ORDER BY e.seq",
        (row["fold_id"],),
    )
    return Fold(
        fold_id=row["fold_id"],
        session_id=row["session_id"],
        description=row["description"],
        goal=row["goal"],
        status=row["status"],
        summary=row["summary"],
        tokens_reclaimed=row["tokens_reclaimed"],
        episodes=tuple(episode[0] for episode in episodes),
        created_at=row["created_at"],
        closed_at=row["closed_at"],
    )
