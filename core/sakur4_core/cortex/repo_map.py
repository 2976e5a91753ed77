"""The map: the best files with their definitions, as far as a budget of tokens goes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sakur4_core.cortex.indexer import INDEXED_AT
from sakur4_core.cortex.map_order import Entry, entries
from sakur4_core.cortex.model import FileStatus
from sakur4_core.cortex.ranking import Ranking
from sakur4_core.memory.own_words import MAP_HEADING
from sakur4_core.models import RankedFile, RepoMap
from sakur4_core.store import cortex as sql
from sakur4_core.store.status import meta
from sakur4_core.workspace import Workspace


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
    ranking: Ranking,
    budget: int,
    workspace: Workspace,
    *,
    names_only: bool = False,
) -> RepoMap:
    """The map of a ranking's files within ``budget`` tokens."""
    frame = Frame(
        workspace.project.root.name or "the project", meta(db, INDEXED_AT), sql.coverage(db)
    )
    made = entries(db, ranking, names_only=names_only)
    return draw(frame, ranking.files, made, budget, workspace.counter.count)


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
