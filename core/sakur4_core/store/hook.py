"""SQL of what a harness's hook says, for a process that has a few milliseconds.

It needs no engine, so it reads the file as it stands and waits for nobody.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from sakur4_core.store.pinned import HOLDS, IN_ORDER, OF_SESSION

# A reader waits for a writer only while a store is being created or closed.
WAIT_S: Final = 0.1
# So many of the turns that a plan made shorter are named, each by how it begins.
REDUCED: Final = 12
BEGINNING_CHARS: Final = 160


class Standing(NamedTuple):
    """What a session should know.

    Attributes:
        pinned: Kind and content of each anchor that holds, in the order of rendering.
        folded: Description and summary of each fold that was closed.
        plans: Eviction plans of the session that wait for a decision.
        pins: Pins and unpins that wait for one.
        reduced: The newest turns that approved plans made shorter: place, who, how it begins.
        left: Episodes of the session that are no longer in the window whole.
    """

    pinned: tuple[tuple[str, str], ...]
    folded: tuple[tuple[str, str], ...]
    plans: int
    pins: int
    reduced: tuple[tuple[int, str, str], ...]
    left: int


@contextmanager
def reading(file: Path) -> Iterator[sqlite3.Connection]:
    """A connection that changes nothing in the store at ``file``.

    Raises:
        sqlite3.Error: There is no store, or it cannot be read now.
    """
    with closing(
        sqlite3.connect(
            f"{file.absolute().as_uri()}?mode=rw", uri=True, timeout=WAIT_S, isolation_level=None
        )
    ) as db:
        db.execute("PRAGMA query_only = ON")
        yield db


def standing(db: sqlite3.Connection, session_id: str, now: str) -> Standing:
    """What holds at ``now``, in the store's notation, for a session that may be new."""
    db.execute("BEGIN")
    pinned = db.execute(
        f"SELECT kind, content FROM anchor WHERE {HOLDS} AND {OF_SESSION} ORDER BY {IN_ORDER}",
        (now, session_id),
    ).fetchall()
    folded = db.execute(
        "SELECT description, summary FROM fold WHERE session_id = ? AND status = 'closed'"
        " AND summary IS NOT NULL ORDER BY created_at, fold_id",
        (session_id,),
    ).fetchall()
    waiting = dict(
        db.execute(
            "SELECT kind = 'eviction', count(*) FROM proposal WHERE status = 'pending'"
            " AND expires_at > ? AND (session_id = ? OR kind <> 'eviction') GROUP BY 1",
            (now, session_id),
        ).fetchall()
    )
    reduced = db.execute(
        "SELECT e.seq, coalesce(e.tool_name, e.role), substr(e.content, 1, ?)"
        " FROM episode e INDEXED BY episode_window JOIN episode_state s USING (seq)"
        " WHERE e.session_id = ? AND s.tier IN ('masked', 'referenced')"
        " ORDER BY e.seq DESC LIMIT ?",
        (BEGINNING_CHARS, session_id, REDUCED),
    ).fetchall()
    (left,) = db.execute(
        "SELECT count(*) FROM episode e JOIN episode_state s USING (seq)"
        " WHERE e.session_id = ? AND (s.in_window = 'no' OR s.tier <> 'live')",
        (session_id,),
    ).fetchone()
    return Standing(
        tuple(pinned),
        tuple(folded),
        waiting.get(1, 0),
        waiting.get(0, 0),
        tuple(reversed(reduced)),
        left,
    )
