"""How well files, and the definitions in them, match the words of a query."""

from __future__ import annotations

import math
import sqlite3
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from operator import or_

from sakur4_core.cortex.asking import Query, Word
from sakur4_core.store import cortex as sql
from sakur4_core.store.cortex import Stretch

# Of a file's passages the best counts in full, the next this much of it, and so on: what a
# change is about stands in a few definitions. This and what follows: docs/benchmarks.md.
FADE = 0.5
BEST_PASSAGES = 12
# How much it counts what share of the query's weight a file has any word for.
COVER_POWER = 0.3
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
    if not files:
        return found
    places = _Places(files)
    rows = sql.passage_count(db)
    scores: dict[int, float] = defaultdict(float)
    seen: dict[int, int] = defaultdict(int)
    used = 0
    for count, word in _rarest_first(db, query):
        if count and used < MAX_ROWS:
            hits = sql.match_passages(db, _in_body(word), with_aside=count <= MAX_ROWS_ASIDE)
            used += len(hits)
            within = sum(1 for _ in places.files_of(row for row, _ in hits))
            worth = word.weight * _idf(within, len(files))
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

    def files_of(self, rows: Iterable[int]) -> Iterator[tuple[Stretch, list[int]]]:
        """The files of these rows, which ascend, and which of them are theirs; no dead ones."""
        file, end = self._files[0], -1
        held: list[int] = []
        for row in rows:
            if row >= end:
                if held:
                    yield file, held
                at = bisect_right(self._first, row)
                file, held = self._files[at - 1], []
                end = self._first[at] if at < len(self._first) else sys.maxsize
            if 0 <= row - file.first < file.definitions:
                held.append(row)
        if held:
            yield file, held


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
        files = [file for file, _ in places.files_of(rows)]
        worth = word.weight * _idf(len(files), len(places))
        for file in files:
            scores[file.path] = scores.get(file.path, 0.0) + worth


def _join(found: Matches, places: _Places, scores: dict[int, float], seen: dict[int, int]) -> None:
    """From rows to files."""
    worths = list(found.worth.values())
    total = found.total
    for file, rows in places.files_of(sorted(scores)):
        found.passages[file.path] = {row - file.first: scores[row] for row in rows}
        best = sorted((scores[row] for row in rows), reverse=True)[:BEST_PASSAGES]
        score = sum(value * FADE**at for at, value in enumerate(best))
        covered = reduce(or_, (seen[row] for row in rows))
        share = sum(worth for at, worth in enumerate(worths) if covered >> at & 1)
        found.text[file.path] = score * (share / total) ** COVER_POWER
