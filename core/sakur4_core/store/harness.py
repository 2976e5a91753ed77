"""SQL of what was read from harnesses' transcripts: turns, the graph, calls, files."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sakur4_core.models import InWindow, Role
from sakur4_core.store.database import Transaction

ORIGIN: Final = "transcript"
# The newest turns among which one that came another way is looked for.
RECENT: Final = 64
# Unknown lines that are kept of one name.
KEPT_LINES: Final = 200


@dataclass(frozen=True, slots=True)
class FilePosition:
    """How far a file was read.

    Attributes:
        offset: Bytes read, up to the end of a line.
        line: Lines read.
        ended: Whether the last of them had its line end.
        last_hash: A mark of the last line, to tell whether the file is still the same.
        skipped: Lines that could not be read.
        state: What the reader needs to go on, as JSON.
    """

    path: str
    harness: str
    device: int
    inode: int
    offset: int
    line: int
    ended: bool
    last_hash: str
    skipped: int
    state: str


@dataclass(frozen=True, slots=True)
class Call:
    """One API call's tokens as stored; None where the harness did not say."""

    session_id: str
    sidechain: bool
    input: int | None
    created: int | None
    read: int | None
    output: int | None
    context: int | None


@dataclass(frozen=True, slots=True)
class Note:
    """A turn that may be the same as another's."""

    seq: int
    role: str
    content: str
    tool_name: str | None


# -- turns ---------------------------------------------------------------------


def known_turns(db: sqlite3.Connection, keys: Iterable[str]) -> dict[str, int]:
    """The places of those turns that were read before, by key."""
    rows = db.execute(
        "SELECT key, seq FROM harness_turn WHERE key IN (SELECT value FROM json_each(?))",
        (json.dumps(list(keys)),),
    )
    return {row[0]: row[1] for row in rows}


def put_turns(tx: Transaction, turns: Iterable[tuple[str, str, int, str, str | None]]) -> None:
    """Note turns that were read: key, session, the episode that it is, kind, node."""
    tx.db.executemany(
        "INSERT INTO harness_turn (key, session_id, seq, kind, node) VALUES (?, ?, ?, ?, ?)",
        turns,
    )


def claim(tx: Transaction, seq: int) -> None:
    """Note that the agent committed a turn that was read."""
    tx.db.execute("UPDATE harness_turn SET claimed = 1 WHERE seq = ?", (seq,))


def is_followed(db: sqlite3.Connection, session_id: str) -> bool:
    """Whether turns of a session were read from its harness's transcript."""
    return (
        db.execute(
            "SELECT 1 FROM harness_turn WHERE session_id = ? LIMIT 1", (session_id,)
        ).fetchone()
        is not None
    )


def unclaimed(db: sqlite3.Connection, session_id: str, role: Role) -> list[Note]:
    """The newest turns of a role that were read and not committed, newest first."""
    rows = db.execute(
        "SELECT e.seq, e.role, e.content, e.tool_name FROM ("
        "  SELECT seq, claimed FROM harness_turn WHERE session_id = ? ORDER BY seq DESC LIMIT ?"
        " ) t JOIN episode e USING (seq) WHERE t.claimed = 0 AND e.role = ? ORDER BY e.seq DESC",
        (session_id, RECENT, role),
    )
    return [Note(*row) for row in rows]


def noted(db: sqlite3.Connection, session_id: str) -> list[Note]:
    """The newest turns of a session that came another way and were not read, oldest first."""
    rows = db.execute(
        "SELECT e.seq, e.role, e.content, e.tool_name FROM episode e"
        " WHERE e.session_id = ? AND e.origin <> 'transcript'"
        " AND NOT EXISTS (SELECT 1 FROM harness_turn t WHERE t.seq = e.seq)"
        " ORDER BY e.seq DESC LIMIT ?",
        (session_id, RECENT),
    ).fetchall()
    return [Note(*row) for row in reversed(rows)]


# -- the graph and the window --------------------------------------------------


def known_nodes(
    db: sqlite3.Connection, nodes: Iterable[str]
) -> dict[str, tuple[str, str | None, str | None]]:
    """Session, parent and origin of those nodes that were read before."""
    rows = db.execute(
        "SELECT node, session_id, parent, origin FROM harness_node"
        " WHERE node IN (SELECT value FROM json_each(?))",
        (json.dumps(list(nodes)),),
    )
    return {row[0]: (row[1], row[2], row[3]) for row in rows}


def put_nodes(
    tx: Transaction, nodes: Iterable[tuple[str, str, str | None, str | None, str | None]]
) -> None:
    """Store nodes: node, session, parent, message, origin; a later parent takes the place."""
    tx.db.executemany(
        "INSERT INTO harness_node (node, session_id, parent, message, origin)"
        " VALUES (?, ?, ?, ?, ?) ON CONFLICT (node) DO UPDATE SET parent = excluded.parent",
        nodes,
    )


