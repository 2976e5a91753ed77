"""Which files matter: by what a query says, by what is in focus, by what others rest on."""

from __future__ import annotations

import math
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sakur4_core.models import Contribution, RankedFile
from sakur4_core.store import cortex as sql
from sakur4_core.words import name_parts

# Weights of path, definition names and body, and of the further terms: measured on the
# localisation tasks (docs/benchmarks.md); the text's own score is scaled to 1.
TEXT_WEIGHTS = (4.0, 3.0, 1.0)
NAME_WEIGHT = 0.6
FOCUS_WEIGHT = 2.0
NEAR_FOCUS_WEIGHT = 0.5
CENTRALITY_WEIGHT = 0.1
# Tests, documentation, examples and vendored code name what a change is about without being it.
SIDE_FACTOR = 0.3
DAMPING = 0.85
STEPS = 20
MAX_TERMS = 48

_WORD = re.compile(r"[^\W\d_]\w*", re.UNICODE)
_SIDE = re.compile(
    r"(?:^|/)(?:tests?|testing|docs?|docs_src|examples?|samples?|fixtures|benchmarks?|"
    r"vendor|vendored|_vendor|third_party|node_modules|site-packages)/"
    r"|(?:^|/)(?:test_[^/]*|conftest|[^/]*_test)\.pyi?$"
)
_STOP_WORDS = """
a an and are as at be by can do does fix for from get has have how if in into is it its make new
no not of on or our should so some than that the their then there these this to up use used uses
using was we were what when where which while will with you
"""
_STOP = frozenset(_STOP_WORDS.split())


@dataclass(frozen=True, slots=True)
class Query:
    """What a query asks for: words, and names that it spells as code does."""

    words: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Query:
        """Read free text: ``check_user``, ``parseReply`` and ``Parser`` are names."""
        words: dict[str, None] = {}
        names: dict[str, None] = {}
        for word in _WORD.findall(text):
            if word.lower() in _STOP or len(word) < 2:
                continue
            words[word.lower()] = None
            parts = [part for piece in word.split("_") for part in name_parts(piece) if part]
            if len(parts) > 1:
                words.update(dict.fromkeys(part.lower() for part in parts))
            if len(parts) > 1 or word[0].isupper():
                names[word] = None
        return cls(tuple(words)[:MAX_TERMS], tuple(names)[:MAX_TERMS])

    @property
    def expression(self) -> str:
        """The words in FTS5's notation, each quoted, any of them enough."""
        return " OR ".join(f'"{word}"' for word in self.words)


def rank(
    db: sqlite3.Connection, *, query: Query | None, focus: Iterable[str]
) -> tuple[RankedFile, ...]:
    """Every parsed file, the most relevant first; ties go by path."""
    paths = [path for path, _ in sql.unit_paths(db)]
    edges = sql.file_edges(db)
    focused = {path for path in paths if _in_focus(path, focus)}
    parts: dict[str, list[Contribution]] = defaultdict(list)
    for path, share in _scaled(page_rank(paths, edges, focused)).items():
        weight = CENTRALITY_WEIGHT * math.sqrt(share) if query else share
        _add(parts, path, "centrality", weight)
    if query is not None and query.words:
        text = sql.match_files(db, query.expression, TEXT_WEIGHTS)
        for path, share in _scaled(text).items():
            _add(parts, path, "text", share)
        for path, share in _scaled(_defined(db, query)).items():
            _add(parts, path, "name", NAME_WEIGHT * share)
    near = {target for source, target, _ in edges if source in focused}
    near |= {source for source, target, _ in edges if target in focused}
    for path in focused:
        _add(parts, path, "focus", FOCUS_WEIGHT)
    for path in near - focused:
        _add(parts, path, "near focus", NEAR_FOCUS_WEIGHT)
    ranked = [_ranked(path, parts[path], path in focused) for path in paths]
    return tuple(sorted(ranked, key=lambda file: (-file.score, file.path)))


def _ranked(path: str, parts: list[Contribution], focused: bool) -> RankedFile:
    score = sum(part.amount for part in parts)
    if not focused and _SIDE.search(path):
        aside = score * (SIDE_FACTOR - 1)
        parts = [*parts, Contribution("tests, docs or vendored", aside)]
        score += aside
    return RankedFile(path, round(score, 6), tuple(parts))


def _add(parts: dict[str, list[Contribution]], path: str, name: str, amount: float) -> None:
    if amount:
        parts[path].append(Contribution(name, round(amount, 6)))


def _in_focus(path: str, focus: Iterable[str]) -> bool:
    for entry in focus:
        place = entry.strip().removeprefix("./").rstrip("/")
        if place and (path == place or path.startswith(place + "/")):
            return True
    return False


def _defined(db: sqlite3.Connection, query: Query) -> dict[str, float]:
    """Files that define a name of the query; a name defined in many files says little."""
    scores: dict[str, float] = defaultdict(float)
    for name in query.names:
        files = {symbol.path for symbol in sql.symbols_named(db, name)}
        for path in sorted(files):
            scores[path] += 1 / len(files)
    return scores


def _scaled(scores: Mapping[str, float]) -> dict[str, float]:
    top = max(scores.values(), default=0)
    return {path: score / top for path, score in scores.items()} if top > 0 else {}


def page_rank(
    paths: list[str], edges: Iterable[tuple[str, str, int]], seeds: set[str]
) -> dict[str, float]:
    """How much of the project rests on each file, seen from ``seeds`` if there are any."""
    known = set(paths)
    out: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for source, target, count in edges:
        if source in known and target in known:
            out[source].append((target, math.sqrt(count)))
    start = [path for path in paths if path in seeds] or paths
    if not start:
        return {}
    home = dict.fromkeys(start, 1 / len(start))
    rank = dict(home)
    for _ in range(STEPS):
        moved: dict[str, float] = defaultdict(float)
        loose = 0.0
        for path in paths:
            mass = rank.get(path, 0.0)
            targets = out.get(path)
            if not targets:
                loose += mass
                continue
            total = sum(weight for _, weight in targets)
            for target, weight in targets:
                moved[target] += mass * weight / total
        rank = {
            path: DAMPING * moved.get(path, 0.0)
            + home.get(path, 0.0) * (1 - DAMPING + DAMPING * loose)
            for path in paths
        }
    return rank
