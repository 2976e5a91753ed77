"""What recall reads: ranked matches within a scope, then the rows behind the best of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sakur4_core.events import INDEX_UPDATED, RECALL_RAN
from sakur4_core.models import Fact, FactKind, Role, StaleAnchor, Tier
from sakur4_core.store.database import Transaction
from sakur4_core.store.packing import EDGE_KINDS, edges_in, numbers

EPISODE: Final = "episode"
SUMMARY: Final = "summary"
FACT: Final = "fact"
KINDS: Final = (EPISODE, SUMMARY, FACT)

VALUE_CHARS = 400

# What narrows turns besides their session; lists are JSON.
_NARROWED = (
    " AND (:roles IS NULL OR e.role IN (SELECT value FROM json_each(:roles)))"
    " AND (:tools IS NULL OR e.tool_name IN (SELECT value FROM json_each(:tools)))"
    " AND (:tiers IS NULL OR s.tier IN (SELECT value FROM json_each(:tiers)))"
    " AND (:since IS NULL OR e.created_at >= :since)"
    " AND (:until IS NULL OR e.created_at <= :until)"
)
# Scope stands before the limit: a busy session never crowds a quiet one out. Of equal scores
# the newer row comes first.
_MATCHES = {
    EPISODE: (
        "SELECT episode_fts.rowid AS row, -bm25(episode_fts) AS score FROM episode_fts"
        " JOIN episode e ON e.seq = episode_fts.rowid"
        " JOIN episode_state s ON s.seq = e.seq"
        " WHERE episode_fts MATCH :match AND (:session IS NULL OR e.session_id = :session)"
        f"{_NARROWED}"
        " ORDER BY score DESC, row DESC LIMIT :limit"
    ),
    SUMMARY: (
        "SELECT atlas_fts.rowid AS row, -bm25(atlas_fts) AS score FROM atlas_fts"
        " JOIN atlas_row r ON r.row = atlas_fts.rowid"
        " JOIN atlas a ON a.atlas_id = r.atlas_id AND a.retired_at IS NULL"
        " WHERE atlas_fts MATCH :match"
        " AND (:session IS NULL OR a.session_id IS NULL OR a.session_id = :session)"
        " ORDER BY score DESC, row DESC LIMIT :limit"
    ),
    FACT: (
        "SELECT fact_fts.rowid AS row, -bm25(fact_fts) AS score FROM fact_fts"
        " WHERE fact_fts MATCH :match ORDER BY score DESC, row DESC LIMIT :limit"
    ),
}
_HAS = {
    EPISODE: "SELECT 1 FROM episode_fts WHERE episode_fts MATCH ? LIMIT 1",
    SUMMARY: "SELECT 1 FROM atlas_fts WHERE atlas_fts MATCH ? LIMIT 1",
    FACT: "SELECT 1 FROM fact_fts WHERE fact_fts MATCH ? LIMIT 1",
}
_HOLDS = {
    EPISODE: "SELECT 1 FROM episode_fts WHERE episode_fts MATCH ? AND rowid = ?",
    SUMMARY: "SELECT 1 FROM atlas_fts WHERE atlas_fts MATCH ? AND rowid = ?",
    FACT: "SELECT 1 FROM fact_fts WHERE fact_fts MATCH ? AND rowid = ?",
}
_NEWEST = {
    EPISODE: (
        "SELECT e.seq AS row FROM episode e JOIN episode_state s ON s.seq = e.seq"
        " WHERE (:session IS NULL OR e.session_id = :session)"
        f"{_NARROWED} ORDER BY e.seq DESC LIMIT :limit"
    ),
    SUMMARY: (
        "SELECT r.row FROM atlas a JOIN atlas_row r USING (atlas_id)"
        " WHERE a.retired_at IS NULL"
        " AND (:session IS NULL OR a.session_id IS NULL OR a.session_id = :session)"
        " ORDER BY a.created_at DESC, r.row DESC LIMIT :limit"
    ),
}


@dataclass(frozen=True, slots=True)
class Scope:
    """A part of a store; it holds before any limit. None means all.

    Attributes:
        kinds: Of ``episode``, ``summary`` and ``fact``.
        session_id: Turns of one session; summaries of it and of none. Facts are the project's.
        roles, tools, tiers: Turns of these only.
        since, until: Times in the store's notation between which a turn was committed.
    """

    kinds: tuple[str, ...] = KINDS
    session_id: str | None = None
    roles: tuple[str, ...] | None = None
    tools: tuple[str, ...] | None = None
    tiers: tuple[str, ...] | None = None
    since: str | None = None
    until: str | None = None

    @property
    def narrowed(self) -> bool:
        """Whether it narrows turns by what only the store knows."""
        return not (self.tiers is None and self.since is None and self.until is None)

    def bound(self) -> dict[str, str | None]:
        """The values that the statements name."""
        return {
            "session": self.session_id,
            "roles": _listed(self.roles),
            "tools": _listed(self.tools),
            "tiers": _listed(self.tiers),
            "since": self.since,
            "until": self.until,
        }


@dataclass(frozen=True, slots=True)
class Turn:
    """A row of the transcript as an index needs it."""

    seq: int
    session_id: str
    role: str
    tool_name: str | None
    content: str
    created_at: str


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """An episode as recall returns it, whatever its tier."""

    seq: int
    episode_id: str
    session_id: str
    role: Role
    tool_name: str | None
    content: str
    token_count: int
    created_at: str
    tier: Tier
    superseded_by: str | None
    superseded_seq: int | None


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """A summary, with what of its ground has moved and the files that it rests on."""

    row: int
    atlas_id: str
    content: str
    token_count: int
    session_id: str | None
    created_at: str
    origin: str
    stale: tuple[StaleAnchor, ...]
    files: tuple[str, ...]


def match(
    db: sqlite3.Connection, kind: str, expression: str, scope: Scope, limit: int
) -> list[tuple[int, float]]:
    """The rows of one kind that match an FTS5 expression, best first, with BM25 (higher is
    better)."""
    bound = {"match": expression, "limit": limit, **scope.bound()}
    return [(row["row"], row["score"]) for row in db.execute(_MATCHES[kind], bound)]


def has_match(db: sqlite3.Connection, kind: str, expression: str) -> bool:
    """Whether any row of one kind matches."""
    return db.execute(_HAS[kind], (expression,)).fetchone() is not None


def row_matches(db: sqlite3.Connection, kind: str, expression: str, row: int) -> bool:
    """Whether one row matches."""
    return db.execute(_HOLDS[kind], (expression, row)).fetchone() is not None


def newest(db: sqlite3.Connection, kind: str, scope: Scope, limit: int) -> list[int]:
    """The newest rows of one kind; facts have no time, so there are none of them."""
    if kind not in _NEWEST:
        return []
    bound = {"limit": limit, **scope.bound()}
    return [row["row"] for row in db.execute(_NEWEST[kind], bound)]


def superseded(db: sqlite3.Connection, seqs: Iterable[int]) -> set[int]:
    """Which of these episodes were corrected later."""
    rows = db.execute(
        "SELECT seq FROM episode_state"
        " WHERE superseded_by IS NOT NULL AND seq IN (SELECT value FROM json_each(?))",
        (json.dumps(list(seqs)),),
    )
    return {row["seq"] for row in rows}


def episodes(db: sqlite3.Connection, seqs: Sequence[int]) -> dict[int, EpisodeRow]:
    """The episodes at these places, by place."""
    rows = db.execute(
        "SELECT e.seq, e.episode_id, e.session_id, e.role, e.tool_name, e.content,"
        " e.token_count, e.created_at, s.tier, s.superseded_by, later.seq AS superseded_seq"
        " FROM episode e JOIN episode_state s USING (seq)"
        " LEFT JOIN episode later ON later.episode_id = s.superseded_by"
        " WHERE e.seq IN (SELECT value FROM json_each(?))",
        (json.dumps(list(seqs)),),
    )
    return {
        row["seq"]: EpisodeRow(
            **{**dict(row), "role": Role(row["role"]), "tier": Tier(row["tier"])}
        )
        for row in rows
    }


def summaries(db: sqlite3.Connection, rows: Sequence[int]) -> dict[int, SummaryRow]:
    """The summaries at these index rows, their staleness as of this very read."""
    found = {}
    for row in db.execute(
        "SELECT r.row, a.atlas_id, a.content, a.token_count, a.session_id,"
        " a.created_at, a.origin"
        " FROM atlas_row r JOIN atlas a ON a.atlas_id = r.atlas_id AND a.retired_at IS NULL"
        " WHERE r.row IN (SELECT value FROM json_each(?))",
        (json.dumps(list(rows)),),
    ):
        stale, files = _ground(db, row["atlas_id"])
        found[row["row"]] = SummaryRow(**dict(row), stale=stale, files=files)
    return found


def _ground(
    db: sqlite3.Connection, atlas_id: str
) -> tuple[tuple[StaleAnchor, ...], tuple[str, ...]]:
    """What of a summary's anchors has moved, and the files of those that stand.

    One anchor at a time: the planner uses each table's own index for a constant id, but
    builds the whole of ``anchor_now`` for a join.
    """
    stale = []
    files = set()
    for anchor in db.execute(
        "SELECT anchor_type, anchor_id, hash_at_write, value_at_write FROM atlas_anchor"
        " WHERE atlas_id = ? ORDER BY anchor_type, anchor_id",
        (atlas_id,),
    ).fetchall():
        now = db.execute(
            "SELECT hash, value, name, file_path, line FROM anchor_now"
            " WHERE anchor_type = ? AND anchor_id = ?",
            (anchor["anchor_type"], anchor["anchor_id"]),
        ).fetchone()
        if now is not None and now["file_path"] is not None:
            files.add(now["file_path"])
        if now is None or now["hash"] != anchor["hash_at_write"]:
            stale.append(_stale_anchor(anchor, now))
    return tuple(stale), tuple(sorted(files))


def _stale_anchor(anchor: sqlite3.Row, now: sqlite3.Row | None) -> StaleAnchor:
    return StaleAnchor(
        anchor_type=anchor["anchor_type"],
        anchor_id=anchor["anchor_id"],
        name=anchor["anchor_id"] if now is None else now["name"],
        location="" if now is None else _location(now["file_path"], now["line"]),
        hash_at_write=anchor["hash_at_write"],
        hash_now=None if now is None else now["hash"],
        value_at_write=anchor["value_at_write"],
        value_now=None if now is None else now["value"][:VALUE_CHARS],
        reason="gone" if now is None else "changed",
    )


def _location(path: str | None, line: int | None) -> str:
    if path is None:
        return ""
    return path if line is None else f"{path}:{line}"


def facts(db: sqlite3.Connection, rows: Sequence[int]) -> dict[int, Fact]:
    """The facts at these rows that still exist, by row."""
    found = db.execute(
        "SELECT fact_row, fact_id, kind, qualified_name, file_path, line_start, line_end,"
        " signature, value, interface_hash, body_hash, source, scope"
        " FROM fact WHERE fact_row IN (SELECT value FROM json_each(?))",
        (json.dumps(list(rows)),),
    )
    return {row["fact_row"]: _fact(row) for row in found}


def _fact(row: sqlite3.Row) -> Fact:
    values: dict[str, Any] = dict(row)
    del values["fact_row"]
    return Fact(**{**values, "kind": FactKind(values["kind"])})


def ledger_version(db: sqlite3.Connection) -> int:
    """A number that moves whenever the code index did."""
    version: int = db.execute(
        "SELECT coalesce(max(seq), 0) FROM event WHERE kind = ?", (INDEX_UPDATED,)
    ).fetchone()[0]
    return version


def facts_without_words(db: sqlite3.Connection, *, after: int, limit: int) -> list[int]:
    """The first code facts behind row ``after`` whose words are not indexed yet."""
    rows = db.execute(
        "SELECT fact_row FROM fact WHERE fact_row > ?"
        " AND source <> 'tool-output' AND kind NOT IN ('import', 'export')"
        " AND fact_row NOT IN (SELECT id FROM fact_fts_docsize)"
        " ORDER BY fact_row LIMIT ?",
        (after, limit),
    )
    return [row["fact_row"] for row in rows]


def index_facts(tx: Transaction, rows: Sequence[int]) -> None:
    """Add the words of these facts, as far as they still exist and have none."""
    tx.db.execute(
        "INSERT INTO fact_fts (rowid, text) SELECT fact_row, words FROM fact_words"
        " WHERE fact_row IN (SELECT value FROM json_each(?))"
        " AND fact_row NOT IN (SELECT id FROM fact_fts_docsize)",
        (json.dumps(list(rows)),),
    )


def note_recall(
    tx: Transaction, *, session_id: str | None, query: str, hits: int, stale: int, ms: float
) -> None:
    """Record that a recall ran. ``query`` is redacted and short."""
    tx.emit(
        RECALL_RAN,
        actor="agent",
        session_id=session_id,
        detail={"query": query, "hits": hits, "stale": stale, "ms": ms},
    )


@dataclass(frozen=True, slots=True)
class Mark:
    """How far the transcript reaches, and how often something in it was redacted."""

    last_seq: int
    redactions: int


def mark(db: sqlite3.Connection) -> Mark:
    """Where the transcript stands."""
    row = db.execute(
        "SELECT (SELECT coalesce(max(seq), 0) FROM episode) AS last_seq,"
        " (SELECT count(*) FROM redaction) AS redactions"
    ).fetchone()
    return Mark(row["last_seq"], row["redactions"])


def chain_at(db: sqlite3.Connection, seq: int) -> str | None:
    """The chain's hash at a place: the same only in a store with the same history."""
    row = db.execute("SELECT chain_hash FROM episode WHERE seq = ?", (seq,)).fetchone()
    return None if row is None else row["chain_hash"]