def leaf(db: sqlite3.Connection, session_id: str) -> str | None:
    """Where a session's conversation goes on."""
    row = db.execute(
        "SELECT node FROM harness_leaf WHERE session_id = ?", (session_id,)
    ).fetchone()
    return None if row is None else row[0]


def put_leaves(tx: Transaction, leaves: Iterable[tuple[str, str]]) -> None:
    """Move the places where sessions' conversations go on: session, node."""
    tx.db.executemany(
        "INSERT OR REPLACE INTO harness_leaf (session_id, node) VALUES (?, ?)", leaves
    )


def keep(tx: Transaction, boundary: str, nodes: Iterable[str]) -> None:
    """Note nodes that a compaction left in the window."""
    tx.db.executemany(
        "INSERT OR IGNORE INTO harness_kept (boundary, node) VALUES (?, ?)",
        ((boundary, node) for node in nodes),
    )


def between(db: sqlite3.Connection, head: str, tail: str) -> list[str]:
    """The nodes from ``tail`` up to ``head``; only ``tail`` where they are no chain."""
    chain = _up(db, tail, stop=head)
    return chain if chain and chain[-1] == head else [tail]


def live_nodes(db: sqlite3.Connection, session_id: str) -> set[str]:
    """The nodes in a session's window: what its leaf reaches, and what a compaction kept.

    Lines of one API message stand and fall together, since parallel calls part the graph.
    """
    start = leaf(db, session_id)
    chain = [] if start is None else _up(db, start)
    packed = json.dumps(chain)
    rows = db.execute(
        "SELECT node FROM harness_kept WHERE boundary IN (SELECT value FROM json_each(?1))"
        " UNION SELECT n.node FROM harness_node n WHERE n.message IN ("
        "  SELECT message FROM harness_node WHERE node IN (SELECT value FROM json_each(?1))"
        "  AND message IS NOT NULL)",
        (packed,),
    )
    return {*chain, *(row[0] for row in rows)}


def settle(tx: Transaction, session_id: str) -> None:
    """Bring ``in_window`` of a session's turns in line with its graph."""
    live = live_nodes(tx.db, session_id)
    rows = tx.db.execute(
        "SELECT t.seq, t.kind, t.node, e.tool_call_id, s.in_window FROM harness_turn t"
        " JOIN episode e USING (seq) JOIN episode_state s USING (seq)"
        " WHERE t.session_id = ? AND t.node IS NOT NULL",
        (session_id,),
    ).fetchall()
    calls = {row[3] for row in rows if row[1] == "tool_call" and row[2] in live and row[3]}
    moved = []
    for seq, kind, node, call, before in rows:
        inside = node in live or (kind == "tool_result" and call in calls)
        state = InWindow.YES if inside and kind != "thinking" else InWindow.NO
        if state != before:
            moved.append((state, seq))
    tx.db.executemany("UPDATE episode_state SET in_window = ? WHERE seq = ?", moved)


def roll_back(tx: Transaction, session_id: str, turns: int) -> None:
    """Take the last turns that the user began out of the window, with what followed them."""
    row = tx.db.execute(
        "SELECT min(seq) FROM (SELECT min(e.seq) AS seq FROM episode e"
        "  JOIN episode_state s USING (seq) JOIN harness_turn t USING (seq)"
        "  WHERE e.session_id = ? AND s.in_window <> 'no' AND t.kind = 'text' AND e.role = 'user'"
        "  GROUP BY e.turn ORDER BY e.turn DESC LIMIT ?)",
        (session_id, turns),
    ).fetchone()
    if row[0] is not None:
        tx.db.execute(
            "UPDATE episode_state SET in_window = 'no' WHERE seq IN"
            " (SELECT seq FROM episode WHERE session_id = ? AND seq >= ?)",
            (session_id, row[0]),
        )


def window_tokens(db: sqlite3.Connection, session_id: str) -> tuple[int, int, int]:
    """Tokens of a session's window up to its last turn that no assistant said, that turn's
    place, and the tokens of the assistant's turns after it."""
    covered = db.execute(
        "SELECT coalesce(max(seq), 0) FROM episode WHERE session_id = ? AND role <> 'assistant'",
        (session_id,),
    ).fetchone()[0]
    before, after = db.execute(
        "SELECT coalesce(sum(iif(e.seq <= ?2, e.token_count, 0)), 0),"
        " coalesce(sum(iif(e.seq > ?2, e.token_count, 0)), 0)"
        " FROM episode e JOIN episode_state s USING (seq)"
        " WHERE e.session_id = ?1 AND s.in_window <> 'no'",
        (session_id, covered),
    ).fetchone()
    return before, covered, after


