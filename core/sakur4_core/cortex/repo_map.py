"""The map: the best files with their definitions, as far as a budget of tokens goes.

Entries stand in rank order, one after the other, so that what a smaller budget shows is a
prefix of what a larger one shows. Signatures, never bodies.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sakur4_core.cortex.indexer import INDEXED_AT
from sakur4_core.cortex.model import FileStatus
from sakur4_core.cortex.ranking import Query
from sakur4_core.memory.own_words import MAP_HEADING
from sakur4_core.models import RankedFile, RepoMap
from sakur4_core.store import cortex as sql
from sakur4_core.store.cortex import SymbolRow
from sakur4_core.store.status import meta
from sakur4_core.workspace import Workspace

# Measured on the localisation tasks: signatures for the best eight files, bare names after.
SIGNATURE_FILES = 8
SIGNATURES_A_FILE = 8
NAMES_A_LINE = 12
# Files that a map may show at most, and how many are read at a time.
MAX_FILES = 5_000
FILES_A_PAGE = 25
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
        return f"{MAP_HEADING}{self.project}, {dated}"

    def footer(self, definitions: int, files: int) -> str:
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
            f" shown: {definitions} definitions of {files} files"
        )


def map_of(
    db: sqlite3.Connection,
    files: Sequence[RankedFile],
    query: Query | None,
    budget: int,
    workspace: Workspace,
    *,
    names_only: bool = False,
) -> RepoMap:
    """The map of these files, best first, within ``budget`` tokens."""
    frame = Frame(
        workspace.project.root.name or "the project", meta(db, INDEXED_AT), sql.coverage(db)
    )
    made = entries(db, files, query, names_only=names_only)
    return draw(frame, files, made, budget, workspace.counter.count)


def entries(
    db: sqlite3.Connection,
    files: Sequence[RankedFile],
    query: Query | None,
    *,
    names_only: bool,
) -> Iterator[Entry]:
    """The entries of the map, in rank order, whatever the budget."""
    rest: list[Entry] = []
    for start in range(0, min(len(files), MAX_FILES), FILES_A_PAGE):
        page = [file.path for file in files[start : start + FILES_A_PAGE]]
        degrees = sql.in_degrees(db, page)
        by_file: dict[str, list[SymbolRow]] = {path: [] for path in page}
        for symbol in sql.symbols_of_files(db, page):
            by_file[symbol.path].append(symbol)
        for place, path in enumerate(page, start):
            ranked = sorted(by_file[path], key=lambda symbol: _worth(symbol, query, degrees))
            detailed = not names_only and place < SIGNATURE_FILES
            limit = SIGNATURES_A_FILE if detailed else NAMES_A_LINE
            yield from (
                _signatures(path, ranked[:limit]) if detailed else [_names(path, ranked[:limit])]
            )
            rest.extend(
                _names(path, ranked[at : at + NAMES_A_LINE])
                for at in range(limit, len(ranked), NAMES_A_LINE)
            )
    yield from rest


def draw(
    frame: Frame,
    files: Sequence[RankedFile],
    made: Iterable[Entry],
    budget: int,
    count: Callable[[str], int],
) -> RepoMap:
    """As many entries, from the first on, as fit the budget with header and footer."""
    tokens = count(_joined(frame, ()))
    if budget < tokens:
        text = f"A map needs {tokens} tokens for its header and footer; the budget is {budget}."
        return _answer(frame, files, (), text, budget, count(text))
    taken: list[Entry] = []
    for entry in made:
        tokens += count(entry.text)
        if tokens > budget:
            break
        taken.append(entry)
    # Tokens of parts need not add up to those of the whole, and the footer's figures grow.
    while count(text := _joined(frame, taken)) > budget:
        taken.pop()
    return _answer(frame, files, taken, text, budget, count(text))


def _joined(frame: Frame, taken: Sequence[Entry]) -> str:
    body = "".join(entry.text for entry in taken)
    shown = len({entry.path for entry in taken})
    footer = frame.footer(sum(entry.definitions for entry in taken), shown)
    return f"{frame.header()}\n{body}{footer}\n"


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
