"""The code index: units to link, edges, and the words of files."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sakur4_core.models import FactKind
from sakur4_core.store.database import Transaction
from sakur4_core.store.packing import (
    BYTES_A_USE,
    CONFIDENCES,
    EDGE_KINDS,
    Use,
    Words,
    edges_in,
    name_mark,
    numbers,
    pack_edges,
    pack_numbers,
    seen_mark,
    unpack,
)


@dataclass(frozen=True, slots=True)
class UnitRow:
    """A file's unit as stored. ``surface`` and ``uses`` are JSON that the cortex packed."""

    file_id: int
    path: str
    language: str
    rows: Sequence[int]
    surface: Any


@dataclass(frozen=True, slots=True)
class Waiting:
    """A unit that is to be linked, and what its last linking came to."""

    file_id: int
    path: str
    uses: Any
    fresh: frozenset[int]
    targets: Sequence[int]


@dataclass(frozen=True, slots=True)
class CallerRow:
    """One edge into a fact, with both its ends."""

    target_row: int
    source_row: int
    kind: str
    line: int
    confidence: str
    stale: bool | None
    target_name: str
    qualified_name: str
    path: str


class SymbolRow(NamedTuple):
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


# -- units ---------------------------------------------------------------------


class NewUnit(NamedTuple):
    """A parsed file's unit, and its words."""

    file_id: int
    rows: Sequence[int]
    fresh: Sequence[int]
    surface: bytes
    uses: bytes
    words: Words


# Passages of files that are set aside have rows from here on, so that they can be left out.
ASIDE_FROM = 1 << 40


def put_units(tx: Transaction, units: Sequence[NewUnit]) -> None:
    """Write units, to be linked, with their words."""
    text_rows = _text_rows(tx.db, units)
    tx.db.executemany(
        "INSERT INTO code_fts (rowid, folder, file, body) VALUES (?, ?, ?, ?)",
        (
            (row + index, *(("", "") if index else unit.words[:2]), body)
            for row, unit in zip(text_rows, units, strict=True)
            for index, body in unit.words.passages
        ),
    )
    tx.db.executemany(
        "INSERT OR REPLACE INTO code_unit"
        " (file_id, text_row, definitions, passages, rows, surface, uses)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (
                unit.file_id,
                row,
                len(unit.rows),
                len(unit.words.passages),
                pack_numbers(unit.rows),
                unit.surface,
                unit.uses,
            )
            for row, unit in zip(text_rows, units, strict=True)
        ),
    )
    tx.db.executemany(
        "INSERT INTO code_link VALUES (?, 1, ?, x'', x'', x'') ON CONFLICT (file_id)"
        " DO UPDATE SET waiting = 1, fresh = CAST(fresh || excluded.fresh AS BLOB)",
        ((unit.file_id, pack_numbers(unit.fresh)) for unit in units),
    )


def _text_rows(db: sqlite3.Connection, units: Sequence[NewUnit]) -> list[int]:
    """The row of each unit's first passage; as many rows are its own as it has definitions."""
    free = {}
    for aside, low, high in ((False, 0, ASIDE_FROM), (True, ASIDE_FROM, 2 * ASIDE_FROM)):
        used = db.execute(
            "SELECT max(id) FROM code_fts_docsize WHERE id >= ? AND id < ?", (low, high)
        ).fetchone()[0]
        last = db.execute(
            "SELECT text_row + definitions FROM code_unit WHERE text_row >= ? AND text_row < ?"
            " ORDER BY text_row DESC LIMIT 1",
            (low, high),
        ).fetchone()
        free[aside] = max(low + 1, (used or 0) + 1, last[0] if last else 0)
    rows = []
    for unit in units:
        rows.append(free[unit.words.aside])
        free[unit.words.aside] += len(unit.rows)
    return rows


def delete_units(tx: Transaction, file_ids: Sequence[int]) -> None:
    """Remove files' units and the edges that start in them."""
    for file_id in file_ids:
        row = tx.db.execute(
            "SELECT targets FROM code_link WHERE file_id = ?", (file_id,)
        ).fetchone()
        if row is not None:
            _delete_edges(tx, file_id, numbers(row[0]))
            tx.db.execute("DELETE FROM code_link WHERE file_id = ?", (file_id,))
            tx.db.execute("DELETE FROM code_unit WHERE file_id = ?", (file_id,))


