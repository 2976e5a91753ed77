"""Who is reached by a change: callers of callers, with what is known of each edge."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Traced:
    """What a change to a symbol reaches, and the files in which that was read."""

    label: str
    callers: tuple[Caller, ...]
    unresolved: int
    paths: frozenset[str]


def traced(db: sqlite3.Connection, name: str, symbols: Sequence[SymbolRow], depth: int) -> Traced:
    """Follow the callers of all definitions that a name means."""
    callers = tuple(trace(db, symbols, depth))
    label = symbols[0].qualified_name
    if len(symbols) > 1:
        label = f"{name} ({len(symbols)} definitions)"
    paths = {symbol.path for symbol in symbols} | {caller.file for caller in callers}
    unresolved = sql.unresolved_uses(db, symbols[0].name)
    return Traced(label, callers, unresolved, frozenset(paths))


def describe(found: Traced, unverified: Collection[str] = ()) -> Impact:
    """The answer, with a text for reading.

    Args:
        unverified: Files that could not be checked against the disk in time.
    """
    notes = []
    if found.unresolved:
        notes.append(
            f"{found.unresolved} more uses of that name could not be resolved;"
            " any may be a caller."
        )
    elif not found.callers:
        notes.append("No caller is known. Calls made through values or from outside are not seen.")
    if unverified:
        notes.append(f"{len(unverified)} files were not checked against the disk in time.")
    note = " ".join(notes)
    count = f"{len(found.callers)} known {'user' if len(found.callers) == 1 else 'users'}"
    lines = [f"{found.label}: {count}"]
    lines += [_line(caller) for caller in found.callers[:MAX_RENDERED]]
    if len(found.callers) > MAX_RENDERED:
        lines.append(f"... and {len(found.callers) - MAX_RENDERED} more")
    if note:
        lines.append(note)
    return Impact(
        symbol=found.label,
        found=True,
        callers=found.callers,
        rendered="\n".join(lines),
        unresolved=found.unresolved,
        note=note,
    )


def _line(caller: Caller) -> str:
    mark = {True: f" {STALE}", False: "", None: " (not checked)"}[caller.stale]
    verb = {"calls": "calls", "imports": "imports", "inherits": "inherits from"}
    return (
        f"{'  ' * caller.depth}{caller.qualified_name} {verb.get(caller.kind, 'names')}"
        f" {caller.via} at {caller.file}:{caller.line}, {caller.confidence}{mark}"
    )
