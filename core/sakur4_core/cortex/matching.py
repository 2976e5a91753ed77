"""How well files, and the definitions in them, match the words of a query."""

from __future__ import annotations

import math
import sqlite3
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field

from sakur4_core.cortex.asking import Query, Word
from sakur4_core.store import cortex as sql
from sakur4_core.store.cortex import Stretch

# Of a file's passages the best counts in full, the next this much of it, and so on: what a
# change is about stands in a few definitions. This and what follows: docs/benchmarks.md.
FADE = 0.5
BEST_PASSAGES = 12
# How much it counts what share of the query's weight a file has any word for.
COVER_POWER = 0.5
# The rarest words are looked up first; those past so many rows say little and cost most.
MAX_ROWS = 25_000
# Words more common than this say nothing of files that are set aside.
MAX_ROWS_ASIDE = 2_000
LEAST_IDF = 1e-6


@dataclass(slots=True)
class Matches:
    """What a query's words found.

    Attributes:
        text: By path, how well what stands in the file matches.
        passages: By path and index of definition, how well its own lines match.
        file, folder: By path, how well the words of its name and of its folders match.
        worth: By stem, the weight of the query's word times its rarity.
    """

    text: dict[str, float] = field(default_factory=dict)
    passages: dict[str, dict[int, float]] = field(default_factory=dict)
    file: dict[str, float] = field(default_factory=dict)
    folder: dict[str, float] = field(default_factory=dict)
    worth: dict[str, float] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """What a match of every word would be worth."""
        return sum(self.worth.values()) or 1.0


def match(db: sqlite3.Connection, query: Query, files: list[Stretch]) -> Matches:
    """Look the words of a query up.

    Args:
        files: Every parsed file, by its rows.
    """
    found = Matches()
    places = _Places(files)
    rows = sql.passage_count(db)
    scores: dict[int, float] = defaultdict(float)
    seen: dict[int, int] = defaultdict(int)
    used = 0
    for count, word in _rarest_first(db, query):
        if count and used < MAX_ROWS:
            hits = sql.match_passages(db, _in_body(word), with_aside=count <= MAX_ROWS_ASIDE)
            used += len(hits)
            worth = word.weight * _idf(len({places.file_of(row) for row, _ in hits}), len(files))
            scale = worth / max(math.log((rows - count + 0.5) / (count + 0.5)), LEAST_IDF)
            bit = 1 << len(found.worth)
            for row, score in hits:
                scores[row] += score * scale
                seen[row] |= bit
        else:
            worth = word.weight * _idf(count, rows)
        found.worth[word.stem] = worth
        _match_path(db, word, places, found)
    _join(found, places, scores, seen)
    return found


class _Places:
    """From a row of the full-text index to the file and the definition that it is of."""

    def __init__(self, files: list[Stretch]) -> None:
        self._files = files
        self._first = [file.first for file in files]

    def __len__(self) -> int:
        return len(self._files)

    def file_of(self, row: int) -> Stretch | None:
        """The file, or None for a dead row."""
        at = bisect_right(self._first, row) - 1
        if at < 0:
            return None
        file = self._files[at]
        return file if row - file.first < max(file.definitions, 1) else None


def _rarest_first(db: sqlite3.Connection, query: Query) -> list[tuple[int, Word]]:
    counted = [(sql.passages_with(db, _in_body(word)), word) for word in query.words]
    return sorted(counted, key=lambda entry: (entry[0], entry[1].text))


def _in_body(word: Word) -> str:
    return f"body : {word.phrase}"


def _idf(count: int, of: int) -> float:
    """The rarity of what ``count`` among ``of`` have (BM25's, never below 0)."""
    return math.log(1 + (of - count + 0.5) / (count + 0.5))


def _match_path(db: sqlite3.Connection, word: Word, places: _Places, found: Matches) -> None:
    for column, scores in (("file", found.file), ("folder", found.folder)):
        rows = sql.rows_with(db, f"{column} : {word.phrase}")
        files = [file for row in rows if (file := places.file_of(row)) is not None]
        worth = word.weight * _idf(len(files), len(places))
        for file in files:
            scores[file.path] = scores.get(file.path, 0.0) + worth


def _join(found: Matches, places: _Places, scores: dict[int, float], seen: dict[int, int]) -> None:
    """From rows to files."""
    covered: dict[str, int] = defaultdict(int)
    for row in sorted(scores):
        file = places.file_of(row)
        if file is not None:
            found.passages.setdefault(file.path, {})[row - file.first] = scores[row]
            covered[file.path] |= seen[row]
    worths = list(found.worth.values())
    for path, held in found.passages.items():
        best = sorted(held.values(), reverse=True)[:BEST_PASSAGES]
        share = sum(worth for at, worth in enumerate(worths) if covered[path] >> at & 1)
        score = sum(value * FADE**at for at, value in enumerate(best))
        found.text[path] = score * (share / found.total) ** COVER_POWER