def turns_after(db: sqlite3.Connection, seq: int, limit: int) -> list[Turn]:
    """The next turns behind a place, in order."""
    rows = db.execute(
        "SELECT seq, session_id, role, tool_name, content, created_at FROM episode"
        " WHERE seq > ? ORDER BY seq LIMIT ?",
        (seq, limit),
    )
    return [Turn(*row) for row in rows]


def seq_at(db: sqlite3.Connection, turns: int) -> int:
    """The place of the ``turns``-th turn, of which there must be so many."""
    row = db.execute("SELECT seq FROM episode ORDER BY seq LIMIT 1 OFFSET ?", (turns - 1,))
    seq: int = row.fetchone()["seq"]
    return seq


def seqs_of(db: sqlite3.Connection, scope: Scope) -> list[int]:
    """The places that pass a scope's tiers and times."""
    rows = db.execute(
        "SELECT e.seq FROM episode e JOIN episode_state s USING (seq)"
        " WHERE (:tiers IS NULL OR s.tier IN (SELECT value FROM json_each(:tiers)))"
        " AND (:since IS NULL OR e.created_at >= :since)"
        " AND (:until IS NULL OR e.created_at <= :until) ORDER BY e.seq",
        scope.bound(),
    )
    return [row["seq"] for row in rows]


