"""From uses to edges: every unit that waits is resolved against the stored table."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from typing import Any

from sakur4_core.cortex.languages import by_name
from sakur4_core.cortex.model import Import, Reference
from sakur4_core.cortex.modules import Modules, Outside, family, modules_of
from sakur4_core.cortex.resolution import FOLDER, Resolver, Target, last_name
from sakur4_core.cortex.units import Unit
from sakur4_core.store import cortex as sql
from sakur4_core.store.cortex import Linked, Waiting
from sakur4_core.store.database import Transaction
from sakur4_core.store.packing import EDGE_KINDS, Use, how, name_mark, seen_mark

UNITS_A_TRANSACTION = 200
# Units of other files that are kept at hand: some 20 kB each.
UNITS_AT_HAND = 1_000


class StoredTable:
    """The stored files of a project, as one pass of linking sees them."""

    def __init__(self) -> None:
        self._db: sqlite3.Connection | None = None
        self._units: OrderedDict[str, Unit | None] = OrderedDict()
        self._modules: dict[str, Modules] = {}
        self._folders: dict[tuple[str, str], list[str]] | None = None
        self.asked: set[str] = set()

    def use(self, db: sqlite3.Connection) -> None:
        """Read from this connection from now on."""
        self._db = db

    def unit(self, path: str) -> Unit | None:
        """A file's unit, or None where it has none."""
        if path in self._units:
            self._units.move_to_end(path)
            return self._units[path]
        assert self._db is not None
        row = sql.unit(self._db, path)
        found = None if row is None else Unit(row.path, row.language, row.rows, row.surface)
        self._units[path] = found
        if len(self._units) > UNITS_AT_HAND:
            self._units.popitem(last=False)
        return found

    def modules(self, language: str) -> Modules:
        """The modules that code of this language can name."""
        if language not in self._modules:
            assert self._db is not None
            kind = by_name(language)
            mine = [
                path
                for path, name in sql.unit_paths(self._db)
                if family(by_name(name)) == family(kind)
            ]
            self._modules[language] = modules_of(kind, mine, dict(sql.packages(self._db)))
        return self._modules[language]

    def package(self, unit: Unit) -> list[Unit]:
        """The other files of a file's folder and language."""
        if self._folders is None:
            assert self._db is not None
            self._folders = defaultdict(list)
            for path, language in sql.unit_paths(self._db):
                self._folders[path.rpartition("/")[0], language].append(path)
        folder = unit.path.rpartition("/")[0]
        paths = self._folders.get((folder, unit.language.name), ())
        found = (self.unit(path) for path in paths if path != unit.path)
        return [other for other in found if other is not None]


class Linker:
    """Links units, as many at a time as one transaction should hold."""

    def __init__(self) -> None:
        self._table = StoredTable()
        self._resolver = Resolver(self._table)

    def link(self, tx: Transaction) -> bool:
        """Link up to a batch of waiting units; return whether more may wait."""
        self._table.use(tx.db)
        batch = sql.waiting(tx.db, UNITS_A_TRANSACTION)
        sql.put_links(tx, self._seen(tx.db, [self._linked(tx.db, row) for row in batch]))
        return len(batch) == UNITS_A_TRANSACTION

    def _linked(self, db: sqlite3.Connection, row: Waiting) -> _Found:
        unit = self._table.unit(row.path)
        assert unit is not None
        self._table.asked = set()
        found = _Found(row, unit)
        settled, missing, waiting = row.uses
        for index, flat in settled:
            found.add(unit.rows[index], flat)
        for name, flat in missing:
            found.miss(name, len(flat) // 3)
        for entry in sorted((*unit.imports.values(), *unit.stars), key=_place):
            flat = [entry.scope, entry.line, how("imports", "exact")]
            self._settle(found, self._resolver.imported(unit, entry), last_name(entry), flat)
        for scope, receiver, name, flat in waiting:
            use = Reference("calls", scope, receiver, name, 0)
            self._settle(found, self._resolver.reference(unit, use), name, flat)
        found.asked = sorted({name_mark(name) for name in self._table.asked})
        return found

    def _settle(self, found: _Found, meaning: Any, name: str, flat: Sequence[int]) -> None:
        if isinstance(meaning, Outside):
            return
        row = self._row_of(meaning) if isinstance(meaning, Target) else None
        if row is not None:
            found.add(row, flat if meaning.exact else _probable(flat))
        else:
            uses = sum(EDGE_KINDS[code % 4] != "references" for code in flat[2::3])
            found.miss(name, uses)

    def _row_of(self, target: Target) -> int | None:
        if target.index == FOLDER:
            return None
        unit = self._table.unit(target.path)
        return None if unit is None else unit.rows[target.index]

    def _seen(self, db: sqlite3.Connection, batch: list[_Found]) -> list[Linked]:
        """Note which surface each use saw: the one now where its source is new or changed."""
        hashes = sql.interface_hashes(db, {row for found in batch for row in found.edges})
        marks = {row: seen_mark(text) for row, text in hashes.items()}
        return [found.linked(db, marks) for found in batch]


class _Found:
    """What is found of one unit while it is being linked."""

    def __init__(self, row: Waiting, unit: Unit) -> None:
        self._row = row
        self._unit = unit
        self.edges: dict[int, list[int]] = {}
        self.asked: Sequence[int] = ()
        self._missing: list[int] = []

    def add(self, target: int, flat: Sequence[int]) -> None:
        """Uses of a fact, as flat triples."""
        self.edges.setdefault(target, []).extend(flat)

    def miss(self, name: str, uses: int) -> None:
        """Uses of a name whose target is not known."""
        self._missing.extend([name_mark(name)] * uses)

    def linked(self, db: sqlite3.Connection, marks: dict[int, int]) -> Linked:
        """As it is stored. ``marks``: of the surface of each target now."""
        rows, fresh = self._unit.rows, self._row.fresh
        known: dict[tuple[int, int], int] = {}
        if not fresh.issuperset(rows):
            known = self._known(db)
        edges = {}
        for target, flat in self.edges.items():
            uses: dict[tuple[int, int], Use] = {}
            for index, line, code in zip(flat[::3], flat[1::3], flat[2::3], strict=True):
                source = rows[index]
                seen = marks[target] if source in fresh else known.get((source, target), 0)
                uses.setdefault((source, code % 4), Use(source, line, code, seen))
            edges[target] = sorted(uses.values())
        return Linked(self._row.file_id, self._row.targets, edges, self.asked, self._missing)

    def _known(self, db: sqlite3.Connection) -> dict[tuple[int, int], int]:
        """What the file's edges saw when they were linked last, by source and target."""
        found = sql.edges_of_file(db, self._row.file_id, self._row.targets)
        return {(use.source, target): use.seen for target, uses in found.items() for use in uses}


def _probable(flat: Sequence[int]) -> list[int]:
    made = list(flat)
    made[2::3] = [code % 4 + 4 for code in flat[2::3]]
    return made


def _place(entry: Import) -> tuple[int, str]:
    return entry.line, entry.alias
