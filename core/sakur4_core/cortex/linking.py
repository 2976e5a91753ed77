"""From references to edges: every unit that waits is resolved against the stored table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from sakur4_core.cortex.model import Import, Reference
from sakur4_core.cortex.resolution import FOLDER, Outside, Resolver, Target, Unit, last_name
from sakur4_core.store import cortex as sql
from sakur4_core.store.cortex import Edge, UnitRow
from sakur4_core.store.database import Transaction

UNITS_A_TRANSACTION = 200


def link(tx: Transaction) -> bool:
    """Link up to a batch of waiting units; return whether more wait."""
    resolver = Resolver(tx.db)
    for row in sql.unlinked(tx.db, UNITS_A_TRANSACTION):
        _link_unit(tx, resolver, row)
    return bool(sql.unlinked(tx.db, 1))


def _link_unit(tx: Transaction, resolver: Resolver, row: UnitRow) -> None:
    unit = resolver.unit(row.path)
    if unit is None:
        return
    before = sql.edges_of_file(tx.db, row.file_id)
    seen = {
        (edge["source_row"], edge["target_row"], edge["kind"]): edge["seen_hash"]
        for edge in before
    }
    edges: dict[tuple[int, int | None, str, str], Edge] = {}
    for source, target, name, kind, line in _uses(resolver, unit, row):
        target_row = None if target is None else _row_of(resolver, target)
        if target_row is None and kind == "references":
            continue
        key = (source, target_row, kind, name if target_row is None else "")
        if key in edges:
            continue
        confidence, seen_hash = "unresolved", None
        if target is not None and target_row is not None:
            confidence = "exact" if target.exact else "probable"
            if source in row.fresh:
                seen_hash = sql.interface_hash(tx.db, target_row)
            else:
                seen_hash = seen.get((source, target_row, kind))
        edges[key] = (source, target_row, name, kind, line, confidence, seen_hash)
    sql.replace_edges(tx, row.file_id, list(edges.values()))
    _follow_exports(tx, unit, before, edges)


def _follow_exports(
    tx: Transaction,
    unit: Unit,
    before: list[sqlite3.Row],
    edges: dict[tuple[int, int | None, str, str], Edge],
) -> None:
    """Where an import means something else now, whoever imports it from here is relinked."""
    old = {(edge["name"], edge["target_row"]) for edge in before if edge["kind"] == "imports"}
    new = {(edge[2], edge[1]) for edge in edges.values() if edge[3] == "imports"}
    moved = {name for name, _ in old ^ new}
    if moved and before:
        aliases = {entry.alias for entry in unit.imports.values() if last_name(entry) in moved}
        sql.unlink_users(tx, moved | aliases, ())


def _uses(
    resolver: Resolver, unit: Unit, row: UnitRow
) -> Iterator[tuple[int, Target | None, str, str, int]]:
    """Source row, target, name, kind and line of each use that concerns this project."""
    for entry in sorted([*unit.imports.values(), *unit.stars], key=_place):
        meaning = resolver.imported(unit, entry)
        target = meaning if isinstance(meaning, Target) else None
        yield unit.rows[entry.scope], target, last_name(entry), "imports", entry.line
    for fields in row.uses:
        reference = Reference(*fields)
        meaning = resolver.reference(unit, reference)
        if not isinstance(meaning, Outside):
            source = unit.rows[reference.scope]
            yield source, meaning, reference.name, reference.kind, reference.line


def _place(entry: Import) -> tuple[int, str]:
    return entry.line, entry.alias


def _row_of(resolver: Resolver, target: Target) -> int | None:
    if target.index == FOLDER:
        return None
    unit = resolver.unit(target.path)
    return None if unit is None else unit.rows[target.index]
