"""What a name in one file means: by scopes, imports and receivers, never by a guess."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sakur4_core.cortex.languages import by_name
from sakur4_core.cortex.languages.language import Language
from sakur4_core.cortex.model import MODULE_SCOPE, Definition, Import, Reference, Scopes
from sakur4_core.cortex.modules import Modules
from sakur4_core.models import FactKind
from sakur4_core.store import cortex as sql

MAX_DEPTH = 12
"""Steps through re-exports and base classes; deeper chains stay unresolved."""

FOLDER = -1
"""The scope of a namespace package, which has no file."""


@dataclass(frozen=True, slots=True)
class Target:
    """A definition: a file and the index of a scope or definition in it."""

    path: str
    index: int
    exact: bool = True

    def probable(self) -> Target:
        """The same, known only by inference."""
        return Target(self.path, self.index, exact=False)


@dataclass(frozen=True, slots=True)
class Outside:
    """Known to be no definition of this project: a library's, a builtin, a local value."""


OUTSIDE = Outside()
Meaning = Target | Outside | None
"""None: it should be here, or might be, but is not known."""


class Unit:
    """One file as linking sees it."""

    def __init__(self, path: str, language: str, packed: Any) -> None:
        self.path = path
        self.language = by_name(language)
        self.kinds = [FactKind(entry[0]) for entry in packed["definitions"]]
        self.parents = [entry[2] for entry in packed["definitions"]]
        self.rows: list[int] = packed["rows"]
        self.imports: dict[tuple[int, str], Import] = {}
        self.stars: list[Import] = []
        for fields in packed["imports"]:
            entry = Import(*fields)
            if entry.alias == "*":
                self.stars.append(entry)
            else:
                self.imports[entry.scope, entry.alias] = entry
        self.local = {int(k): frozenset(v) for k, v in packed["local"].items()}
        self.typed: dict[int, dict[str, str]] = {int(k): v for k, v in packed["typed"].items()}
        self.bases: dict[int, list[str]] = {int(k): v for k, v in packed["bases"].items()}
        self.names = [entry[1] for entry in packed["definitions"]]

    @cached_property
    def members(self) -> dict[tuple[int, str], int]:
        """Scope and name to the definition; the last of several wins, as at run time."""
        return {
            (parent, name): index
            for index, (parent, name) in enumerate(zip(self.parents, self.names, strict=True))
        }

    def class_around(self, scope: int) -> int | None:
        """The innermost class that holds a scope."""
        while scope > MODULE_SCOPE:
            if self.kinds[scope] is FactKind.CLASS:
                return scope
            scope = self.parents[scope]
        return None


def pack_scopes(
    definitions: tuple[Definition, ...], rows: tuple[int, ...], scopes: Scopes
) -> dict[str, Any]:
    """A file's scopes as JSON data; facts of imports, which come last, are left out."""
    own = [d for d in definitions if d.kind is not FactKind.IMPORT]
    return {
        "definitions": [[d.kind.value, d.name, d.parent] for d in own],
        "rows": list(rows[: len(own)]),
        "imports": [[i.scope, i.alias, i.module, i.name, i.level, i.line] for i in scopes.imports],
        "local": {str(k): v for k, v in scopes.local.items()},
        "typed": {str(k): v for k, v in scopes.typed.items()},
        "bases": {str(k): v for k, v in scopes.bases.items()},
    }


def pack_uses(references: tuple[Reference, ...]) -> list[list[Any]]:
    """A file's references as JSON data."""
    return [[r.kind, r.scope, r.receiver, r.name, r.line] for r in references]


