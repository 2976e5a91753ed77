"""The code index: units to link, edges, and the words of files."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sakur4_core.models import FactKind
from sakur4_core.store.database import Transaction

Edge = tuple[int, int | None, str, str, int, str, str | None]
"""source_row, target_row, name, kind, line, confidence, seen_hash."""


@dataclass(frozen=True, slots=True)
class UnitRow:
    """A unit as stored: JSON that the cortex packed."""

    file_id: int
    path: str
    language: str
    scopes: Any
    uses: Any
    fresh: frozenset[int]


@dataclass(frozen=True, slots=True)
class SymbolRow:
    """One definition with its file."""

    fact_row: int
    fact_id: str
    kind: str
    name: str
    qualified_name: str
    path: str
    line_start: int
    line_end: int
    signature: str
    interface_hash: str
    body_hash: str


SYMBOL = (
    "SELECT fact_row, fact_id, kind, name, qualified_name, file_path, line_start, line_end,"
    " signature, interface_hash, body_hash FROM fact"
)


def pack(value: Any) -> bytes:
    """JSON, compressed."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def unpack(blob: bytes) -> Any:
    """The inverse of :func:`pack`."""
    return json.loads(zlib.decompress(blob).decode("utf-8", "surrogatepass"))


# -- units ---------------------------------------------------------------------


def put_unit(
    tx: Transaction,
    file_id: int,
    *,
    scopes: Any,
    uses: Any,
    fresh: Iterable[int],
    words: tuple[str, str, str],
) -> None:
    """Write a parsed file's unit, to be linked, and its words: path, names and body."""
    old = tx.db.execute("SELECT fresh FROM code_unit WHERE file_id = ?", (file_id,)).fetchone()
    waiting = set(fresh) | set(json.loads(old[0]) if old else ())
    row = tx.db.execute("SELECT coalesce(max(id), 0) + 1 FROM code_fts_docsize").fetchone()[0]
    tx.db.execute(
        "INSERT INTO code_fts (rowid, path, names, body) VALUES (?, ?, ?, ?)", (row, *words)
    )
    tx.db.execute(
        "INSERT OR REPLACE INTO code_unit (file_id, text_row, scopes, uses, unlinked, fresh)"
        " VALUES (?, ?, ?, ?, 1, ?)",
        (file_id, row, pack(scopes), pack(uses), json.dumps(sorted(waiting))),
    )


def delete_unit(tx: Transaction, file_id: int) -> None:
    """Remove a file's unit and the edges that start in it."""
    tx.db.execute("DELETE FROM code_edge WHERE file_id = ?", (file_id,))
    tx.db.execute("DELETE FROM code_unit WHERE file_id = ?", (file_id,))


def clear_words(tx: Transaction) -> None:
    """Empty the full-text index, dead rows included; every file must be put again."""
    tx.db.execute("INSERT INTO code_fts (code_fts) VALUES ('delete-all')")


def word_rows(db: sqlite3.Connection) -> tuple[int, int]:
    """Rows of the full-text index that a unit names, and all rows."""
    live = db.execute("SELECT count(*) FROM code_unit").fetchone()[0]
    return live, db.execute("SELECT count(*) FROM code_fts_docsize").fetchone()[0]


def unlink_users(tx: Transaction, names: Iterable[str], surfaces: Iterable[int]) -> int:
    """Mark for linking every unit that uses one of these names or inherits from these rows."""
    users: set[int] = set()
    for name in sorted(names):
        users.update(
            row[0]
            for row in tx.db.execute("SELECT file_id FROM code_edge WHERE name = ?", (name,))
        )
    for target in surfaces:
        users.update(
            row[0]
            for row in tx.db.execute(
                "SELECT file_id FROM code_edge WHERE target_row = ? AND kind = 'inherits'",
                (target,),
            )
        )
    before = tx.db.total_changes
    tx.db.executemany(
        "UPDATE code_unit SET unlinked = 1 WHERE file_id = ? AND unlinked = 0",
        [(file_id,) for file_id in sorted(users)],
    )
    return tx.db.total_changes - before


