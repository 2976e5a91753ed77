"""Definitions by name: exact, by its end, or near names where there is none."""

from __future__ import annotations

import difflib
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from sakur4_core.cortex.discovery import look
from sakur4_core.cortex.reading import read
from sakur4_core.models import SymbolHit
from sakur4_core.store import cortex as sql
from sakur4_core.store.cortex import SymbolRow

MAX_CANDIDATES = 8
NEAR_POOL = 400
SIMILARITY = 0.6
MAX_SOURCE_LINES = 400


def find(db: sqlite3.Connection, name: str) -> list[SymbolRow]:
    """Definitions that ``name`` means.

    It may be a last name (``expire``), an end of a qualified name (``Session.expire``), with
    the module before it (``src.auth.Session.expire``), or with the file
    (``src/auth.py:Session.expire``).
    """
    path, inner = _split_file(name.strip())
    last = inner.rpartition(".")[2].strip()
    symbols = sql.symbols_named(db, last) if last else []
    if path:
        symbols = [s for s in symbols if s.path == path or s.path.endswith("/" + path)]
    exact = [symbol for symbol in symbols if symbol.qualified_name == inner]
    if exact:
        return exact
    return [symbol for symbol in symbols if _ends_with(symbol, inner)]


def near(db: sqlite3.Connection, name: str) -> tuple[str, ...]:
    """Qualified names that may have been meant, the nearest first."""
    last = _split_file(name.strip())[1].rpartition(".")[2]
    if not last:
        return ()
    pool = sql.names_like(db, last, NEAR_POOL)
    for part in (last[:3], last[-3:]):
        pool.extend(sql.names_like(db, part, NEAR_POOL))
    lowered: dict[str, str] = {}
    for known in pool:
        lowered.setdefault(known.lower(), known)
    close = difflib.get_close_matches(last.lower(), lowered, MAX_CANDIDATES, SIMILARITY)
    names = dict.fromkeys([lowered[match] for match in close] + pool[:MAX_CANDIDATES])
    return tuple(sql.qualified_names(db, list(names), MAX_CANDIDATES))


def with_source(
    root: Path, symbols: Sequence[SymbolRow], unverified: set[str], max_bytes: int
) -> tuple[SymbolHit, ...]:
    """Each definition with its lines as they stand on disk."""
    lines: dict[str, list[str]] = {}
    for path in {symbol.path for symbol in symbols}:
        found = look(root, path)
        text = read(found, max_bytes).text if found is not None else None
        lines[path] = (text or "").splitlines()
    return tuple(
        _hit(symbol, lines[symbol.path], symbol.path not in unverified) for symbol in symbols
    )


def _hit(symbol: SymbolRow, lines: Sequence[str], verified: bool) -> SymbolHit:
    end = min(symbol.line_end, symbol.line_start + MAX_SOURCE_LINES - 1)
    shown = lines[symbol.line_start - 1 : end]
    source = "\n".join(f"{symbol.line_start + at:>5}  {line}" for at, line in enumerate(shown))
    if end < symbol.line_end:
        source += f"\n       ... {symbol.line_end - end} more lines"
    return SymbolHit(
        qualified_name=symbol.qualified_name,
        kind=symbol.kind,
        signature=symbol.signature,
        file=symbol.path,
        line_start=symbol.line_start,
        line_end=symbol.line_end,
        hash=f"{symbol.interface_hash}:{symbol.body_hash}",
        source=source,
        verified=verified,
        fact_id=symbol.fact_id,
    )


def _split_file(name: str) -> tuple[str, str]:
    path, colon, inner = name.rpartition(":")
    return (path, inner) if colon and ("/" in path or "." in path) else ("", name)


def _ends_with(symbol: SymbolRow, wanted: str) -> bool:
    module = symbol.path.rpartition(".")[0].removesuffix("/__init__").replace("/", ".")
    for whole in (symbol.qualified_name, f"{module}.{symbol.qualified_name}"):
        if whole == wanted or whole.endswith("." + wanted):
            return True
    return False
