"""In which order a map shows what: its entries, one after another, whatever the budget.

Entries stand in the order of their worth and never move, so that what a smaller budget shows
is a prefix of what a larger one shows.
"""

from __future__ import annotations

import heapq
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sakur4_core.cortex.ranking import Ranking
from sakur4_core.cortex.worth import Valued, valued
from sakur4_core.store import cortex as sql
from sakur4_core.store.cortex import SymbolRow

# The first definitions are shown with their signatures, what follows by name.
SIGNATURES = 5
SIGNATURE_WIDTH = 110
NAMES_A_LINE = 12
# Files whose definitions compete one by one; further files follow with a line each.
COMPETING_FILES = 50
# A file's next definitions join its line as long as they are worth this share of the first, and
# compete as long as they are worth that share of the best.
JOINS_FROM = 0.5
COMPETES_FROM = 1e-4
# Files that a map may show at most, and how many are read at a time.
MAX_FILES = 5_000
FILES_A_PAGE = 25


@dataclass(frozen=True, slots=True)
class Entry:
    """One step of the map: its text, and how many definitions that shows."""

    path: str
    text: str
    definitions: int


def entries(db: sqlite3.Connection, ranking: Ranking, *, names_only: bool) -> Iterator[Entry]:
    """The entries of a map of the ranking's files, the worthiest first."""
    paths = [file.path for file in ranking.files[:MAX_FILES]]
    best = paths[:COMPETING_FILES]
    held = valued(db, ranking, best) if best else {}
    shown = dict.fromkeys(best, 0)
    signatures = 0 if names_only else SIGNATURES
    for path, taken in _competing(held):
        symbols = [one.symbol for one in taken]
        shown[path] += len(symbols)
        yield from _signatures(path, symbols[:signatures])
        if symbols[signatures:]:
            yield _names(path, symbols[signatures:])
        signatures = max(0, signatures - len(symbols))
    rest: list[Entry] = []
    for page in _pages(db, paths, held):
        for path, symbols in page:
            at = shown.get(path, 0)
            if not at:
                yield _names(path, symbols[:NAMES_A_LINE])
                at = NAMES_A_LINE
            rest.extend(
                _names(path, symbols[start : start + NAMES_A_LINE])
                for start in range(at, len(symbols), NAMES_A_LINE)
            )
    yield from rest


def _competing(held: dict[str, list[Valued]]) -> Iterator[tuple[str, list[Valued]]]:
    """Definitions of one file at a time, that of the worthiest definition not yet shown."""
    heads = [(-found[0].worth, path, 0) for path, found in held.items() if found]
    heapq.heapify(heads)
    least = -heads[0][0] * COMPETES_FROM if heads else 0.0
    while heads:
        worth, path, start = heapq.heappop(heads)
        if -worth < least:
            return
        found = held[path]
        end = start + 1
        bar = max(-worth * JOINS_FROM, least)
        while end < min(len(found), start + NAMES_A_LINE) and found[end].worth >= bar:
            end += 1
        yield path, found[start:end]
        if end < len(found):
            heapq.heappush(heads, (-found[end].worth, path, end))


def _pages(
    db: sqlite3.Connection, paths: Sequence[str], held: dict[str, list[Valued]]
) -> Iterator[list[tuple[str, list[SymbolRow]]]]:
    """Every file's definitions: by worth where that is known, else as they stand."""
    yield [(path, [one.symbol for one in found]) for path, found in held.items()]
    for start in range(len(held), len(paths), FILES_A_PAGE):
        page = paths[start : start + FILES_A_PAGE]
        by_file: dict[str, list[SymbolRow]] = {path: [] for path in page}
        for symbol in sql.symbols_of_files(db, page):
            by_file[symbol.path].append(symbol)
        yield list(by_file.items())


def _signatures(path: str, symbols: Sequence[SymbolRow]) -> Iterator[Entry]:
    head = f"{quoted(path)}\n"
    for symbol in symbols:
        yield Entry(path, f"{head}  {symbol.line_start}: {_signature(symbol)}\n", 1)
        head = ""


def _signature(symbol: SymbolRow) -> str:
    """The signature, with what holds the definition before it."""
    owner = symbol.qualified_name.rpartition(".")[0]
    text = f"[{owner}] {symbol.signature}" if owner else symbol.signature
    return text if len(text) <= SIGNATURE_WIDTH else text[: SIGNATURE_WIDTH - 1] + "…"


def _names(path: str, symbols: Sequence[SymbolRow]) -> Entry:
    """One line: names in the order of their worth, those of one class together."""
    groups: dict[str, list[str]] = {}
    for symbol in symbols:
        owner, _, name = symbol.qualified_name.rpartition(".")
        groups.setdefault(owner, []).append(name)
    names = ", ".join(
        f"{owner}({', '.join(held)})" if owner else ", ".join(held)
        for owner, held in groups.items()
    )
    line = f"{quoted(path)}: {names}\n" if names else f"{quoted(path)}\n"
    return Entry(path, line, len(symbols))


def quoted(path: str) -> str:
    """A path on one line, whatever its name holds."""
    return path if path.isprintable() else repr(path)