def clear_words(tx: Transaction) -> None:
    """Empty the full-text index, dead rows included; every file must be put again."""
    tx.db.execute("INSERT INTO code_fts (code_fts) VALUES ('delete-all')")


def word_rows(db: sqlite3.Connection) -> tuple[int, int]:
    """Rows of the full-text index that a unit names, and all rows."""
    live = db.execute("SELECT coalesce(sum(passages), 0) FROM code_unit").fetchone()[0]
    return live, db.execute("SELECT count(*) FROM code_fts_docsize").fetchone()[0]


def relink_askers(tx: Transaction, names: Iterable[str]) -> None:
    """Have every unit linked again that looked for one of these names elsewhere."""
    linked = tx.db.execute("SELECT file_id, asked FROM code_link WHERE waiting = 0").fetchall()
    wanted = {name_mark(name) for name in names} if linked else set()
    askers = [(row[0],) for row in linked if not wanted.isdisjoint(numbers(row[1]))]
    tx.db.executemany("UPDATE code_link SET waiting = 1 WHERE file_id = ?", askers)


def waiting(db: sqlite3.Connection, limit: int) -> list[Waiting]:
    """Units that are to be linked."""
    rows = db.execute(
        "SELECT l.file_id, f.path, u.uses, l.fresh, l.targets FROM code_link l"
        " JOIN code_unit u USING (file_id) JOIN file f USING (file_id) WHERE l.waiting = 1"
        " ORDER BY l.file_id LIMIT ?",
        (limit,),
    )
    return [
        Waiting(row[0], row[1], unpack(row[2]), frozenset(numbers(row[3])), numbers(row[4]))
        for row in rows
    ]


def unit(db: sqlite3.Connection, path: str) -> UnitRow | None:
    """One file's unit, without its uses."""
    row = db.execute(
        "SELECT u.file_id, f.path, f.language, u.rows, u.surface"
        " FROM code_unit u JOIN file f USING (file_id) WHERE f.path = ?",
        (path,),
    ).fetchone()
    return (
        None if row is None else UnitRow(row[0], row[1], row[2], numbers(row[3]), unpack(row[4]))
    )


