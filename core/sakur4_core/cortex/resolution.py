"""What a name in one file means: by scopes, imports and receivers, never by a guess."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sakur4_core.cortex.model import MODULE_SCOPE, Import, Reference
from sakur4_core.cortex.modules import (
    OUTSIDE,
    PACKAGE_WIDE,
    PATH_WISE,
    Modules,
    Outside,
    Place,
    parts_of,
)
from sakur4_core.cortex.units import HOLDERS, Unit
from sakur4_core.models import FactKind

MAX_DEPTH = 12
"""Steps through re-exports and base classes; deeper chains stay unresolved."""

FOLDER = -1
"""The scope of a package that is a folder and no file."""

CONSTRUCTORS = {"rust": frozenset({"new", "default"})}
"""Functions of a type that by convention give an instance of it."""


@dataclass(frozen=True, slots=True)
class Target:
    """A definition: a file and the index of a scope or definition in it.

    Attributes:
        language: Whose package it is, where it is a folder.
    """

    path: str
    index: int
    exact: bool = True
    language: str = ""

    def probable(self) -> Target:
        """The same, known only by inference."""
        return Target(self.path, self.index, False, self.language)


Meaning = Target | Outside | None
"""None: it should be here, or might be, but is not known."""


class Table(Protocol):
    """Where the resolver looks for other files.

    Attributes:
        asked: The names that were looked for outside the file being linked.
    """

    asked: set[str]

    def unit(self, path: str) -> Unit | None:
        """A file's unit, or None where it has none."""
        ...

    def modules(self, language: str) -> Modules:
        """The modules that code of this language can name."""
        ...

    def package(self, unit: Unit) -> list[Unit]:
        """The other files whose names a file sees without importing them."""
        ...