class Resolver:
    """Finds meanings against the whole stored symbol table, within one transaction."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._units: dict[str, Unit | None] = {}
        self._modules: dict[str, Modules] = {}

    def unit(self, path: str) -> Unit | None:
        """A file's unit, or None where it has none."""
        if path not in self._units:
            row = sql.unit(self._db, path)
            self._units[path] = None if row is None else Unit(row.path, row.language, row.scopes)
        return self._units[path]

    def modules(self, language: Language) -> Modules:
        """The project's modules in one language."""
        if language.name not in self._modules:
            paths = sql.unit_paths(self._db)
            mine = (path for path, name in paths if name == language.name)
            self._modules[language.name] = Modules(language, mine)
        return self._modules[language.name]

    def reference(self, unit: Unit, reference: Reference) -> Meaning:
        """What one use of a name means."""
        scope = reference.scope
        if reference.kind == "inherits":
            scope = max(unit.parents[scope], MODULE_SCOPE)
        if not reference.receiver:
            return self._lookup(unit, scope, reference.name, 0)
        owner = self._evaluate(unit, scope, reference.receiver, 0)
        return self._member(owner, reference.name, 0)

    def imported(self, unit: Unit, entry: Import) -> Meaning:
        """What an import names."""
        return self._import(unit, entry, 0)

    # -- names and dotted names --------------------------------------------------

    def _lookup(self, unit: Unit, scope: int, name: str, depth: int) -> Meaning:
        """A bare name, from the innermost scope outwards; classes are skipped from within."""
        at = scope
        while True:
            if at == scope or unit.kinds[at] is not FactKind.CLASS:
                index = unit.members.get((at, name))
                if index is not None:
                    return Target(unit.path, index)
                entry = unit.imports.get((at, name))
                if entry is not None:
                    return self._import(unit, entry, depth + 1)
                if name in unit.local.get(at, ()):
                    return OUTSIDE
            if at == MODULE_SCOPE:
                break
            at = unit.parents[at]
        return self._through_stars(unit, name, depth)

    def _through_stars(self, unit: Unit, name: str, depth: int) -> Meaning:
        certain = True
        for entry in unit.stars:
            module = self._module_of(unit, entry)
            found = self._member(module, name, depth + 1)
            if isinstance(found, Target):
                return found
            certain = certain and not isinstance(module, Outside)
        return OUTSIDE if name in unit.language.builtins and certain else None

    def _evaluate(self, unit: Unit, scope: int, text: str, depth: int) -> Meaning:
        """What a receiver is, or is an instance of."""
        if depth > MAX_DEPTH or text == "?":
            return None
        if text == "super()":
            return self._base_of(unit, unit.class_around(scope), depth)
        if text.endswith("()"):
            return self._instance(self._evaluate(unit, scope, text[:-2], depth + 1))
        head, *rest = text.split(".")
        own = unit.class_around(scope) if head in unit.language.own_names else None
        if own is not None:
            meaning: Meaning = Target(unit.path, own)
            if rest:
                given = self._typed(unit, own, f"{head}.{rest[0]}", depth)
                if given is not None:
                    meaning, rest = given, rest[1:]
        else:
            meaning = self._typed_name(unit, scope, head, depth)
        for part in rest:
            meaning = self._member(meaning, part, depth + 1)
        return meaning

    def _typed_name(self, unit: Unit, scope: int, name: str, depth: int) -> Meaning:
        """A name as a receiver: by its type where one was given, else by what it is."""
        at = scope
        while True:
            given = self._typed(unit, at, name, depth)
            if given is not None:
                return given
            bound = (at, name) in unit.members or (at, name) in unit.imports
            if bound or at == MODULE_SCOPE:
                break
            if name in unit.local.get(at, ()):
                return None
            at = unit.parents[at]
        return self._lookup(unit, scope, name, depth)

    def _typed(self, unit: Unit, scope: int, name: str, depth: int) -> Meaning:
        text = unit.typed.get(scope, {}).get(name)
        if text is None or depth > MAX_DEPTH:
            return None
        if text in unit.language.own_names:
            own = unit.class_around(scope)
            return None if own is None else Target(unit.path, own, exact=False)
        outer = scope if unit.kinds[scope] is not FactKind.CLASS else unit.parents[scope]
        return self._instance(self._evaluate(unit, outer, text, depth + 1))

    def _instance(self, meaning: Meaning) -> Meaning:
        """What calling or naming a type gives: an instance of it, or nothing known."""
        if isinstance(meaning, Target) and meaning.index > MODULE_SCOPE:
            unit = self.unit(meaning.path)
            if unit is not None and unit.kinds[meaning.index] is FactKind.CLASS:
                return meaning.probable()
            return None
        return OUTSIDE if isinstance(meaning, Outside) else None

    # -- members -----------------------------------------------------------------

    def _member(self, owner: Meaning, name: str, depth: int) -> Meaning:
        if not isinstance(owner, Target):
            return owner
        if depth > MAX_DEPTH:
            return None
        if owner.index == FOLDER:
            return self._submodule(owner.path, name, owner.exact)
        unit = self.unit(owner.path)
        if unit is None:
            return None
        if owner.index == MODULE_SCOPE:
            return self._of_module(unit, name, owner, depth)
        if unit.kinds[owner.index] is FactKind.CLASS:
            return self._of_class(unit, owner, name, depth)
        if unit.kinds[owner.index] is FactKind.CONSTANT:
            scope = max(unit.parents[owner.index], MODULE_SCOPE)
            given = self._typed(unit, scope, unit.names[owner.index], depth + 1)
            return self._member(given, name, depth + 1)
        return None

    def _of_module(self, unit: Unit, name: str, owner: Target, depth: int) -> Meaning:
        found: Meaning = None
        index = unit.members.get((MODULE_SCOPE, name))
        entry = unit.imports.get((MODULE_SCOPE, name))
        if index is not None:
            found = Target(unit.path, index)
        elif self.modules(unit.language).is_package(unit.path):
            found = self._submodule(unit.path.rpartition("/")[0], name, owner.exact)
        if found is None and entry is not None:
            found = self._import(unit, entry, depth + 1)
        if found is None and unit.stars:
            found = self._through_stars(unit, name, depth + 1)
        if isinstance(found, Target) and not owner.exact:
            return found.probable()
        return found

    def _submodule(self, folder: str, name: str, exact: bool) -> Meaning:
        for language_modules in self._modules.values():
            place = language_modules.below(folder, name)
            if place is not None:
                return self._at(place, exact)
        return None

    def _of_class(self, unit: Unit, owner: Target, name: str, depth: int) -> Meaning:
        index = unit.members.get((owner.index, name))
        if index is not None:
            return Target(unit.path, index, owner.exact)
        return self._member(self._base_of(unit, owner.index, depth), name, depth + 1)

    def _base_of(self, unit: Unit, index: int | None, depth: int) -> Meaning:
        """The first base class that is known; what comes through it is inferred."""
        if index is None:
            return None
        for text in unit.bases.get(index, ()):
            base = self._evaluate(unit, unit.parents[index], text, depth + 1)
            if isinstance(base, Target):
                return base.probable()
        return None

    # -- imports -----------------------------------------------------------------

    def _import(self, unit: Unit, entry: Import, depth: int) -> Meaning:
        if depth > MAX_DEPTH:
            return None
        module = self._module_of(unit, entry)
        if entry.name is not None and entry.name != "*":
            return self._member(module, entry.name, depth + 1)
        if entry.name is None and entry.alias != entry.module:
            head = entry.module.partition(".")[0]
            if entry.alias == head and isinstance(module, Target):
                return self._module_of(unit, Import(entry.scope, head, head, None, 0, 0))
        return module

    def _module_of(self, unit: Unit, entry: Import) -> Meaning:
        modules = self.modules(unit.language)
        if entry.level:
            place = modules.relative(unit.path, entry.level, entry.module)
            return None if place is None else self._at(place, exact=True)
        found = modules.find(entry.module, unit.path)
        return OUTSIDE if found is None else self._at(found[0], exact=found[1])

    def _at(self, place: str, exact: bool) -> Target:
        return Target(place, FOLDER if self.unit(place) is None else MODULE_SCOPE, exact)


def last_name(entry: Import) -> str:
    """The name by which an import is found when what it names appears or goes."""
    if entry.name is not None and entry.name != "*":
        return entry.name
    return entry.module.rpartition(".")[2] or entry.alias
