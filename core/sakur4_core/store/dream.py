"""SQL of the consolidator: what is due for upkeep, and each piece of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from sakur4_core.events import DREAM_FINISHED
from sakur4_core.store.database import Transaction

# A redacted or superseded turn still stands in the transcript, so it counts as there.
_ORPHAN = (
    " t.retired_at IS NULL AND NOT EXISTS ("
    "SELECT 1 FROM atlas_anchor a WHERE a.atlas_id = t.atlas_id AND CASE a.anchor_type"
    " WHEN 'fact' THEN EXISTS (SELECT 1 FROM anchor_now n"
    " WHERE n.anchor_type = 'fact' AND n.anchor_id = a.anchor_id)"
    " WHEN 'episode' THEN EXISTS (SELECT 1 FROM episode WHERE episode_id = a.anchor_id)"
    " ELSE EXISTS (SELECT 1 FROM file WHERE path = a.anchor_id) END)"
)


# Who acts: everything else that happens, upkeep included, happens by itself.
ACTORS: Final = ("agent", "person", "harness", "hook", "proxy")


class Activity(NamedTuple):
    """The newest thing that somebody did: its place among the events and its time."""

    seq: int
    created_at: str


class Stale(NamedTuple):
    """A summary of the consolidator's own whose code has changed.

    Attributes:
        episode_id: The turn that it says the essence of.
        names: The qualified names of what changed, as they were or are now.
    """

    atlas_id: str
    episode_id: str
    names: tuple[str, ...]


def last_activity(db: sqlite3.Connection) -> Activity | None:
    """The newest thing that an agent, a person or a harness did, or None."""
    row = db.execute(
        "SELECT seq, created_at FROM event WHERE actor IN (SELECT value FROM json_each(?))"
        " ORDER BY seq DESC LIMIT 1",
        (json.dumps(ACTORS),),
    ).fetchone()
    return None if row is None else Activity(row["seq"], row["created_at"])


def newest_event(db: sqlite3.Connection) -> int:
    """The place of the newest event of any kind; 0 where there is none."""
    seq: int = db.execute("SELECT coalesce(max(seq), 0) FROM event").fetchone()[0]
    return seq


# What a turn is worth remembering for. A correction counts most; then what rules and other work
# rest on; then what went wrong, since the same goes wrong again; agents say more that lasts than
# tools do. A longer turn has more to lose. A tool result's facts have the scope that the ledger
# gives them, session and call; it is spelled out here, since upkeep cannot reach the ledger.
_WORTH: Final = """
    3.0 * EXISTS (SELECT 1 FROM edge d WHERE d.kind = 'supersedes' AND d.source_id = e.episode_id)
    + 2.0 * (e.episode_id IN (SELECT source_episode FROM anchor WHERE source_episode IS NOT NULL))
    + 1.0 * min(3, (SELECT count(*) FROM edge d WHERE d.target_id = e.episode_id
                    AND d.kind = 'derived_from'))
    + 1.5 * EXISTS (SELECT 1 FROM fact f WHERE f.source = 'tool-output'
                    AND f.scope = replace(replace(e.session_id, '%', '%25'), '/', '%2F')
                                  || '/' || coalesce(e.tool_call_id, e.episode_id)
                    AND e.role = 'tool' AND (f.kind IN ('diagnostic', 'stack_frame')
                         OR (f.kind = 'tool_exit_code' AND f.value <> '0')
                         OR (f.kind = 'test_result' AND f.value LIKE '%fail%')))
    + CASE e.role WHEN 'assistant' THEN 1.0 WHEN 'user' THEN 0.5 ELSE 0.0 END
    + min(2.0, length(e.content) / 4000.0)