class Resolver:
    """Finds meanings against a table of files."""

    def __init__(self, table: Table) -> None:
        self._table = table

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
        """A bare name, from the innermost scope outwards; types are skipped from within."""
        at = scope
        while True:
            if at == scope or unit.kinds[at] not in HOLDERS:
                index = unit.members.get((at, name))
                if index is not None:
                    return Target(unit.path, index)
                entry = unit.imports.get((at, name))
                if entry is not None:
                    return self._import(unit, entry, depth + 1)
                if name in unit.local.get(at, ()):
                    return OUTSIDE
            if at <= MODULE_SCOPE:
                break
            at = max(unit.parents[at], MODULE_SCOPE)
        return self._beyond(unit, name, depth)

    def _beyond(self, unit: Unit, name: str, depth: int) -> Meaning:
        """A name that its file does not bind: its package's, a star's, or the language's."""
        if unit.language.name in PACKAGE_WIDE:
            self._table.asked.add(name)
            for other in self._table.package(unit):
                index = other.members.get((MODULE_SCOPE, name))
                if index is not None:
                    return Target(other.path, index)
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
        if depth > MAX_DEPTH or text.startswith("?"):
            return None
        head, *rest = text.split(".")
        if head in ("super()", "super") and unit.language.name not in PATH_WISE:
            meaning: Meaning = self._base_of(unit, unit.class_around(scope), depth)
        else:
            meaning, rest = self._head(unit, scope, head, rest, depth)
        for part in rest:
            called = part.endswith("()")
            owner, name = meaning, part.removesuffix("()")
            meaning = self._member(owner, name, depth + 1)
            if called:
                meaning = self._result(owner, meaning, unit, name, depth)
        return meaning

    def _head(
        self, unit: Unit, scope: int, head: str, rest: list[str], depth: int
    ) -> tuple[Meaning, list[str]]:
        """The meaning of a receiver's first name, and the parts that are left to follow."""
        name = head.removesuffix("()")
        own = unit.class_around(scope) if name in unit.language.own_names else None
        if own is None:
            meaning = self._typed_name(unit, scope, name, depth)
        else:
            meaning = Target(unit.path, own)
            if rest:
                given = self._typed(unit, own, f"{head}.{rest[0]}", depth)
                if given is not None:
                    return given, rest[1:]
        return (self._instance(meaning, depth) if name != head else meaning), rest

    def _typed_name(self, unit: Unit, scope: int, name: str, depth: int) -> Meaning:
        """A name as a receiver: by its type where one was given, else by what it is."""
        at = scope
        while True:
            given = self._typed(unit, at, name, depth)
            if given is not None:
                return given
            bound = (at, name) in unit.members or (at, name) in unit.imports
            if bound:
                break
            if name in unit.local.get(at, ()):
                return None
            if at <= MODULE_SCOPE:
                break
            at = max(unit.parents[at], MODULE_SCOPE)
        found = self._lookup(unit, scope, name, depth)
        if found is None and unit.language.name in PATH_WISE:
            place = self._table.modules(unit.language.name).find(name, 0, unit.path)
            self._table.asked.add(name)
            return self._at(place, unit.language.name) if isinstance(place, Place) else None
        return found

    def _typed(self, unit: Unit, scope: int, name: str, depth: int) -> Meaning:
        text = unit.typed.get(scope, {}).get(name)
        if text is None or depth > MAX_DEPTH:
            return None
        if text in unit.language.own_names:
            own = unit.class_around(scope)
            return None if own is None else Target(unit.path, own, exact=False)
        outer = scope if unit.kinds[scope] not in HOLDERS else max(unit.parents[scope], 0)
        return self._instance(self._evaluate(unit, outer, text, depth + 1), depth + 1)

    def _instance(self, meaning: Meaning, depth: int) -> Meaning:
        """What calling or naming a type gives: an instance of it, or nothing known."""
        if isinstance(meaning, Target) and meaning.index > MODULE_SCOPE:
            unit = self._table.unit(meaning.path)
            if unit is not None and unit.kinds[meaning.index] in HOLDERS:
                return meaning.probable()
            text = None if unit is None else unit.results.get(meaning.index)
            if unit is None or text is None or depth > MAX_DEPTH:
                return None
            return self._instance(self._evaluate(unit, meaning.index, text, depth + 1), depth + 1)
        return OUTSIDE if isinstance(meaning, Outside) else None

    def _result(
        self, owner: Meaning, called: Meaning, unit: Unit, name: str, depth: int
    ) -> Meaning:
        """What a call of a member gives."""
        made = name in CONSTRUCTORS.get(unit.language.name, ())
        if made and isinstance(owner, Target) and isinstance(called, Target):
            return self._instance(owner, depth)
        return self._instance(called, depth)

    # -- members -----------------------------------------------------------------

    def _member(self, owner: Meaning, name: str, depth: int) -> Meaning:
        if not isinstance(owner, Target):
            return owner
        if depth > MAX_DEPTH:
            return None
        if owner.index == FOLDER:
            return self._of_folder(owner, name)
        unit = self._table.unit(owner.path)
        if unit is None:
            return None
        if owner.index == MODULE_SCOPE:
            return self._of_module(unit, name, owner, depth)
        kind = unit.kinds[owner.index]
        if kind in HOLDERS:
            return self._of_type(unit, owner, name, depth)
        if kind is FactKind.MODULE:
            index = unit.members.get((owner.index, name))
            if index is not None:
                return Target(unit.path, index, owner.exact)
            modules = self._table.modules(unit.language.name)
            inner = modules.inner(unit.path, unit.names[owner.index])
            if inner is None:
                return None
            return self._member(self._at(inner, unit.language.name), name, depth + 1)
        if kind is FactKind.CONSTANT:
            scope = max(unit.parents[owner.index], MODULE_SCOPE)
            given = self._typed(unit, scope, unit.names[owner.index], depth + 1)
            return self._member(given, name, depth + 1)
        return None

    def _of_folder(self, owner: Target, name: str) -> Meaning:
        self._table.asked.add(name)
        modules = self._table.modules(owner.language)
        for path in modules.files_of(owner.path):
            unit = self._table.unit(path)
            index = None if unit is None else unit.members.get((MODULE_SCOPE, name))
            if unit is not None and index is not None:
                return Target(path, index, owner.exact)
        place = modules.below(owner.path, name)
        return None if place is None else self._at(place, owner.language)

    def _of_module(self, unit: Unit, name: str, owner: Target, depth: int) -> Meaning:
        self._table.asked.add(name)
        found: Meaning = None
        modules = self._table.modules(unit.language.name)
        index = unit.members.get((MODULE_SCOPE, name))
        entry = unit.imports.get((MODULE_SCOPE, name))
        if index is not None:
            found = Target(unit.path, index)
        elif name in unit.exports:
            found = self._lookup(unit, MODULE_SCOPE, unit.exports[name], depth + 1)
        else:
            inner = modules.inner(unit.path, name)
            found = None if inner is None else self._at(inner, unit.language.name)
        if found is None and entry is not None:
            found = self._import(unit, entry, depth + 1)
        if found is None and unit.stars:
            found = self._beyond(unit, name, depth + 1)
        if isinstance(found, Target) and not owner.exact:
            return found.probable()
        return found

    def _of_type(self, unit: Unit, owner: Target, name: str, depth: int) -> Meaning:
        self._table.asked.add(name)
        index = unit.members.get((owner.index, name))
        if index is not None:
            return Target(unit.path, index, owner.exact)
        if unit.language.name in PACKAGE_WIDE:
            holder = unit.names[owner.index]
            for other in self._table.package(unit):
                index = other.strays.get((holder, name))
                if index is not None:
                    return Target(other.path, index, owner.exact)
        return self._member(self._base_of(unit, owner.index, depth), name, depth + 1)

    def _base_of(self, unit: Unit, index: int | None, depth: int) -> Meaning:
        """The first base class that is known; what comes through it is inferred."""
        if index is None:
            return None
        for text in unit.bases.get(index, ()):
            outer = max(unit.parents[index], MODULE_SCOPE)
            base = self._evaluate(unit, outer, text, depth + 1)
            if isinstance(base, Target):
                return base.probable()
        return None

    # -- imports -----------------------------------------------------------------

    def _import(self, unit: Unit, entry: Import, depth: int) -> Meaning:
        """What an import names: the same for whoever asks, so it is found once a pass."""
        if depth > MAX_DEPTH:
            return None
        key = entry.scope, entry.alias, entry.module
        known = unit.meanings.get(key)
        if known is None:
            before, self._table.asked = self._table.asked, set()
            meaning = self._follow(unit, entry, depth)
            known = meaning, frozenset(self._table.asked)
            self._table.asked = before
            # A chain that was cut off may be followed further from a nearer start.
            if depth <= 1 or meaning is not None:
                unit.meanings[key] = known
        self._table.asked |= known[1]
        return known[0]

    def _follow(self, unit: Unit, entry: Import, depth: int) -> Meaning:
        module = self._module_of(unit, entry)
        if entry.name is not None and entry.name != "*":
            return self._member(module, entry.name, depth + 1)
        if entry.name is None and entry.alias != entry.module:
            head = entry.module.partition(".")[0]
            if entry.alias == head and isinstance(module, Target):
                return self._module_of(unit, Import(entry.scope, head, head, None, 0, 0))
        return module

    def _module_of(self, unit: Unit, entry: Import) -> Meaning:
        modules = self._table.modules(unit.language.name)
        self._table.asked.update(parts_of(entry.module))
        found = modules.find(entry.module, entry.level, unit.path)
        return self._at(found, unit.language.name) if isinstance(found, Place) else found

    def _at(self, place: Place, language: str) -> Target:
        scope = FOLDER if self._table.unit(place.path) is None else MODULE_SCOPE
        return Target(place.path, scope, place.exact, language)


def last_name(entry: Import) -> str:
    """The name by which an import is found when what it names appears or goes."""
    if entry.name is not None and entry.name != "*":
        return entry.name
    text = entry.module.replace("::", ".").replace("/", ".")
    return text.rstrip(".").rpartition(".")[2] or entry.alias