def _listed(values: Sequence[str] | None) -> str | None:
    return None if values is None else json.dumps(list(values))


def neighbours(db: sqlite3.Connection, seq: int, each_side: int) -> list[EpisodeRow]:
    """The turns of the same session around one, in order, without it."""
    found = db.execute(
        "SELECT seq FROM (SELECT seq FROM episode WHERE session_id ="
        " (SELECT session_id FROM episode WHERE seq = :seq) AND seq < :seq"
        " ORDER BY seq DESC LIMIT :each)"
        " UNION ALL SELECT seq FROM (SELECT seq FROM episode WHERE session_id ="
        " (SELECT session_id FROM episode WHERE seq = :seq) AND seq > :seq"
        " ORDER BY seq LIMIT :each)",
        {"seq": seq, "each": each_side},
    )
    by_place = episodes(db, [row["seq"] for row in found])
    return [by_place[place] for place in sorted(by_place)]


def linked_facts(db: sqlite3.Connection, row: int, limit: int) -> list[tuple[int, str, str]]:
    """Code facts one edge away: their row, the edge's kind, ``by`` or ``of`` the fact.

    What uses the fact comes first, then what it uses, each in the order of the rows.
    """
    users = db.execute("SELECT uses FROM code_edge WHERE target_row = ?", (row,))
    found = {
        (use.source, EDGE_KINDS[use.how % 4], "of")
        for packed in users
        for use in edges_in(packed["uses"])
        if use.source != row
    }
    used = {
        (target, EDGE_KINDS[use.how % 4], "by")
        for target, packed in _edges_beside(db, row)
        for use in edges_in(packed)
        if use.source == row and target != row
    }
    return [*sorted(found), *sorted(used)][:limit]


