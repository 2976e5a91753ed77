"""Who is reached by a change: callers of callers, with what is known of each edge."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from sakur4_core.models import Caller, Impact
from sakur4_core.store import cortex as sql
from sakur4_core.store.cortex import CallerRow, SymbolRow

MAX_DEPTH = 32
MAX_RENDERED = 200
STALE = "[STALE: changed since it last saw this symbol]"


def trace(db: sqlite3.Connection, symbols: Sequence[SymbolRow], depth: int) -> list[Caller]:
    """Callers to ``depth`` steps, nearest first; each is listed once, at its least depth."""
    reached = {symbol.fact_row for symbol in symbols}
    frontier = sorted(reached)
    found: list[Caller] = []
    for step in range(1, depth + 1):
        following: dict[int, None] = {}
        for edge in sql.callers(db, frontier):
            source = edge.source_row
            if source in reached or source in following:
                continue
            following[source] = None
            found.append(_caller(edge, step))
        reached.update(following)
        frontier = sorted(following)
        if not frontier:
            break
    return found


def _caller(edge: CallerRow, depth: int) -> Caller:
    return Caller(
        qualified_name=edge.qualified_name,
        file=edge.path,
        line=edge.line,
        depth=depth,
        kind=edge.kind,
        confidence=edge.confidence,
        stale=edge.stale,
        via=edge.target_name,
    )


def describe(name: str, callers: Sequence[Caller], unresolved: int) -> Impact:
    """The answer, with a text for reading."""
    note = ""
    if unresolved:
        note = f"{unresolved} more uses of that name could not be resolved; any may be a caller."
    elif not callers:
        note = "No caller is known. Calls made through values or from outside are not seen."
    count = f"{len(callers)} known {'user' if len(callers) == 1 else 'users'}"
    lines = [f"{name}: {count}"]
    lines += [_line(caller) for caller in callers[:MAX_RENDERED]]
    if len(callers) > MAX_RENDERED:
        lines.append(f"... and {len(callers) - MAX_RENDERED} more")
    if note:
        lines.append(note)
    return Impact(
        symbol=name,
        found=True,
        callers=tuple(callers),
        rendered="\n".join(lines),
        unresolved=unresolved,
        note=note,
    )


def _line(caller: Caller) -> str:
    mark = {True: f" {STALE}", False: "", None: " (not checked)"}[caller.stale]
    verb = {"calls": "calls", "imports": "imports", "inherits": "inherits from"}
    return (
        f"{'  ' * caller.depth}{caller.qualified_name} {verb.get(caller.kind, 'names')}"
        f" {caller.via} at {caller.file}:{caller.line}, {caller.confidence}{mark}"
    )