def first_of_node(db: sqlite3.Connection, node: str) -> int | None:
    """The place of the first turn of a node, or None."""
    row = db.execute("SELECT min(seq) FROM harness_turn WHERE node = ?", (node,)).fetchone()
    return None if row is None else row[0]


def put_mark(tx: Transaction, key: str, session_id: str) -> bool:
    """Note what moved the window once; False where it was read before."""
    cursor = tx.db.execute(
        "INSERT OR IGNORE INTO harness_mark (key, session_id) VALUES (?, ?)",
        (key, session_id),
    )
    return cursor.rowcount > 0


# -- calls ---------------------------------------------------------------------


def known_calls(db: sqlite3.Connection, keys: Iterable[str]) -> dict[str, Call]:
    """Those API calls that were read before."""
    rows = db.execute(
        "SELECT key, session_id, sidechain, input, created, read, output, context"
        " FROM harness_spend WHERE key IN (SELECT value FROM json_each(?))",
        (json.dumps(list(keys)),),
    )
    return {row[0]: Call(row[1], bool(row[2]), *tuple(row)[3:]) for row in rows}


def put_call(tx: Transaction, key: str, call: Call) -> None:
    """Store a call, in place of what was known of it."""
    tx.db.execute(
        "INSERT OR REPLACE INTO harness_spend"
        " (key, session_id, sidechain, input, created, read, output, context)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            key,
            call.session_id,
            call.sidechain,
            call.input,
            call.created,
            call.read,
            call.output,
            call.context,
        ),
    )


def move_usage(tx: Transaction, key: str, session_id: str, other: str) -> None:
    """Give a call's report to the session whose call it turned out to be."""
    tx.db.execute(
        "UPDATE OR IGNORE usage SET session_id = ? WHERE message_id = ? AND session_id = ?",
        (session_id, key, other),
    )


# -- lines and files -----------------------------------------------------------


def keep_line(tx: Transaction, key: str, harness: str, name: str, raw: str) -> None:
    """Keep a line of an unknown type, if there are not many of its name."""
    tx.db.execute(
        "INSERT OR IGNORE INTO harness_line (key, harness, name, raw, created_at)"
        " SELECT ?1, ?2, ?3, ?4, ?5 WHERE"
        " (SELECT count(*) FROM harness_line WHERE harness = ?2 AND name = ?3) < ?6",
        (key, harness, name, raw, tx.now(), KEPT_LINES),
    )


def unknown_lines(db: sqlite3.Connection) -> Mapping[tuple[str, str], int]:
    """How many lines of unknown types are kept, by harness and name."""
    rows = db.execute(
        "SELECT harness, name, count(*) FROM harness_line GROUP BY harness, name"
        " ORDER BY harness, name"
    )
    return {(row[0], row[1]): row[2] for row in rows}


def position(db: sqlite3.Connection, path: str) -> FilePosition | None:
    """How far a file was read, or None for a new one."""
    row = db.execute("SELECT * FROM harness_file WHERE path = ?", (path,)).fetchone()
    if row is None:
        return None
    values: dict[str, Any] = dict(row)
    return FilePosition(**{**values, "ended": bool(values["ended"])})


def moved_file(db: sqlite3.Connection, device: int, inode: int) -> tuple[FilePosition, ...]:
    """The positions of files that had this identity, whatever they are called now."""
    rows = db.execute("SELECT * FROM harness_file WHERE device = ? AND inode = ?", (device, inode))
    return tuple(FilePosition(**{**dict(row), "ended": bool(row["ended"])}) for row in rows)


def put_position(tx: Transaction, position: FilePosition) -> None:
    """Note how far a file was read."""
    tx.db.execute(
        "INSERT OR REPLACE INTO harness_file (path, harness, device, inode, offset, line, ended,"
        " last_hash, skipped, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            position.path,
            position.harness,
            position.device,
            position.inode,
            position.offset,
            position.line,
            position.ended,
            position.last_hash,
            position.skipped,
            position.state,
        ),
    )


def files(db: sqlite3.Connection) -> tuple[tuple[str, str, int], ...]:
    """Every file that was read: path, harness, and how many of its lines could not be read."""
    rows = db.execute("SELECT path, harness, skipped FROM harness_file ORDER BY path")
    return tuple((row[0], row[1], row[2]) for row in rows)


def _up(db: sqlite3.Connection, start: str, *, stop: str | None = None) -> list[str]:
    """The nodes from ``start`` towards its root, each once, whatever cycles there are."""
    rows = db.execute(
        "WITH RECURSIVE chain (node) AS (SELECT ?1 UNION"
        " SELECT n.parent FROM chain c JOIN harness_node n ON n.node = c.node"
        " WHERE n.parent IS NOT NULL AND c.node IS NOT ?2) SELECT node FROM chain",
        (start, stop),
    )
    return [row[0] for row in rows]
