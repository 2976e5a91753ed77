"""The graph view: from what was found to the code it touches and the summaries that rest on it.

Seeds are the best of the ranking. What an edge leads to gets a share of its seed's score; of
several seeds the best one counts, so a hub does not outrank what it hangs on.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from sakur4_core.recall.fusion import Ranked, Ref
from sakur4_core.store import recall as sql
from sakur4_core.store.recall import Scope

NAME = "graph"

SEEDS = 6
NEIGHBOURS = 8
SUMMARIES = 8
# Shares of the seed's score: a summary speaks of its anchor, a neighbour of something else.
OF_SUMMARY = 0.5
OF_NEIGHBOUR = 0.3


def spread(db: sqlite3.Connection, order: Sequence[Ranked], scope: Scope) -> list[Ranked]:
    """The candidates, best first in ``order``, with what the best of them lead to."""
    reached: dict[Ref, tuple[float, str]] = {}
    for seed in order[:SEEDS]:
        for ref, share, note in _steps(db, seed.ref, scope):
            amount = seed.score * share
            if amount > reached.get(ref, (0.0, ""))[0]:
                reached[ref] = (amount, note)
    found = {item.ref: item for item in order}
    for ref, (amount, note) in sorted(reached.items()):
        before = found.get(ref) or Ranked(ref, 0.0, (), ())
        retrievers = (*before.retrievers, NAME)
        found[ref] = Ranked(ref, before.score, retrievers, before.reasons).plus(NAME, amount, note)
    return list(found.values())


def _steps(db: sqlite3.Connection, ref: Ref, scope: Scope) -> list[tuple[Ref, float, str]]:
    """What one edge leads to from a seed."""
    steps: list[tuple[Ref, float, str]] = []
    if ref.kind == sql.FACT and sql.FACT in scope.kinds:
        steps.extend(
            (Ref(sql.FACT, row), OF_NEIGHBOUR, f"{kind}, {way} a match")
            for row, kind, way in sql.linked_facts(db, ref.row, NEIGHBOURS)
        )
    if ref.kind in (sql.FACT, sql.EPISODE) and sql.SUMMARY in scope.kinds:
        rows = sql.anchored_summaries(
            db, ref.kind, ref.row, session_id=scope.session_id, limit=SUMMARIES
        )
        steps.extend((Ref(sql.SUMMARY, row), OF_SUMMARY, "it rests on a match") for row in rows)
    return steps