"""


def promotable(db: sqlite3.Connection, min_tokens: int, limit: int) -> list[str]:
    """Ids of turns that no summary rests on yet, the best of each session before the second."""
    rows = db.execute(
        "WITH due AS (SELECT e.seq, e.episode_id, e.session_id,"
        f" {_WORTH} AS worth FROM episode e JOIN episode_state s USING (seq)"
        " WHERE e.token_count >= ? AND s.superseded_by IS NULL AND e.role <> 'system'"
        " AND coalesce(e.tool_name, '') NOT LIKE '%sakur4%'"
        " AND NOT EXISTS (SELECT 1 FROM redaction r WHERE r.seq = e.seq)"
        " AND NOT EXISTS (SELECT 1 FROM dream_tried d WHERE d.subject = e.episode_id)"
        " AND NOT EXISTS (SELECT 1 FROM atlas_anchor a"
        "  WHERE a.anchor_type = 'episode' AND a.anchor_id = e.episode_id)),"
        " ranked AS (SELECT *, row_number() OVER"
        "  (PARTITION BY session_id ORDER BY worth DESC, seq DESC) AS place FROM due)"
        " SELECT episode_id FROM ranked ORDER BY place, worth DESC, seq DESC"
        " LIMIT ?",
        (min_tokens, limit),
    )
    return [row[0] for row in rows]


_STALE: Final = (
    "SELECT t.atlas_id, e.anchor_id, json_group_array(s.name), json_group_array(m.qualified_name)"
    " FROM atlas t JOIN atlas_anchor e ON e.atlas_id = t.atlas_id AND e.anchor_type = 'episode'"
    " JOIN atlas_staleness s ON s.atlas_id = t.atlas_id AND s.stale AND s.anchor_type = 'fact'"
    " LEFT JOIN fact_move m ON m.old_id = s.anchor_id"
    " WHERE t.origin = 'dream' AND t.retired_at IS NULL"
)


def _stale(row: sqlite3.Row) -> Stale:
    names = {name for column in (row[2], row[3]) for name in json.loads(column) if name}
    return Stale(row[0], row[1], tuple(sorted(names)))


def stale_own(db: sqlite3.Connection, limit: int) -> list[Stale]:
    """Summaries that a pass wrote and whose code is not what it was, the newest first."""
    rows = db.execute(
        f"{_STALE} GROUP BY t.atlas_id ORDER BY t.created_at DESC, t.atlas_id DESC LIMIT ?",
        (limit,),
    )
    return [_stale(row) for row in rows]


def stale_one(db: sqlite3.Connection, atlas_id: str) -> Stale | None:
    """One of :func:`stale_own`, if it is one still."""
    row = db.execute(f"{_STALE} AND t.atlas_id = ? GROUP BY t.atlas_id", (atlas_id,)).fetchone()
    return None if row is None else _stale(row)


_ENDED: Final = (
    "SELECT t.atlas_id FROM atlas t JOIN atlas_staleness s USING (atlas_id)"
    " WHERE t.origin = 'dream' AND t.retired_at IS NULL AND s.stale AND s.anchor_type = 'episode'"
)


def ended(db: sqlite3.Connection, limit: int) -> list[str]:
    """Summaries that a pass wrote of a turn that was corrected or redacted since."""
    rows = db.execute(f"{_ENDED} ORDER BY t.atlas_id LIMIT ?", (limit,))
    return [row[0] for row in rows]


def cold_sessions(db: sqlite3.Connection, before: str, limit: int) -> list[str]:
    """Sessions that were silent since ``before`` and still hold turns that could go down."""
    rows = db.execute(
        "SELECT e.session_id, max(e.created_at) AS newest FROM episode e"
        " JOIN episode_state s USING (seq) LEFT JOIN fold f ON f.fold_id = s.fold_id"
        " WHERE s.in_window <> 'no' AND s.tier IN ('live', 'masked', 'referenced')"
        " AND (f.status IS NULL OR f.status <> 'closed')"
        " GROUP BY e.session_id HAVING newest < ? AND NOT EXISTS (SELECT 1 FROM dream_tried d"
        "  WHERE d.subject = e.session_id AND d.created_at >= newest)"
        " ORDER BY newest, e.session_id LIMIT ?",
        (before, limit),
    )
    return [row[0] for row in rows]


def rested_on(db: sqlite3.Connection, session_id: str) -> list[str]:
    """Ids of a session's episodes that something was derived from."""
    rows = db.execute(
        "SELECT DISTINCT e.episode_id FROM episode e"
        " JOIN edge d ON d.target_id = e.episode_id AND d.kind = 'derived_from'"
        " WHERE e.session_id = ? ORDER BY 1",
        (session_id,),
    )
    return [row[0] for row in rows]


def tried(tx: Transaction, subject: str, why: str) -> None:
    """Note that a turn or a session was looked at and need not be again."""
    tx.db.execute("INSERT OR REPLACE INTO dream_tried VALUES (?, ?, ?)", (subject, why, tx.now()))


def orphaned_summaries(db: sqlite3.Connection, limit: int) -> list[str]:
    """Summaries in use of which nothing is left that they were derived from, oldest first."""
    rows = db.execute(
        f"SELECT atlas_id FROM atlas t WHERE {_ORPHAN} ORDER BY created_at, atlas_id LIMIT ?",
        (limit,),
    )
    return [row["atlas_id"] for row in rows]


def why_over(db: sqlite3.Connection, atlas_id: str, all_gone: str, turn_ended: str) -> str | None:
    """Which of two reasons ends a summary that is in use, or None."""
    row = db.execute(
        f"SELECT 1 FROM atlas t WHERE t.atlas_id = ? AND {_ORPHAN}", (atlas_id,)
    ).fetchone()
    if row is not None:
        return all_gone
    row = db.execute(f"{_ENDED} AND t.atlas_id = ?", (atlas_id,)).fetchone()
    return None if row is None else turn_ended


def prunable(db: sqlite3.Connection, kinds: Iterable[str], before: str, limit: int) -> list[int]:
    """The oldest events of these kinds from before a moment."""
    rows = db.execute(
        "SELECT seq FROM event WHERE kind IN (SELECT value FROM json_each(?))"
        " AND created_at < ? ORDER BY seq LIMIT ?",
        (json.dumps(sorted(kinds)), before, limit),
    )
    return [row["seq"] for row in rows]


def prunable_batches(db: sqlite3.Connection, kinds: Iterable[str], before: str, batch: int) -> int:
    """How many batches of such events there are."""
    (count,) = db.execute(
        "SELECT count(*) FROM event WHERE kind IN (SELECT value FROM json_each(?))"
        " AND created_at < ?",
        (json.dumps(sorted(kinds)), before),
    ).fetchone()
    return -(-int(count) // batch)


def prune(tx: Transaction, seqs: list[int]) -> int:
    """Delete these events; return how many there were."""
    return tx.db.execute(
        "DELETE FROM event WHERE seq IN (SELECT value FROM json_each(?))", (json.dumps(seqs),)
    ).rowcount


def note_finished(tx: Transaction, reason: str, counts: Mapping[str, int]) -> None:
    """Record the outcome of a pass that did something."""
    tx.emit(DREAM_FINISHED, actor="dream", detail={"reason": reason, **counts})
