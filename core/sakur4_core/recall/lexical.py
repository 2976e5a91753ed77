"""The store's own full-text index: summaries and code facts, and turns while it stands in.

Turns are searched by arrays (turn_search.py); FTS5 answers for them until those are built.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from sakur4_core.recall.fusion import Ref
from sakur4_core.recall.query import Query, Term
from sakur4_core.store import recall as sql
from sakur4_core.store.recall import Scope

NAME = "lexical"

# Candidates a kind; 200 turns held 94 % and more of the evidence where that was measured.
LIMITS = {sql.EPISODE: 200, sql.SUMMARY: 40, sql.FACT: 60}
# A word of one or two letters that nothing holds says too little to be taken as a beginning.
SHORTEST_PREFIX = 3


def search(
    db: sqlite3.Connection, query: Query, kinds: Sequence[str], scope: Scope
) -> dict[Ref, float]:
    """The candidates of some kinds in scope, with scores between 0 and 1.

    BM25 is not comparable between tables, and says nothing in one of three rows. So a kind's
    best hit scores the share of the query's words that it holds, and the others follow it in
    the proportion of their BM25.
    """
    scores: dict[Ref, float] = {}
    for kind in kinds:
        terms = [_rescued(db, kind, term) for term in query.terms]
        expression = " OR ".join(term.expression for term in terms)
        found = sql.match(db, kind, expression, scope, LIMITS[kind])
        if found:
            best_row, best = found[0]
            share = _coverage(db, kind, terms, best_row)
            scores.update({Ref(kind, row): share * score / best for row, score in found})
    return scores


def _rescued(db: sqlite3.Connection, kind: str, term: Term) -> Term:
    """``term``, or where nothing holds it, whatever begins with it."""
    if term.prefix or len(term.words[-1]) < SHORTEST_PREFIX:
        return term
    return term if sql.has_match(db, kind, term.expression) else Term(term.words, prefix=True)


def _coverage(db: sqlite3.Connection, kind: str, terms: Sequence[Term], row: int) -> float:
    words = [term for term in terms if len(term.words) == 1] or terms
    held = sum(sql.row_matches(db, kind, term.expression, row) for term in words)
    return max(held, 1) / len(words)
