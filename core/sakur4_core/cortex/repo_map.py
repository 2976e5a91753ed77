"""The map: the best files with their definitions, as far as a budget of tokens goes.

Entries stand in rank order, one after the other, so that what a smaller budget shows is a
prefix of what a larger one shows. Signatures, never bodies.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sakur4_core.cortex.model import FileStatus
from sakur4_core.cortex.ranking import Query
from sakur4_core.models import RankedFile, RepoMap
from sakur4_core.store import cortex as sql
from sakur4_core.store.cortex import SymbolRow

# Measured on the localisation tasks: signatures for the best eight files, bare names after.
SIGNATURE_FILES = 8
SIGNATURES_A_FILE = 8
NAMES_A_LINE = 12
# Files whose entries are made; at three tokens or more each they fill any budget allowed.
MAX_FILES = 400
SIGNATURE_WIDTH = 120


@dataclass(frozen=True, slots=True)
class Entry:
    """One step of the map: its lines, and the definitions they show."""

    path: str
    text: str
    definitions: int


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around the entries."""

    project: str
    indexed_at: str | None
    coverage: Mapping[str, int]

    def header(self) -> str:
        """The first line: which index this is a map of."""
        dated = f"indexed {self.indexed_at}" if self.indexed_at else "not indexed yet"
        return f"# Map of {self.project}, {dated}"

    def footer(self, shown: int, entries: int) -> str:
        """The last line: what the index covers and how much of it is shown."""
        parsed = self.coverage.get(FileStatus.PARSED, 0)
        partly = self.coverage.get(FileStatus.DEGRADED, 0)
        skipped = {
            status: count
            for status, count in self.coverage.items()
            if status not in (FileStatus.PARSED, FileStatus.DEGRADED, FileStatus.TIMED_OUT)
        }
        failed = self.coverage.get(FileStatus.TIMED_OUT, 0) + partly
        reasons = ", ".join(f"{count} {status}" for status, count in sorted(skipped.items()))
        skipped_text = f"{sum(skipped.values())} skipped" + (f" ({reasons})" if reasons else "")
        return (
            f"# Files: {parsed} parsed, {skipped_text}, {failed} failed or in part;"
            f" {shown} of {entries} entries shown"
        )


def entries(
    db: sqlite3.Connection,
    files: Sequence[RankedFile],
    query: Query | None,
    *,
    names_only: bool,
) -> list[Entry]:
    """Every entry of the map, in rank order, whatever the budget."""
    best = [file.path for file in files[:MAX_FILES]]
    by_file: dict[str, list[SymbolRow]] = {path: [] for path in best}
    degrees: dict[int, int] = {}
    for start in range(0, len(best), 200):
        page = best[start : start + 200]
        degrees.update(sql.in_degrees(db, page))
        for symbol in sql.symbols_of_files(db, page):
            by_file[symbol.path].append(symbol)
    made: list[Entry] = []
    rest: list[Entry] = []
    for place, path in enumerate(best):
        ranked = sorted(by_file[path], key=lambda symbol: _worth(symbol, query, degrees))
        if names_only or place >= SIGNATURE_FILES:
            head, tail = ranked[:NAMES_A_LINE], ranked[NAMES_A_LINE:]
            made.append(_names(path, head))
        else:
            head, tail = ranked[:SIGNATURES_A_FILE], ranked[SIGNATURES_A_FILE:]
            made.extend(_signatures(path, head))
        rest.extend(
            _names(path, tail[start : start + NAMES_A_LINE])
            for start in range(0, len(tail), NAMES_A_LINE)
        )
    return made + rest


def draw(
    frame: Frame,
    files: Sequence[RankedFile],
    made: Sequence[Entry],
    budget: int,
    count: Callable[[str], int],
) -> RepoMap:
    """As many entries, from the first on, as fit the budget with header and footer."""
    bare = f"{frame.header()}\n{frame.footer(0, len(made))}\n"
    least = count(bare)
    if budget < least:
        text = f"A map needs {least} tokens for its header and footer; the budget is {budget}."
        return _answer(frame, files, (), text, budget, count(text))
    taken, tokens = 0, count(f"{frame.header()}\n{frame.footer(len(made), len(made))}\n")
    while taken < len(made):
        tokens += count(made[taken].text)
        if tokens > budget:
            break
        taken += 1
    # Tokens of parts need not add up to those of the whole.
    while True:
        text = _joined(frame, made, taken)
        tokens = count(text)
        if tokens <= budget or not taken:
            break
        taken -= 1
    return _answer(frame, files, made[:taken], text, budget, tokens)


def _joined(frame: Frame, made: Sequence[Entry], taken: int) -> str:
    body = "".join(entry.text for entry in made[:taken])
    return f"{frame.header()}\n{body}{frame.footer(taken, len(made))}\n"


def _answer(
    frame: Frame,
    files: Sequence[RankedFile],
    shown: Sequence[Entry],
    text: str,
    budget: int,
    tokens: int,
) -> RepoMap:
    return RepoMap(
        text=text,
        tokens=tokens,
        budget=budget,
        files=tuple(files),
        shown=tuple(dict.fromkeys(entry.path for entry in shown)),
        indexed_at=frame.indexed_at,
        coverage=dict(frame.coverage),
    )


def _worth(
    symbol: SymbolRow, query: Query | None, degrees: Mapping[int, int]
) -> tuple[float, int, int]:
    """Sorts definitions of one file: what the query names, what is used most, as they stand."""
    match = 0.0
    if query is not None:
        name = symbol.name.lower()
        pieces = set(Query.of(symbol.name).words)
        match = sum(1.0 for word in query.words if word in pieces)
        if symbol.name in query.names or name in query.words:
            match += 3
    weight = degrees.get(symbol.fact_row, 0)
    if symbol.kind == "constant":
        weight = weight // 4
    elif symbol.name.startswith("_"):
        weight = weight // 2
    return -match, -weight, symbol.line_start


def _signatures(path: str, symbols: Sequence[SymbolRow]) -> list[Entry]:
    if not symbols:
        return [Entry(path, f"{_quoted(path)}\n", 0)]
    lines = [f"  {symbol.line_start}: {_shown(symbol)}\n" for symbol in symbols]
    first = Entry(path, f"{_quoted(path)}\n{lines[0]}", 1)
    return [first, *(Entry(path, line, 1) for line in lines[1:])]


def _names(path: str, symbols: Sequence[SymbolRow]) -> Entry:
    names = ", ".join(symbol.qualified_name for symbol in symbols)
    return Entry(
        path, f"{_quoted(path)}: {names}\n" if names else f"{_quoted(path)}\n", len(symbols)
    )


def _shown(symbol: SymbolRow) -> str:
    """The signature, with the class around it where it has one."""
    owner = symbol.qualified_name.rpartition(".")[0]
    text = f"[{owner}] {symbol.signature}" if owner else symbol.signature
    return text if len(text) <= SIGNATURE_WIDTH else text[: SIGNATURE_WIDTH - 1] + "…"


def _quoted(path: str) -> str:
    """A path on one line, whatever its name holds."""
    return path if path.isprintable() else repr(path)
