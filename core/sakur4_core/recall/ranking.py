"""The ranking of a store's rows for a query: views fused, then what is known of each row."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sakur4_core.models import Fact
from sakur4_core.recall import graph, lexical
from sakur4_core.recall.fusion import Ranked, Ref, View, fuse, in_order
from sakur4_core.recall.query import Query
from sakur4_core.recall.turn_search import Found
from sakur4_core.store import recall as sql
from sakur4_core.store.recall import Scope, SummaryRow

# DESIGN: the reference's factor for a summary that the code has outlived.
STALE_FACTOR = 0.35
# A corrected turn still tells what was believed; the correction should stand before it.
SUPERSEDED_FACTOR = 0.5
# A query that names a thing means that thing, whatever else its words match.
NAMED = 0.5
NAMED_FILE = 0.25

NEWEST = "newest"


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates, best first; the files that facts and summaries among them rest on; the views
    that were searched."""

    order: Sequence[Ranked]
    files: Mapping[Ref, tuple[str, ...]]
    views: tuple[str, ...]


def rank(
    db: sqlite3.Connection, query: Query, scope: Scope, policy: str, turns: Found | None
) -> Ranking:
    """All candidates for a query in scope, as of one snapshot of the store.

    Args:
        turns: What the index of turns found; None where FTS5 has to stand in for it.
    """
    if not query.terms:
        return Ranking(_newest(db, scope), {}, (NEWEST,))
    kinds = tuple(kind for kind in scope.kinds if turns is None or kind != sql.EPISODE)
    fused = fuse([View(lexical.NAME, lexical.search(db, query, kinds, scope))], policy)
    ran: tuple[str, ...] = (lexical.NAME,)
    if turns is not None and sql.EPISODE in scope.kinds:
        fused = [*fused, *turns.ranked]
        ran = tuple(dict.fromkeys((*ran, *turns.views)))
    fused = graph.spread(db, in_order(fused), scope)
    if any(graph.NAME in item.retrievers for item in fused):
        ran = (*ran, graph.NAME)
    ranked, files = _weighed(db, query, fused, sql.EPISODE in scope.kinds)
    return Ranking(in_order(ranked), files, ran)


def _weighed(
    db: sqlite3.Connection, query: Query, fused: Sequence[Ranked], with_turns: bool
) -> tuple[list[Ranked], dict[Ref, tuple[str, ...]]]:
    """What the store knows of each candidate now, weighed in; those that are gone left out.

    So are the consolidator's summaries where turns are asked for: they say in fewer words what a
    turn says, which is searched itself, and would take the places of other turns (measured: of
    92 facts told once, 54 were found among them and 87 without).
    """
    corrected = sql.superseded(db, _rows(fused, sql.EPISODE))
    summaries = sql.summaries(db, _rows(fused, sql.SUMMARY))
    facts = sql.facts(db, _rows(fused, sql.FACT))
    ranked: list[Ranked] = []
    files: dict[Ref, tuple[str, ...]] = {}
    for item in fused:
        row = item.ref.row
        if item.ref.kind == sql.EPISODE:
            ranked.append(_weigh_episode(item, row in corrected))
        elif item.ref.kind == sql.SUMMARY and row in summaries:
            if with_turns and summaries[row].origin == "dream":
                continue
            ranked.append(_weigh_summary(item, summaries[row]))
            files[item.ref] = summaries[row].files
        elif item.ref.kind == sql.FACT and row in facts:
            ranked.append(_weigh_fact(item, facts[row], query))
            path = facts[row].file_path
            files[item.ref] = () if path is None else (path,)
    return ranked, files


def _rows(ranked: Sequence[Ranked], kind: str) -> list[int]:
    return [item.ref.row for item in ranked if item.ref.kind == kind]


def _newest(db: sqlite3.Connection, scope: Scope) -> list[Ranked]:
    """The newest of every kind; those of equal age alternate."""
    return in_order(
        Ranked(Ref(kind, row), 0.0, (NEWEST,), ()).plus(NEWEST, 1 / (1 + age))
        for kind in scope.kinds
        for age, row in enumerate(sql.newest(db, kind, scope, lexical.LIMITS[kind]))
    )


def _weigh_episode(item: Ranked, corrected: bool) -> Ranked:
    if not corrected:
        return item
    return item.times(SUPERSEDED_FACTOR, "superseded", "a later turn corrects it")


def _weigh_summary(item: Ranked, summary: SummaryRow) -> Ranked:
    if not summary.stale:
        return item
    return item.times(STALE_FACTOR, "stale", "what it rests on has changed")


def _weigh_fact(item: Ranked, fact: Fact, query: Query) -> Ranked:
    name = fact.qualified_name.lower()
    last = re.split(r"[.:#/]+", name)[-1]
    asked = {*query.names, query.text.strip().lower()}
    if name in asked or last in asked or any(name.endswith(f".{named}") for named in query.names):
        item = item.plus("named", NAMED, "the query names it")
    path = (fact.file_path or "").lower()
    if any(path == asked_path or path.endswith(f"/{asked_path}") for asked_path in query.paths):
        item = item.plus("path", NAMED_FILE, "the query names its file")
    return item