def unlinked(db: sqlite3.Connection, limit: int) -> list[UnitRow]:
    """Units that wait to be linked."""
    rows = db.execute(
        "SELECT u.file_id, f.path, f.language, u.scopes, u.uses, u.fresh"
        " FROM code_unit u JOIN file f USING (file_id) WHERE u.unlinked = 1"
        " ORDER BY u.file_id LIMIT ?",
        (limit,),
    )
    return [_unit(row) for row in rows]


def unit(db: sqlite3.Connection, path: str) -> UnitRow | None:
    """One file's unit, without its uses."""
    row = db.execute(
        "SELECT u.file_id, f.path, f.language, u.scopes, NULL AS uses, u.fresh"
        " FROM code_unit u JOIN file f USING (file_id) WHERE f.path = ?",
        (path,),
    ).fetchone()
    return None if row is None else _unit(row)


def _unit(row: sqlite3.Row) -> UnitRow:
    return UnitRow(
        row["file_id"],
        row["path"],
        row["language"],
        unpack(row["scopes"]),
        unpack(row["uses"]) if row["uses"] is not None else None,
        frozenset(json.loads(row["fresh"])),
    )


def unit_paths(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """Path and language of every parsed file, by path."""
    rows = db.execute(
        "SELECT f.path, f.language FROM code_unit JOIN file f USING (file_id) ORDER BY f.path"
    )
    return [(row[0], row[1]) for row in rows]


# -- edges ---------------------------------------------------------------------


def edges_of_file(db: sqlite3.Connection, file_id: int) -> list[sqlite3.Row]:
    """The edges that start in a file."""
    return db.execute(
        "SELECT source_row, target_row, name, kind, seen_hash FROM code_edge WHERE file_id = ?",
        (file_id,),
    ).fetchall()


def interface_hash(db: sqlite3.Connection, fact_row: int) -> str | None:
    """A fact's declared surface now."""
    row = db.execute("SELECT interface_hash FROM fact WHERE fact_row = ?", (fact_row,)).fetchone()
    return None if row is None else row[0]


def replace_edges(tx: Transaction, file_id: int, edges: Sequence[Edge]) -> None:
    """Make a file's edges exactly these, and its unit linked."""
    tx.db.execute("DELETE FROM code_edge WHERE file_id = ?", (file_id,))
    tx.db.executemany(
        "INSERT INTO code_edge"
        " (file_id, source_row, target_row, name, kind, line, confidence, seen_hash)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(file_id, *edge) for edge in edges],
    )
    tx.db.execute("UPDATE code_unit SET unlinked = 0, fresh = '[]' WHERE file_id = ?", (file_id,))


def edge_count(db: sqlite3.Connection) -> int:
    """All edges, unresolved ones included."""
    count: int = db.execute("SELECT count(*) FROM code_edge").fetchone()[0]
    return count


def file_edges(db: sqlite3.Connection) -> list[tuple[str, str, int]]:
    """How often the code of one file names that of another: source, target, edges."""
    rows = db.execute(
        "SELECT s.path, t.file_path, count(*) FROM code_edge e"
        " JOIN file s ON s.file_id = e.file_id JOIN fact t ON t.fact_row = e.target_row"
        " WHERE s.path <> t.file_path GROUP BY 1, 2 ORDER BY 1, 2"
    )
    return [(row[0], row[1], row[2]) for row in rows]


def callers(db: sqlite3.Connection, target_rows: Sequence[int]) -> list[sqlite3.Row]:
    """The edges into these facts, with their sources, in a stable order."""
    marks = ",".join("?" * len(target_rows))
    return db.execute(
        "SELECT e.target_row, e.source_row, e.kind, e.line, e.confidence, e.seen_hash,"
        " t.interface_hash, t.qualified_name AS target_name, s.qualified_name, s.file_path"
        " FROM code_edge e JOIN fact t ON t.fact_row = e.target_row"
        " JOIN fact s ON s.fact_row = e.source_row"
        f" WHERE e.target_row IN ({marks})"
        " ORDER BY s.file_path, e.line, s.qualified_name, e.kind",
        target_rows,
    ).fetchall()


def unresolved_uses(db: sqlite3.Connection, name: str) -> int:
    """Calls of that name whose target is not known."""
    count: int = db.execute(
        "SELECT count(*) FROM code_edge WHERE name = ? AND target_row IS NULL", (name,)
    ).fetchone()[0]
    return count


def in_degrees(db: sqlite3.Connection, paths: Sequence[str]) -> dict[int, int]:
    """How many edges point at each definition of these files."""
    marks = ",".join("?" * len(paths))
    rows = db.execute(
        "SELECT e.target_row, count(*) FROM code_edge e"
        " JOIN fact t ON t.fact_row = e.target_row JOIN file f ON f.file_id = t.file_id"
        f" WHERE f.path IN ({marks}) AND e.source_row <> e.target_row GROUP BY 1",
        paths,
    )
    return {row[0]: row[1] for row in rows}


# -- symbols -------------------------------------------------------------------


def symbols_named(db: sqlite3.Connection, name: str) -> list[SymbolRow]:
    """Definitions whose last name is ``name``; imports are none."""
    rows = db.execute(
        f"{SYMBOL} WHERE name = ? AND kind <> ? ORDER BY file_path, line_start, fact_row",
        (name, FactKind.IMPORT),
    )
    return [SymbolRow(*row) for row in rows]


def symbols_of_files(db: sqlite3.Connection, paths: Sequence[str]) -> list[SymbolRow]:
    """The definitions of these files, by file and line."""
    marks = ",".join("?" * len(paths))
    rows = db.execute(
        f"{SYMBOL} WHERE file_id IN (SELECT file_id FROM file WHERE path IN ({marks}))"
        " AND kind NOT IN (?, ?) ORDER BY file_path, line_start, fact_row",
        (*paths, FactKind.IMPORT, FactKind.MODULE),
    )
    return [SymbolRow(*row) for row in rows]


def names_like(db: sqlite3.Connection, part: str, limit: int) -> list[str]:
    """Distinct last names that hold ``part``, shortest first."""
    escaped = part.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    rows = db.execute(
        "SELECT DISTINCT name FROM fact WHERE name LIKE ? ESCAPE '\\' AND kind <> ?"
        " ORDER BY length(name), name LIMIT ?",
        (f"%{escaped}%", FactKind.IMPORT, limit),
    )
    return [row[0] for row in rows]


def qualified_names(db: sqlite3.Connection, names: Sequence[str], limit: int) -> list[str]:
    """The qualified names behind these last names, in the order given."""
    found: dict[str, None] = {}
    for name in names:
        for row in db.execute(
            "SELECT DISTINCT qualified_name FROM fact WHERE name = ? AND kind <> ? ORDER BY 1",
            (name, FactKind.IMPORT),
        ):
            found[row[0]] = None
        if len(found) >= limit:
            break
    return list(found)[:limit]


# -- words and coverage --------------------------------------------------------


def match_files(
    db: sqlite3.Connection, expression: str, weights: tuple[float, float, float]
) -> dict[str, float]:
    """Files whose words match an FTS5 expression, with BM25 scores: the higher, the better.

    Args:
        weights: Of the path, the names of definitions, and the body.
    """
    rows = db.execute(
        "SELECT f.path, m.score FROM (SELECT rowid, -bm25(code_fts, ?, ?, ?) AS score"
        " FROM code_fts WHERE code_fts MATCH ?) m"
        " JOIN code_unit u ON u.text_row = m.rowid JOIN file f USING (file_id) ORDER BY f.path",
        (*weights, expression),
    )
    return {row[0]: row[1] for row in rows}


def coverage(db: sqlite3.Connection) -> dict[str, int]:
    """Files by status."""
    rows = db.execute("SELECT status, count(*) FROM file GROUP BY status ORDER BY status")
    return {row[0]: row[1] for row in rows}
