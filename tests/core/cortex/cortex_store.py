"""The edges of a store, unpacked."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from sakur4_core.store.packing import CONFIDENCES, EDGE_KINDS, edges_in, name_mark, numbers, unpack


class StoredEdge(NamedTuple):
    """One edge; ``target`` is empty where it is not resolved."""

    path: str
    source: str
    line: int
    kind: str
    name: str
    target_path: str
    target: str
    confidence: str
    seen: int


def stored_edges(db: sqlite3.Connection) -> list[StoredEdge]:
    """Every edge, the unresolved ones included."""
    facts = {
        row[0]: (row[1], row[2], row[3])
        for row in db.execute("SELECT fact_row, file_path, qualified_name, name FROM fact")
    }
    found = []
    for target, blob in db.execute("SELECT target_row, uses FROM code_edge").fetchall():
        to_path, to_name, last = facts[target]
        for use in edges_in(blob):
            path, source, _ = facts[use.source]
            kind, confidence = EDGE_KINDS[use.how % 4], CONFIDENCES[use.how // 4]
            found.append(
                StoredEdge(
                    path, source, use.line, kind, last, to_path, to_name, confidence, use.seen
                )
            )
    resolved = {(edge.path, edge.source, edge.name) for edge in found}
    missing = (
        edge for edge in _missing(db, facts) if (edge.path, edge.source, edge.name) not in resolved
    )
    return sorted([*found, *missing])


def _missing(
    db: sqlite3.Connection, facts: dict[int, tuple[str, str, str]]
) -> Iterator[StoredEdge]:
    """What a file alone knows to be missing, and what it asked others for in vain."""
    for rows, uses, marks in db.execute(
        "SELECT u.rows, u.uses, l.missing FROM code_unit u JOIN code_link l USING (file_id)"
    ).fetchall():
        _, alone, asked = unpack(uses)
        known = set(numbers(marks))
        for name, flat in [*alone, *((name, flat) for _, _, name, flat in asked)]:
            for index, line, code in zip(flat[::3], flat[1::3], flat[2::3], strict=True):
                path, source, _ = facts[numbers(rows)[index]]
                kind = EDGE_KINDS[code % 4]
                if name_mark(name) in known and kind != "references":
                    yield StoredEdge(path, source, line, kind, name, "", "", "unresolved", 0)
