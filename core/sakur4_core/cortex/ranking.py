"""Which files matter: by what a query says, by what is in focus, by what others rest on."""

from __future__ import annotations

import math
import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sakur4_core.cortex.asking import Query
from sakur4_core.cortex.matching import Matches, match
from sakur4_core.cortex.page_rank import page_rank
from sakur4_core.models import Contribution, RankedFile
from sakur4_core.store import cortex as sql
from sakur4_core.store.cortex import Stretch

# Each part is scaled to 1 for the best file and then weighed: measured over the localisation
# tasks (docs/benchmarks.md), where moving any of these by half changes little.
TEXT_WEIGHT = 1.0
FILE_WEIGHT = 0.3
FOLDER_WEIGHT = 0.35
# A definition of exactly a name of the query; less where it is a plain word as well.
NAME_WEIGHT = 0.6
PLAIN_NAME_WEIGHT = 0.15
FOCUS_WEIGHT = 2.0
NEAR_FOCUS_WEIGHT = 0.5
ASIDE_FACTOR = 0.3


@dataclass(frozen=True, slots=True)
class Ranking:
    """Every parsed file, the most relevant first, and what a query found in them."""

    files: tuple[RankedFile, ...]
    query: Query | None = None
    matches: Matches | None = None


def rank(db: sqlite3.Connection, *, query: Query | None, focus: Sequence[str]) -> Ranking:
    """Rank every parsed file; ties go by path."""
    files = sql.stretches(db)
    parts: dict[str, list[Contribution]] = defaultdict(list)
    matches = None
    if query is not None:
        matches = match(db, query, files)
        _by_query(db, query, matches, len(files), parts)
    focused = {file.path for file in files if _in_focus(file.path, focus)}
    if focused or query is None:
        _by_edges(db, files, focused, parts, alone=query is None)
    ranked = [_ranked(file, parts[file.path], file.path in focused) for file in files]
    ranked.sort(key=lambda file: (-file.score, file.path))
    return Ranking(tuple(ranked), query, matches)


def _by_query(
    db: sqlite3.Connection,
    query: Query,
    matches: Matches,
    files: int,
    parts: dict[str, list[Contribution]],
) -> None:
    compound, plain = _defined(db, query, files)
    for name, scores, weight in (
        ("text", matches.text, TEXT_WEIGHT),
        ("file name", matches.file, FILE_WEIGHT),
        ("folder", matches.folder, FOLDER_WEIGHT),
        ("defines a name", compound, NAME_WEIGHT),
        ("defines a word", plain, PLAIN_NAME_WEIGHT),
    ):
        _add(parts, name, scores, weight)


def _defined(
    db: sqlite3.Connection, query: Query, files: int
) -> tuple[dict[str, float], dict[str, float]]:
    """Files that define a name of the query; what many files define says little.

    Returns:
        By names that only code spells so (``check_user``, ``parseReply``), and by other words.
    """
    compound: dict[str, float] = defaultdict(float)
    plain: dict[str, float] = defaultdict(float)
    for name, weight in query.names:
        paths = sql.files_defining(db, name)
        rarity = math.log(1 + (files - len(paths) + 0.5) / (len(paths) + 0.5))
        scores = plain if name[1:].islower() or len(name) < 3 else compound
        for path in paths:
            scores[path] += weight * rarity
    return compound, plain


def _by_edges(
    db: sqlite3.Connection,
    files: Sequence[Stretch],
    focused: set[str],
    parts: dict[str, list[Contribution]],
    *,
    alone: bool,
) -> None:
    edges = sql.file_edges(db)
    if alone:
        paths = sorted(file.path for file in files)
        _add(parts, "centrality", page_rank(paths, edges, focused), 1.0)
    near = {target for source, target, _ in edges if source in focused}
    near |= {source for source, target, _ in edges if target in focused}
    _add(parts, "focus", dict.fromkeys(focused, 1.0), FOCUS_WEIGHT)
    _add(parts, "near focus", dict.fromkeys(near - focused, 1.0), NEAR_FOCUS_WEIGHT)


def _add(
    parts: dict[str, list[Contribution]], name: str, scores: Mapping[str, float], weight: float
) -> None:
    """Scale scores to 1 for the best, weigh them, and add them to what files have."""
    top = max(scores.values(), default=0.0)
    for path, score in scores.items():
        if score > 0:
            parts[path].append(Contribution(name, round(weight * score / top, 6)))


def _ranked(file: Stretch, parts: list[Contribution], focused: bool) -> RankedFile:
    score = sum(part.amount for part in parts)
    if file.aside and score and not focused:
        less = round(score * (ASIDE_FACTOR - 1), 6)
        parts = [*parts, Contribution("test, documentation, data, vendored or generated", less)]
        score += less
    return RankedFile(file.path, round(score, 6), tuple(parts))


def _in_focus(path: str, focus: Sequence[str]) -> bool:
    for entry in focus:
        place = entry.strip().removeprefix("./").rstrip("/")
        if place and (path == place or path.startswith(place + "/")):
            return True
    return False
