"""SQL of what was sent and what it cost: ``usage``, ``receipt``, ``prompt_part``, ``snapshot``."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from sakur4_core.models import Usage
from sakur4_core.store.database import Transaction

_USAGE = (
    "session_id, turn, context_tokens, input_tokens, completion_tokens, cache_read_tokens,"
    " cache_write_tokens, provider, model, created_at, message_id"
)


@dataclass(frozen=True, slots=True)
class UsageRow:
    """A usage report with what was known locally at its moment.

    Attributes:
        after_seq: The last episode that the reported prompt can have held.
        local_count: What the known parts of that prompt counted, or None.
        verdict: The cache verdict's word, with its ``cause``.
    """

    usage: Usage
    after_seq: int
    local_count: int | None
    verdict: str | None
    cause: str | None


# -- usage ---------------------------------------------------------------------


def put_usage(
    tx: Transaction,
    usage: Usage,
    *,
    after_seq: int,
    local_count: int,
    verdict: str,
    cause: str | None,
    price: float | None,
) -> None:
    """Store a report; a later row of the same message takes the place of the earlier."""
    tx.db.execute(
        f"INSERT INTO usage ({_USAGE}, after_seq, local_count, verdict, cause, price)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (session_id, message_id) WHERE message_id IS NOT NULL DO UPDATE SET"
        " context_tokens = excluded.context_tokens, input_tokens = excluded.input_tokens,"
        " completion_tokens = excluded.completion_tokens,"
        " cache_read_tokens = excluded.cache_read_tokens,"
        " cache_write_tokens = excluded.cache_write_tokens, provider = excluded.provider,"
        " model = excluded.model, verdict = excluded.verdict, cause = excluded.cause,"
        " price = excluded.price",
        (
            usage.session_id,
            usage.turn,
            usage.context_tokens,
            usage.input_tokens,
            usage.completion_tokens,
            usage.cache_read_tokens,
            usage.cache_write_tokens,
            usage.provider,
            usage.model,
            usage.created_at,
            usage.message_id,
            after_seq,
            local_count,
            verdict,
            cause,
            price,
        ),
    )


def newest_usage(
    db: sqlite3.Connection, session_id: str, *, other_than: str | None = None
) -> UsageRow | None:
    """The last report of a session; ``other_than`` leaves one message's own row out."""
    row = db.execute(
        f"SELECT {_USAGE}, after_seq, local_count, verdict, cause FROM usage"
        " WHERE session_id = ? AND (? IS NULL OR message_id IS NULL OR message_id <> ?)"
        " ORDER BY usage_row DESC LIMIT 1",
        (session_id, other_than, other_than),
    ).fetchone()
    if row is None:
        return None
    return UsageRow(
        Usage(*row[:11]), row["after_seq"], row["local_count"], row["verdict"], row["cause"]
    )


def prices(db: sqlite3.Connection, session_id: str) -> tuple[float | None, float | None]:
    """What the newest call and the whole session cost in USD; None where not fully known."""
    newest = db.execute(
        "SELECT price FROM usage WHERE session_id = ? ORDER BY usage_row DESC LIMIT 1",
        (session_id,),
    ).fetchone()
    total, unknown = db.execute(
        "SELECT sum(price), count(*) - count(price) FROM usage WHERE session_id = ?",
        (session_id,),
    ).fetchone()
    return (None if newest is None else newest[0]), (None if unknown else total)


def moved_since(db: sqlite3.Connection, session_id: str, moment: str) -> tuple[str, ...]:
    """What happened to a session's prefix since ``moment``: event kinds, sorted."""
    rows = db.execute(
        "SELECT DISTINCT kind FROM event WHERE session_id = ? AND created_at >= ? AND kind IN"
        " ('window.compacted', 'plan.enforced', 'plan.undone', 'fold.closed')"
        " ORDER BY kind",
        (session_id, moment),
    )
    return tuple(row[0] for row in rows)


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
