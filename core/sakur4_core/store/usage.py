"""SQL of the ``usage`` table: what providers reported, with what was known at that moment."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Final, NamedTuple

from sakur4_core.models import Usage
from sakur4_core.store.database import Transaction

# The newest reports of a model that its tokens are calibrated from.
REPORTS: Final = 200

_USAGE: Final = (
    "session_id, turn, context_tokens, input_tokens, completion_tokens, cache_read_tokens,"
    " cache_write_tokens, provider, model, created_at, message_id"
)
_KNOWN: Final = (
    "after_seq, counter, local_count, epoch, verdict, cause, predicted_reuse, price, break_price"
)


@dataclass(frozen=True, slots=True)
class UsageRow:
    """A usage report with what was known locally at its moment.

    Attributes:
        after_seq: The last episode that the reported prompt can have held.
        counter: What ``local_count`` was counted with.
        local_count: What the known parts of that prompt counted, or None.
        epoch: How many compactions the session had had.
        verdict: The cache verdict's word, with its ``cause``.
        predicted_reuse: Tokens of the prompt that a backend's cache held, by prediction.
        price: USD of the call by the price list, or None.
        break_price: USD that a broken prefix cost beyond a kept one, or None.
    """

    usage: Usage
    after_seq: int
    counter: str | None
    local_count: int | None
    epoch: int
    verdict: str | None
    cause: str | None
    predicted_reuse: int | None = None
    price: float | None = None
    break_price: float | None = None


_JUDGED: Final = ", ".join(
    "iif(usage.context_tokens IS excluded.context_tokens"
    " AND usage.cache_read_tokens IS excluded.cache_read_tokens,"
    f" usage.{name}, excluded.{name})"
    for name in ("verdict", "cause", "predicted_reuse", "break_price")
)


class Report(NamedTuple):
    """What one report says of a model's tokens: the local count, and what was measured."""

    session_id: str
    epoch: int
    local: int
    measured: int


def put_usage(tx: Transaction, row: UsageRow) -> None:
    """Store a report; a later row of the same message takes the place of the earlier.

    What was known when the message was first reported stays as it was then.
    """
    usage = row.usage
    tx.db.execute(
        f"INSERT INTO usage ({_USAGE}, {_KNOWN})"
        f" VALUES ({', '.join('?' * 20)})"
        " ON CONFLICT (session_id, message_id) WHERE message_id IS NOT NULL DO UPDATE SET"
        " context_tokens = excluded.context_tokens, input_tokens = excluded.input_tokens,"
        " completion_tokens = excluded.completion_tokens,"
        " cache_read_tokens = excluded.cache_read_tokens,"
        " cache_write_tokens = excluded.cache_write_tokens, provider = excluded.provider,"
        " model = excluded.model, price = excluded.price,"
        # A row that only knows more of the answer says nothing new of the cache.
        f" (verdict, cause, predicted_reuse, break_price) = (SELECT {_JUDGED})",
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
            row.after_seq,
            row.counter,
            row.local_count,
            row.epoch,
            row.verdict,
            row.cause,
            row.predicted_reuse,
            row.price,
            row.break_price,
        ),
    )


def newest_usage(
    db: sqlite3.Connection, session_id: str, *, other_than: str | None = None
) -> UsageRow | None:
    """The last report of a session; ``other_than`` leaves one message's own row out."""
    row = db.execute(
        f"SELECT {_USAGE}, {_KNOWN} FROM usage"
        " WHERE session_id = ? AND (? IS NULL OR message_id IS NULL OR message_id <> ?)"
        " ORDER BY usage_row DESC LIMIT 1",
        (session_id, other_than, other_than),
    ).fetchone()
    return None if row is None else UsageRow(Usage(*row[:11]), *row[11:])


def reports_of(db: sqlite3.Connection, model: str | None, counter: str) -> tuple[Report, ...]:
    """The newest reports of a model that were counted with ``counter``, oldest first."""
    if model is None:
        return ()
    rows = db.execute(
        "SELECT session_id, epoch, local_count, context_tokens FROM usage"
        " WHERE model = ? AND counter = ? AND local_count > 0"
        " ORDER BY usage_row DESC LIMIT ?",
        (model, counter, REPORTS),
    ).fetchall()
    return tuple(Report(*row) for row in reversed(rows))


def cached_before(db: sqlite3.Connection, session_id: str) -> bool:
    """Whether any report of the session told of cached tokens, so that there is a cache."""
    return (
        db.execute(
            "SELECT 1 FROM usage WHERE session_id = ? AND cache_read_tokens > 0 LIMIT 1",
            (session_id,),
        ).fetchone()
        is not None
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
