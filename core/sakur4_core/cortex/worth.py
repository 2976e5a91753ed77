"""Which definitions a map shows first: pairs of a file and a definition, by their worth."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sakur4_core.cortex.asking import stems_of
from sakur4_core.cortex.ranking import Ranking
from sakur4_core.models import FactKind
from sakur4_core.store import cortex as sql
from sakur4_core.store.cortex import SymbolRow

# How steeply the worth of a definition falls with its file's score, with a query and without:
# what a query is about stands in few files, and a map of the whole shows many.
QUERY_POWER = 2.5
PLAIN_POWER = 0.5
# Shares of what a query's words are worth: in a definition's own lines, its name, its signature,
# and the name of what holds it. Measured over the localisation tasks (docs/benchmarks.md).
BODY, NAME, SIGNATURE, OWNER = 4.0, 1.0, 0.5, 0.3
# For the share of its name that the query has, for its exact name, and for being there at all.
NAME_SHARE, EXACT, ANY = 0.3, 0.5, 0.05
MINOR_KINDS = frozenset({FactKind.CONSTANT, FactKind.EXPORT})
MINOR = 0.5


@dataclass(frozen=True, slots=True)
class Valued:
    """One definition and its worth, between any others of the project."""

    worth: float
    symbol: SymbolRow


def valued(
    db: sqlite3.Connection, ranking: Ranking, paths: Sequence[str]
) -> dict[str, list[Valued]]:
    """The definitions of some files of a ranking, by file, the worthiest first."""
    scores = {file.path: file.score for file in ranking.files}
    top = max(scores.values(), default=0.0) or 1.0
    symbols = sql.symbols_of_files(db, paths)
    if ranking.matches is None:
        matches, power = _by_use(sql.in_degrees(db, paths), symbols), PLAIN_POWER
    else:
        matches, power = _by_query(db, ranking, paths, symbols), QUERY_POWER
    found: dict[str, list[Valued]] = {path: [] for path in paths}
    for symbol, matched in zip(symbols, matches, strict=True):
        worth = (max(scores[symbol.path], 0.0) / top) ** power * matched
        found[symbol.path].append(Valued(round(worth, 9), symbol))
    for held in found.values():
        held.sort(key=lambda one: (-one.worth, one.symbol.line_start, one.symbol.fact_row))
    return found


def _by_use(degrees: Mapping[int, int], symbols: Sequence[SymbolRow]) -> list[float]:
    """By how often the project names a definition; its own details come after."""
    made = []
    for symbol in symbols:
        used = 1 + math.log1p(degrees.get(symbol.fact_row, 0))
        own = symbol.kind in MINOR_KINDS or symbol.name.startswith("_")
        made.append(used * MINOR if own else used)
    return made


def _by_query(
    db: sqlite3.Connection, ranking: Ranking, paths: Sequence[str], symbols: Sequence[SymbolRow]
) -> list[float]:
    assert ranking.matches is not None and ranking.query is not None
    matches, names = ranking.matches, dict(ranking.query.names)
    bodies = {}
    for path, rows in sql.fact_rows(db, paths).items():
        held = matches.passages.get(path, {})
        bodies.update({rows[at]: score for at, score in held.items() if at < len(rows)})
    worth, total = matches.worth, matches.total

    def share(stems: frozenset[str]) -> float:
        return sum(worth[stem] for stem in sorted(stems)) / total if stems else 0.0

    made, wanted = [], frozenset(worth)
    for symbol in symbols:
        stems = stems_of(symbol.name)
        own = stems & wanted
        owner = (stems_of(symbol.qualified_name.rpartition(".")[0]) & wanted) - own
        around = (stems_of(symbol.signature) & wanted) - own
        matched = ANY + BODY * bodies.get(symbol.fact_row, 0.0) / total
        matched += NAME * share(own) + OWNER * share(owner) + SIGNATURE * share(around)
        matched += NAME_SHARE * len(own) / max(1, len(stems)) + EXACT * names.get(symbol.name, 0)
        made.append(matched)
    return made