def unit_paths(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """Path and language of every parsed file, by path."""
    rows = db.execute(
        "SELECT f.path, f.language FROM code_unit JOIN file f USING (file_id) ORDER BY f.path"
    )
    return [(row[0], row[1]) for row in rows]


def packages(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """Path of each manifest and the name under which its folder is imported."""
    rows = db.execute("SELECT path, package FROM file WHERE package IS NOT NULL ORDER BY path")
    return [(row[0], row[1]) for row in rows]


# -- edges ---------------------------------------------------------------------


def edges_of_file(
    db: sqlite3.Connection, file_id: int, targets: Iterable[int]
) -> dict[int, list[Use]]:
    """The edges of a file, by the facts that they lead to."""
    found = {}
    for target in targets:
        row = db.execute(
            "SELECT uses FROM code_edge WHERE target_row = ? AND file_id = ?", (target, file_id)
        ).fetchone()
        if row is not None:
            found[target] = edges_in(row[0])
    return found


def interface_hashes(db: sqlite3.Connection, fact_rows: Iterable[int]) -> dict[int, str]:
    """The declared surface of facts now, by row."""
    found = db.execute(
        "SELECT fact_row, interface_hash FROM fact"
        " WHERE fact_row IN (SELECT value FROM json_each(?))",
        (json.dumps(list(fact_rows)),),
    )
    return {row[0]: row[1] for row in found}


@dataclass(frozen=True, slots=True)
class Linked:
    """What linking one unit came to: its edges by target, and the marks of names."""

    file_id: int
    before: Sequence[int]
    edges: dict[int, list[Use]]
    asked: Sequence[int]
    missing: Sequence[int]


def put_links(tx: Transaction, links: Sequence[Linked]) -> None:
    """Make the files' edges exactly these, and their units linked."""
    for link in links:
        _delete_edges(tx, link.file_id, link.before)
    rows = [
        (target, link.file_id, pack_edges(found))
        for link in links
        for target, found in link.edges.items()
    ]
    rows.sort()
    tx.db.executemany("INSERT INTO code_edge VALUES (?, ?, ?)", rows)
    tx.db.executemany(
        "UPDATE code_link SET waiting = 0, fresh = x'', asked = ?, missing = ?, targets = ?"
        " WHERE file_id = ?",
        [
            (
                pack_numbers(link.asked),
                pack_numbers(link.missing),
                pack_numbers(sorted(link.edges)),
                link.file_id,
            )
            for link in links
        ],
    )


def _delete_edges(tx: Transaction, file_id: int, targets: Iterable[int]) -> None:
    tx.db.executemany(
        "DELETE FROM code_edge WHERE target_row = ? AND file_id = ?",
        [(target, file_id) for target in targets],
    )


def edge_count(db: sqlite3.Connection) -> int:
    """All edges, unresolved ones included."""
    count: int = db.execute(
        f"SELECT (SELECT coalesce(sum(length(uses)), 0) / {BYTES_A_USE} FROM code_edge)"
        " + (SELECT coalesce(sum(length(missing)), 0) / 4 FROM code_link)"
    ).fetchone()[0]
    return count


def file_edges(db: sqlite3.Connection) -> list[tuple[str, str, int]]:
    """How often the code of one file names that of another: source, target, edges."""
    rows = db.execute(
        "SELECT s.path, t.path, n FROM (SELECT e.file_id AS source, f.file_id AS target,"
        f" sum(length(e.uses)) / {BYTES_A_USE} AS n"
        " FROM code_edge e JOIN fact f ON f.fact_row = e.target_row"
        " WHERE f.file_id <> e.file_id GROUP BY 1, 2) JOIN file s ON s.file_id = source"
        " JOIN file t ON t.file_id = target ORDER BY 1, 2"
    )
    return [(row[0], row[1], row[2]) for row in rows]


def callers(db: sqlite3.Connection, target_rows: Sequence[int]) -> list[CallerRow]:
    """The edges into these facts, with their sources, in a stable order."""
    found: list[tuple[int, str, str, int, Use]] = []
    for row in db.execute(
        "SELECT e.target_row, t.interface_hash, t.qualified_name, f.path, e.uses"
        " FROM code_edge e JOIN fact t ON t.fact_row = e.target_row"
        " JOIN file f ON f.file_id = e.file_id"
        " WHERE e.target_row IN (SELECT value FROM json_each(?))",
        (json.dumps(list(target_rows)),),
    ):
        now = seen_mark(row[1])
        found.extend((row[0], row[2], row[3], now, use) for use in edges_in(row[4]))
    names = _names_of(db, {entry[4].source for entry in found})
    made = [
        CallerRow(
            target_row=target,
            source_row=use.source,
            kind=EDGE_KINDS[use.how % 4],
            line=use.line,
            confidence=CONFIDENCES[use.how // 4],
            stale=None if use.seen == 0 else use.seen != now,
            target_name=target_name,
            qualified_name=names[use.source],
            path=path,
        )
        for target, target_name, path, now, use in found
        if use.source in names
    ]
    return sorted(made, key=lambda edge: (edge.path, edge.line, edge.qualified_name, edge.kind))


def _names_of(db: sqlite3.Connection, rows: Iterable[int]) -> dict[int, str]:
    found = db.execute(
        "SELECT fact_row, qualified_name FROM fact"
        " WHERE fact_row IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(rows)),),
    )
    return {row[0]: row[1] for row in found}


def unresolved_uses(db: sqlite3.Connection, name: str) -> int:
    """Calls of that name whose target is not known."""
    wanted = name_mark(name)
    count = 0
    for row in db.execute("SELECT missing FROM code_link WHERE missing <> x''"):
        count += numbers(row[0]).count(wanted)
    return count


def in_degrees(db: sqlite3.Connection, paths: Sequence[str]) -> dict[int, int]:
    """How many edges point at each definition of these files."""
    marks = ",".join("?" * len(paths))
    rows = db.execute(
        f"SELECT e.target_row, sum(length(e.uses)) / {BYTES_A_USE} FROM fact t"
        " JOIN code_edge e ON e.target_row = t.fact_row"
        f" WHERE t.file_id IN (SELECT file_id FROM file WHERE path IN ({marks})) GROUP BY 1",
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
    return list(map(SymbolRow._make, rows))


def symbols_of_files(db: sqlite3.Connection, paths: Sequence[str]) -> list[SymbolRow]:
    """The definitions of these files, by file and line."""
    marks = ",".join("?" * len(paths))
    rows = db.execute(
        f"{SYMBOL} WHERE file_id IN (SELECT file_id FROM file WHERE path IN ({marks}))"
        " AND kind NOT IN (?, ?) ORDER BY file_path, line_start, fact_row",
        (*paths, FactKind.IMPORT, FactKind.MODULE),
    )
    return list(map(SymbolRow._make, rows))


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


@dataclass(frozen=True, slots=True)
class Stretch:
    """The rows that a file's passages may have, and the file."""

    first: int
    definitions: int
    path: str

    @property
    def aside(self) -> bool:
        """Whether the file is ranked below what it is about."""
        return self.first >= ASIDE_FROM


def stretches(db: sqlite3.Connection) -> list[Stretch]:
    """Every parsed file's rows, in their order."""
    rows = db.execute(
        "SELECT u.text_row, u.definitions, f.path FROM code_unit u JOIN file f USING (file_id)"
        " ORDER BY u.text_row"
    )
    return [Stretch(*row) for row in rows]


def passage_count(db: sqlite3.Connection) -> int:
    """All rows of the full-text index; with dead ones, for they count in its statistics."""
    count: int = db.execute("SELECT count(*) FROM code_fts_docsize").fetchone()[0]
    return count


def passages_with(db: sqlite3.Connection, expression: str) -> int:
    """How many passages an FTS5 expression matches."""
    count: int = db.execute(
        "SELECT count(*) FROM code_fts WHERE code_fts MATCH ?", (expression,)
    ).fetchone()[0]
    return count


def match_passages(
    db: sqlite3.Connection, expression: str, *, with_aside: bool
) -> list[tuple[int, float]]:
    """Row and BM25 score, the higher the better, of each passage that an expression matches."""
    return db.execute(
        "SELECT rowid, -bm25(code_fts) FROM code_fts WHERE code_fts MATCH ? AND rowid < ?",
        (expression, 2 * ASIDE_FROM if with_aside else ASIDE_FROM),
    ).fetchall()


def rows_with(db: sqlite3.Connection, expression: str) -> list[int]:
    """The rows that an expression matches."""
    found = db.execute("SELECT rowid FROM code_fts WHERE code_fts MATCH ?", (expression,))
    return [row[0] for row in found]


def files_defining(db: sqlite3.Connection, name: str) -> list[str]:
    """Paths of the files with a definition of exactly that last name."""
    rows = db.execute(
        "SELECT DISTINCT file_path FROM fact WHERE name = ? AND kind NOT IN (?, ?)"
        " AND file_path IS NOT NULL",
        (name, FactKind.IMPORT, FactKind.MODULE),
    )
    return [row[0] for row in rows]


def fact_rows(db: sqlite3.Connection, paths: Sequence[str]) -> dict[str, Sequence[int]]:
    """The fact of each definition of these files, in their units' order."""
    marks = ",".join("?" * len(paths))
    rows = db.execute(
        f"SELECT f.path, u.rows FROM code_unit u JOIN file f USING (file_id)"
        f" WHERE f.path IN ({marks})",
        paths,
    )
    return {row[0]: numbers(row[1]) for row in rows}


def coverage(db: sqlite3.Connection) -> dict[str, int]:
    """Files by status."""
    rows = db.execute("SELECT status, count(*) FROM file GROUP BY status ORDER BY status")
    return {row[0]: row[1] for row in rows}
