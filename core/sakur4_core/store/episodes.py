"""SQL of the transcript: ``episode``, ``episode_state``, ``redaction``, ``episode_fts``."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sakur4_core.models import Episode, InWindow, Role, Tier
from sakur4_core.store.database import Transaction

_COLUMNS = (
    "e.seq, e.episode_id, e.session_id, e.turn, e.role, e.content, e.tool_name, e.tool_call_id,"
    " e.token_count, e.origin, e.created_at, s.tier, s.droppable, s.superseded_by, s.fold_id,"
    " s.in_window, EXISTS (SELECT 1 FROM redaction r WHERE r.seq = e.seq) AS redacted"
)
_FROM = " FROM episode e JOIN episode_state s USING (seq)"


@dataclass(frozen=True, slots=True)
class NewEpisode:
    """A row of ``episode`` before its place, its turn and its chain are known.

    Attributes:
        created_at: When it was said; None for the moment of its transaction.
        opens_turn: Whether a turn begins with it; None to let its role say.
    """

    episode_id: str
    session_id: str
    role: Role
    content: str
    tool_name: str | None
    tool_call_id: str | None
    token_count: int
    origin: str
    idempotency_key: str | None
    content_hash: str
    search_text: str
    in_window: InWindow = InWindow.YES
    fold_id: str | None = None
    created_at: str | None = None
    opens_turn: bool | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """A new row with its place in the transcript: what :func:`insert_all` writes."""

    new: NewEpisode
    seq: int
    turn: int
    created_at: str
    chain_hash: str


@dataclass(frozen=True, slots=True)
class Link:
    """One row as the chain sees it: everything but the content, whose keyed hash stands in."""

    seq: int
    fields: tuple[str | int | None, ...]
    content: str
    content_hash: str
    chain_hash: str
    tombstone: str | None


@dataclass(frozen=True, slots=True)
class Filter:
    """What a page of the transcript is limited to; None means all."""

    session_id: str | None = None
    role: str | None = None
    tool_name: str | None = None
    tier: str | None = None
    text: str | None = None

    def where(self) -> tuple[str, list[str]]:
        """The conditions and their parameters."""
        conditions, values = ["1"], []
        for column, value in (
            ("e.session_id", self.session_id),
            ("e.role", self.role),
            ("e.tool_name", self.tool_name),
            ("s.tier", self.tier),
        ):
            if value is not None:
                conditions.append(f"{column} = ?")
                values.append(value)
        if self.text:
            conditions.append("instr(lower(e.content), lower(?)) > 0")
            values.append(self.text)
        return " AND ".join(conditions), values


def last_chain(db: sqlite3.Connection) -> tuple[int, str]:
    """The newest row's place and chain hash; ``(0, "")`` for an empty transcript."""
    row = db.execute("SELECT seq, chain_hash FROM episode ORDER BY seq DESC LIMIT 1").fetchone()
    return (0, "") if row is None else (row["seq"], row["chain_hash"])


def last_turn(db: sqlite3.Connection, session_id: str) -> int:
    """The newest turn of a session; 0 for one without episodes."""
    row = db.execute(
        "SELECT turn FROM episode WHERE session_id = ? ORDER BY seq DESC LIMIT 1", (session_id,)
    ).fetchone()
    return 0 if row is None else row[0]


def insert_all(tx: Transaction, rows: Sequence[Placed]) -> None:
    """Write the rows, their states and their words."""
    tx.db.executemany(
        "INSERT INTO episode (seq, episode_id, session_id, turn, role, content, tool_name,"
        " tool_call_id, token_count, origin, created_at, idempotency_key, content_hash,"
        " chain_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        map(_columns, rows),
    )
    tx.db.executemany(
        "INSERT INTO episode_state (seq, in_window, fold_id) VALUES (?, ?, ?)",
        [(row.seq, str(row.new.in_window), row.new.fold_id) for row in rows],
    )
    tx.db.executemany(
        "INSERT INTO episode_fts (rowid, text) VALUES (?, ?)",
        [(row.seq, row.new.search_text) for row in rows],
    )


def _columns(row: Placed) -> tuple[str | int | None, ...]:
    new = row.new
    return (
        row.seq,
        new.episode_id,
        new.session_id,
        row.turn,
        str(new.role),
        new.content,
        new.tool_name,
        new.tool_call_id,
        new.token_count,
        new.origin,
        row.created_at,
        new.idempotency_key,
        new.content_hash,
        row.chain_hash,
    )


def by_key(db: sqlite3.Connection, session_id: str, key: str) -> Episode | None:
    """The episode committed under an idempotency key, or None."""
    return _one(db, "e.session_id = ? AND e.idempotency_key = ?", (session_id, key))


def by_id(db: sqlite3.Connection, episode_id: str) -> Episode | None:
    """One episode by its id, or None."""
    return _one(db, "e.episode_id = ?", (episode_id,))


