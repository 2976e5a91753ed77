"""What an engine says of each API call and compaction of the transcripts that it took in."""

from __future__ import annotations

from typing import NamedTuple

from sakur4_core.engine import Engine

from .watching import table

BROKEN = "the prompt's beginning changed"
EXPIRED = "the cache entry expired: more than 5 minutes passed"
LONG_EXPIRED = "the cache entry expired: more than an hour passed"
SWITCHED = "the model was switched"
COMPACTED = "compaction"
SILENT = "not reported"


class Judged(NamedTuple):
    """One API call: the user's turn it belongs to, its context, and what the cache did."""

    turn: int
    context: int
    verdict: str
    cause: str | None = None


async def judged(engine: Engine, session: str) -> list[Judged]:
    """The calls of a session, in order."""
    rows = await table(
        engine,
        "SELECT session_id, turn, context_tokens, verdict, cause FROM usage ORDER BY usage_row",
    )
    return [Judged(*row[1:]) for row in rows if row[0] == session]


async def compacted_after(engine: Engine, session: str) -> list[int]:
    """How many turns of a session stand before each of its compactions."""
    rows = await table(
        engine,
        "SELECT c.session_id, (SELECT count(*) FROM episode e"
        "  WHERE e.session_id = c.session_id AND e.seq <= c.after_seq)"
        " FROM compaction c ORDER BY compaction_row",
    )
    return [row[1] for row in rows if row[0] == session]
