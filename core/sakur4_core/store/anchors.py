"""SQL of the ``anchor`` table. History is kept: nothing is deleted or rewritten."""

from __future__ import annotations

import sqlite3

from sakur4_core.models import Anchor, AnchorKind, Scope
from sakur4_core.store.database import Transaction
from sakur4_core.store.pinned import HOLDS, IN_ORDER, OF_SESSION

_COLUMNS = (
    "anchor_id, kind, scope, content, session_id, pinned_by, token_cost, created_at, expires_at,"
    " unpinned_at, source_episode"
)


def insert(tx: Transaction, anchor: Anchor) -> None:
    """Write a new anchor."""
    tx.db.execute(
        f"INSERT INTO anchor ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            anchor.anchor_id,
            anchor.kind,
            anchor.scope,
            anchor.content,
            anchor.session_id,
            anchor.pinned_by,
            anchor.token_cost,
            anchor.created_at,
            anchor.expires_at,
            anchor.unpinned_at,
            anchor.source_episode,
        ),
    )


def end(tx: Transaction, anchor_id: str, *, by: str, replaced_by: str | None = None) -> None:
    """Note that an anchor no longer holds, who said so, and what stands in its place."""
    tx.db.execute(
        "UPDATE anchor SET unpinned_at = ?, unpinned_by = ?, replaced_by = ? WHERE anchor_id = ?",
        (tx.now(), by, replaced_by, anchor_id),
    )


def revive(tx: Transaction, anchor_id: str) -> None:
    """Take an unpin back."""
    tx.db.execute(
        "UPDATE anchor SET unpinned_at = NULL, unpinned_by = NULL WHERE anchor_id = ?",
        (anchor_id,),
    )


def get(db: sqlite3.Connection, anchor_id: str) -> Anchor | None:
    """One anchor, active or not."""
    row = db.execute(f"SELECT {_COLUMNS} FROM anchor WHERE anchor_id = ?", (anchor_id,)).fetchone()
    return None if row is None else _anchor(row)


def active(db: sqlite3.Connection, now: str, session_id: str | None) -> tuple[Anchor, ...]:
    """What holds now: the project's, and a session's own, in the order they are rendered."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM anchor WHERE {HOLDS} AND {OF_SESSION} ORDER BY {IN_ORDER}",
        (now, session_id),
    )
    return tuple(_anchor(row) for row in rows)


def all_active(db: sqlite3.Connection, now: str) -> tuple[Anchor, ...]:
    """What holds now in any session, in the order of rendering."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM anchor WHERE {HOLDS} ORDER BY {IN_ORDER}",
        (now,),
    )
    return tuple(_anchor(row) for row in rows)


def history(db: sqlite3.Connection, limit: int) -> tuple[Anchor, ...]:
    """Every anchor that was ever pinned, newest first."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM anchor ORDER BY created_at DESC, rowid DESC LIMIT ?", (limit,)
    )
    return tuple(_anchor(row) for row in rows)


def _anchor(row: sqlite3.Row) -> Anchor:
    values = dict(row)
    return Anchor(
        **{**values, "kind": AnchorKind(values["kind"]), "scope": Scope(values["scope"])}
    )