def by_seq(db: sqlite3.Connection, seq: int) -> Episode | None:
    """One episode by its place, or None."""
    return _one(db, "e.seq = ?", (seq,))


def page(
    db: sqlite3.Connection, chosen: Filter, *, before: int | None, limit: int
) -> tuple[Episode, ...]:
    """Episodes that pass the filter, newest first, those before ``before``."""
    where, values = chosen.where()
    if before is not None:
        where += " AND e.seq < ?"
    rows = db.execute(
        f"SELECT {_COLUMNS}{_FROM} WHERE {where} ORDER BY e.seq DESC LIMIT ?",
        (*values, *(() if before is None else (before,)), limit),
    )
    return tuple(_episode(row) for row in rows)


def count(db: sqlite3.Connection, chosen: Filter) -> int:
    """How many episodes pass the filter."""
    where, values = chosen.where()
    total: int = db.execute(f"SELECT count(*){_FROM} WHERE {where}", values).fetchone()[0]
    return total


def of_fold(db: sqlite3.Connection, fold_id: str) -> tuple[Episode, ...]:
    """The turns of a fold, in order."""
    rows = db.execute(f"SELECT {_COLUMNS}{_FROM} WHERE s.fold_id = ? ORDER BY e.seq", (fold_id,))
    return tuple(_episode(row) for row in rows)


def supersede(tx: Transaction, old_id: str, new_id: str) -> None:
    """Mark an episode as corrected by another: superseded, droppable, with its edge."""
    tx.db.execute(
        "UPDATE episode_state SET superseded_by = ?, droppable = 1"
        " WHERE seq = (SELECT seq FROM episode WHERE episode_id = ?)",
        (new_id, old_id),
    )
    tx.db.execute(
        "INSERT INTO edge (kind, source_id, target_id, created_at) VALUES ('supersedes', ?, ?, ?)",
        (new_id, old_id, tx.now()),
    )


def set_in_window(tx: Transaction, seqs: Iterable[int], state: InWindow) -> None:
    """Note whether episodes are in the model's window."""
    tx.db.executemany(
        "UPDATE episode_state SET in_window = ? WHERE seq = ?", ((state, seq) for seq in seqs)
    )


def links(db: sqlite3.Connection) -> Iterator[Link]:
    """The whole transcript in order, as the chain sees it."""
    rows = db.execute(
        "SELECT e.*, r.tombstone FROM episode e LEFT JOIN redaction r USING (seq) ORDER BY e.seq"
    )
    for row in rows:
        yield Link(
            row["seq"],
            chain_fields(
                row["seq"],
                row["episode_id"],
                row["session_id"],
                row["turn"],
                row["role"],
                row["tool_name"],
                row["tool_call_id"],
                row["token_count"],
                row["origin"],
                row["created_at"],
                row["idempotency_key"],
            ),
            row["content"],
            row["content_hash"],
            row["chain_hash"],
            row["tombstone"],
        )


def chain_fields(*fields: str | int | None) -> tuple[str | int | None, ...]:
    """The columns that the chain covers, in their fixed order."""
    return fields


def highest_seq(db: sqlite3.Connection) -> int:
    """The highest place ever given out; more than the last row's if rows were cut off."""
    row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'episode'").fetchone()
    return 0 if row is None else row["seq"]


def entomb(tx: Transaction, seq: int, *, tombstone: str, reason: str, search_text: str) -> None:
    """Replace a content by its tombstone, with its redaction row, and forget its words."""
    tx.db.execute(
        "INSERT INTO redaction (seq, tombstone, reason, created_at) VALUES (?, ?, ?, ?)",
        (seq, tombstone, reason, tx.now()),
    )
    tx.db.execute("UPDATE episode SET content = ? WHERE seq = ?", (tombstone, seq))
    tx.db.execute(
        "INSERT INTO episode_fts (episode_fts, rowid, text) VALUES ('delete', ?, ?)",
        (seq, search_text),
    )


def _one(db: sqlite3.Connection, where: str, values: tuple[str | int, ...]) -> Episode | None:
    row = db.execute(f"SELECT {_COLUMNS}{_FROM} WHERE {where}", values).fetchone()
    return None if row is None else _episode(row)


def _episode(row: sqlite3.Row) -> Episode:
    return Episode(
        seq=row["seq"],
        episode_id=row["episode_id"],
        session_id=row["session_id"],
        turn=row["turn"],
        role=Role(row["role"]),
        content=row["content"],
        tool_name=row["tool_name"],
        tool_call_id=row["tool_call_id"],
        token_count=row["token_count"],
        origin=row["origin"],
        created_at=row["created_at"],
        tier=Tier(row["tier"]),
        droppable=bool(row["droppable"]),
        superseded_by=row["superseded_by"],
        fold_id=row["fold_id"],
        in_window=InWindow(row["in_window"]),
        redacted=bool(row["redacted"]),
    )
