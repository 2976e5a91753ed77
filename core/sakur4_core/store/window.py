"""SQL that reads the window: what a session's prompt is made of, without any content.

A session of ten thousand episodes costs milliseconds; contents are read for the few that
are rendered.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from sakur4_core.models import Role, Tier
from sakur4_core.store.context import compactions
from sakur4_core.store.database import Transaction
from sakur4_core.store.usage import Report, UsageRow, newest_usage, reports_of

# Looked up by the stored word: calling the enum costs more than the rest of a row.
_ROLES: Final = {role.value: role for role in Role}
_RUNGS: Final = {tier.value: rung for rung, tier in enumerate(Tier)}


BEGINNING_CHARS: Final = 600


class WindowRow(NamedTuple):
    """One episode of the window, without its content; a tuple, since there are thousands.

    Attributes:
        tokens: What it costs verbatim, by the counter of its commit.
        rung: How many steps down the next prompt will render it.
        sent_rung: The same of the prompts sent so far; differs while an approved plan is only
            advised.
        redacted: Whether its content is a tombstone.
    """

    seq: int
    episode_id: str
    turn: int
    role: Role
    tool_name: str | None
    tool_call_id: str | None
    tokens: int
    rung: int
    sent_rung: int
    droppable: bool
    superseded_by: str | None
    redacted: bool


@dataclass(frozen=True, slots=True)
class PartRow:
    """A system prompt or tool schemas that a caller submitted."""

    name: str
    content: str
    tokens: int
    created_at: str


@dataclass(frozen=True, slots=True)
class FoldRow:
    """A closed fold: its summary stands in the prompt for its episodes."""

    fold_id: str
    summary: str


@dataclass(frozen=True, slots=True)
class Frame:
    """Everything about one session's window, read in one snapshot of the store.

    Attributes:
        rows: The episodes in the window, oldest first; those of closed folds are left out.
        left_window: How many episodes are out of it.
        open_fold_seq: Episodes from this place on belong to an open fold, or None.
        dependants: How many things were derived from an episode, by its place.
        summarised: Places of episodes that a summary is anchored to.
        usage: The newest report that still describes the window, or None.
        reports: What is known of the model's tokens, from all its sessions.
        largest_context: The largest prompt ever reported for the session.
    """

    session_id: str
    slot_id: int | None
    model: str | None
    provider: str | None
    turn: int
    rows: tuple[WindowRow, ...]
    left_window: int
    parts: tuple[PartRow, ...]
    folds: tuple[FoldRow, ...]
    open_fold_seq: int | None
    dependants: Mapping[int, int]
    summarised: frozenset[int]
    usage: UsageRow | None
    reports: tuple[Report, ...]
    largest_context: int
    compactions: int


def version(db: sqlite3.Connection) -> tuple[int, int]:
    """A mark of the snapshot that is read: equal marks mean that nothing was committed between.

    SQLite's number is comparable within one connection only, so the connection is part of it.
    """
    number: int = db.execute("PRAGMA data_version").fetchone()[0]
    return id(db), number


def frame(db: sqlite3.Connection, session_id: str, counter: str) -> Frame | None:
    """The window of a session, or None where there is no such session.

    Args:
        counter: What local counts are counted with; reports counted otherwise are left out.
    """
    session = db.execute(
        "SELECT slot_id, model FROM session WHERE session_id = ?", (session_id,)
    ).fetchone()
    if session is None:
        return None
    usage = newest_usage(db, session_id)
    epoch = compactions(db, session_id)
    model = (usage.usage.model if usage else None) or session["model"]
    return Frame(
        session_id=session_id,
        slot_id=session["slot_id"],
        model=model,
        provider=usage.usage.provider if usage else None,
        turn=_count(
            db, "SELECT coalesce(max(turn), 0) FROM episode WHERE session_id = ?", session_id
        ),
        rows=_rows(db, session_id),
        left_window=_count(
            db,
            "SELECT count(*) FROM episode e JOIN episode_state s USING (seq)"
            " WHERE e.session_id = ? AND s.in_window = 'no'",
            session_id,
        ),
        parts=_parts(db, session_id),
        folds=_folds(db, session_id),
        open_fold_seq=db.execute(
            "SELECT min(first_seq) FROM fold WHERE session_id = ? AND status = 'open'",
            (session_id,),
        ).fetchone()[0],
        dependants=_dependants(db, session_id),
        summarised=_summarised(db, session_id),
        # A report from before a compaction says nothing of the window after it.
        usage=usage if usage is not None and usage.epoch == epoch else None,
        reports=reports_of(db, model, counter),
        largest_context=_count(
            db,
            "SELECT coalesce(max(context_tokens), 0) FROM usage WHERE session_id = ?",
            session_id,
        ),
        compactions=epoch,
    )


def contents(db: sqlite3.Connection, seqs: Iterable[int]) -> dict[int, str]:
    """The texts of episodes by place."""
    rows = db.execute(
        "SELECT seq, content FROM episode WHERE seq IN (SELECT value FROM json_each(?))",
        (json.dumps(list(seqs)),),
    )
    return {row[0]: row[1] for row in rows}


def beginnings(db: sqlite3.Connection, seqs: Iterable[int]) -> dict[int, str]:
    """The first characters of episodes by place, enough for a line."""
    rows = db.execute(
        "SELECT seq, substr(content, 1, ?) FROM episode"
        " WHERE seq IN (SELECT value FROM json_each(?))",
        (BEGINNING_CHARS, json.dumps(list(seqs))),
    )
    return {row[0]: row[1] for row in rows}


def _count(db: sqlite3.Connection, query: str, session_id: str) -> int:
    value: int = db.execute(query, (session_id,)).fetchone()[0]
    return value


def _rows(db: sqlite3.Connection, session_id: str) -> tuple[WindowRow, ...]:
    sent = _sent_rungs(db, session_id)
    rows = db.execute(
        "SELECT e.seq, e.episode_id, e.turn, e.role, e.tool_name, e.tool_call_id, e.token_count,"
        " s.tier, s.droppable, s.superseded_by, r.seq"
        " FROM episode e INDEXED BY episode_window JOIN episode_state s USING (seq)"
        " LEFT JOIN redaction r USING (seq) LEFT JOIN fold f ON f.fold_id = s.fold_id"
        " WHERE e.session_id = ? AND s.in_window <> 'no'"
        " AND (f.status IS NULL OR f.status <> 'closed') ORDER BY e.seq",
        (session_id,),
    )
    rows.row_factory = None
    roles, rungs = _ROLES, _RUNGS
    return tuple(
        WindowRow(
            row[0],
            row[1],
            row[2],
            roles[row[3]],
            row[4],
            row[5],
            row[6],
            rungs[row[7]],
            sent.get(row[0], rungs[row[7]]),
            bool(row[8]),
            row[9],
            row[10] is not None,
        )
        for row in rows
    )


def _sent_rungs(db: sqlite3.Connection, session_id: str) -> dict[int, int]:
    """The rungs before the plans that are applied but only advised; the oldest plan wins."""
    rows = db.execute(
        "SELECT undo FROM proposal WHERE session_id = ? AND kind = 'eviction'"
        " AND status = 'applied' AND effect = 'advised' AND undo IS NOT NULL"
        " ORDER BY decided_at DESC, rowid DESC",
        (session_id,),
    )
    return {move[0]: _RUNGS[move[1]] for row in rows for move in json.loads(row[0])}


def _parts(db: sqlite3.Connection, session_id: str) -> tuple[PartRow, ...]:
    rows = db.execute(
        "SELECT name, content, tokens, created_at FROM prompt_part WHERE session_id = ?"
        " ORDER BY name",
        (session_id,),
    )
    return tuple(PartRow(*row) for row in rows)


def _folds(db: sqlite3.Connection, session_id: str) -> tuple[FoldRow, ...]:
    rows = db.execute(
        "SELECT fold_id, coalesce(summary, '') FROM fold"
        " WHERE session_id = ? AND status = 'closed' ORDER BY first_seq, fold_id",
        (session_id,),
    )
    return tuple(FoldRow(*row) for row in rows)


def _dependants(db: sqlite3.Connection, session_id: str) -> dict[int, int]:
    rows = db.execute(
        "SELECT e.seq, count(*) FROM edge d CROSS JOIN episode e ON e.episode_id = d.target_id"
        " WHERE d.kind = 'derived_from' AND e.session_id = ? GROUP BY e.seq",
        (session_id,),
    )
    return {row[0]: row[1] for row in rows}


def _summarised(db: sqlite3.Connection, session_id: str) -> frozenset[int]:
    rows = db.execute(
        "SELECT e.seq FROM atlas t JOIN atlas_anchor a USING (atlas_id)"
        " CROSS JOIN episode e ON e.episode_id = a.anchor_id"
        " WHERE t.retired_at IS NULL AND a.anchor_type = 'episode' AND e.session_id = ?",
        (session_id,),
    )
    return frozenset(row[0] for row in rows)


def counts_of(
    db: sqlite3.Connection, seqs: Iterable[int], counters: Iterable[str]
) -> dict[int, dict[str, int]]:
    """What episodes cost by counters other than their commit's, by place and counter."""
    rows = db.execute(
        "SELECT seq, counter, tokens FROM token_count"
        " WHERE seq IN (SELECT value FROM json_each(?))"
        " AND counter IN (SELECT value FROM json_each(?))",
        (json.dumps(list(seqs)), json.dumps(list(counters))),
    )
    found: dict[int, dict[str, int]] = {}
    for seq, counter, tokens in rows:
        found.setdefault(seq, {})[counter] = tokens
    return found


def put_counts(tx: Transaction, counts: Iterable[tuple[int, str, int]]) -> None:
    """Remember what episodes cost by a counter: place, counter, tokens."""
    tx.db.executemany(
        "INSERT INTO token_count (seq, counter, tokens) VALUES (?, ?, ?)"
        " ON CONFLICT (seq, counter) DO UPDATE SET tokens = excluded.tokens",
        counts,
    )