def _edges_beside(db: sqlite3.Connection, row: int) -> list[tuple[int, bytes]]:
    """The packed edges of the file that a fact stands in, by their target."""
    link = db.execute(
        "SELECT l.file_id, l.targets FROM fact f JOIN code_link l USING (file_id)"
        " WHERE f.fact_row = ?",
        (row,),
    ).fetchone()
    if link is None:
        return []
    rows = db.execute(
        "SELECT target_row, uses FROM code_edge WHERE file_id = ?"
        " AND target_row IN (SELECT value FROM json_each(?))",
        (link["file_id"], json.dumps(list(numbers(link["targets"])))),
    )
    return [(edge["target_row"], edge["uses"]) for edge in rows]


def anchored_summaries(
    db: sqlite3.Connection, anchor_type: str, row: int, *, session_id: str | None, limit: int
) -> list[int]:
    """Index rows of the summaries that rest on one fact or one episode, newest first."""
    own = {
        "fact": "SELECT fact_id FROM fact WHERE fact_row = :row UNION SELECT m.old_id"
        " FROM fact_move m JOIN fact f ON f.fact_id = m.new_id WHERE f.fact_row = :row",
        "episode": "SELECT episode_id FROM episode WHERE seq = :row",
    }[anchor_type]
    found = db.execute(
        "SELECT r.row FROM atlas_anchor a JOIN atlas t USING (atlas_id)"
        " JOIN atlas_row r USING (atlas_id)"
        f" WHERE a.anchor_type = :type AND a.anchor_id IN ({own}) AND t.retired_at IS NULL"
        " AND (:session IS NULL OR t.session_id IS NULL OR t.session_id = :session)"
        " ORDER BY t.created_at DESC, r.row DESC LIMIT :limit",
        {"type": anchor_type, "row": row, "session": session_id, "limit": limit},
    )
    return [line["row"] for line in found]
