"""One file as linking sees it: what others may ask of it, and what it asks of others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from sakur4_core.cortex.languages import by_name
from sakur4_core.cortex.model import MODULE_SCOPE, Definition, Import, ParsedFile
from sakur4_core.models import FactKind

HOLDERS = frozenset(
    {FactKind.CLASS, FactKind.STRUCT, FactKind.ENUM, FactKind.TRAIT, FactKind.INTERFACE}
)
"""Kinds whose members are reached through them, and not by their bare name from within."""

_ARROW = re.compile(r"->\s*(?:&\s*(?:mut\s+)?)?[\"\']?([A-Za-z_][\w.:]*)[\"\']?\s*(?:where\b.*)?$")
_COLON = re.compile(r"\)\s*:\s*([A-Za-z_$][\w$.]*)(?:\s*=>)?$")
_GO = re.compile(r"\)\s*\(?\*?([A-Za-z_][\w.]*)(?:,\s*error\))?$")
_RESULT = {"typescript": _COLON, "tsx": _COLON, "go": _GO}

# A method whose type stands in another file has no scope to stand in.
STRAY = -2


class Unit:
    """The names of one file, from its packed surface.

    Args:
        rows: The fact of each definition; empty where they are not stored yet.
    """

    def __init__(self, path: str, language: str, rows: Sequence[int], surface: Any) -> None:
        kinds, self.names, self.parents, imports, typed, bases, strays, results, local = surface
        self.path = path
        self.language = by_name(language)
        self.rows = rows
        self.kinds = [FactKind(kind) for kind in kinds.split()]
        self.imports: dict[tuple[int, str], Import] = {}
        self.stars: list[Import] = []
        for fields in imports:
            entry = Import(*fields)
            if entry.alias == "*":
                self.stars.append(entry)
            else:
                self.imports[entry.scope, entry.alias] = entry
        self.typed: dict[int, dict[str, str]] = {int(k): v for k, v in typed.items()}
        self.bases: dict[int, list[str]] = {int(k): v for k, v in bases.items()}
        self.local: dict[int, frozenset[str]] = {int(k): frozenset(v) for k, v in local.items()}
        self.results: dict[int, str] = {int(k): v for k, v in results.items()}
        self.meanings: dict[tuple[int, str, str], tuple[Any, frozenset[str]]] = {}
        self._strays: dict[int, str] = {int(k): v for k, v in strays.items()}

    @cached_property
    def members(self) -> dict[tuple[int, str], int]:
        """Scope and name to the definition; the last of several wins, as at run time."""
        return {
            (parent, name): index
            for index, (parent, name) in enumerate(zip(self.parents, self.names, strict=True))
            if parent != STRAY and self.kinds[index] is not FactKind.EXPORT
        }

    @cached_property
    def exports(self) -> dict[str, str]:
        """Names that stand for another name of the file, to others only."""
        return {
            self.names[index]: text
            for index, text in self.results.items()
            if self.kinds[index] is FactKind.EXPORT
        }

    @cached_property
    def strays(self) -> dict[tuple[str, str], int]:
        """Type and name of the methods whose type stands in another file."""
        return {(owner, self.names[index]): index for index, owner in self._strays.items()}

    def class_around(self, scope: int) -> int | None:
        """The innermost type that holds a scope."""
        while scope > MODULE_SCOPE:
            if self.kinds[scope] in HOLDERS:
                return scope
            scope = self.parents[scope]
        return None

    def exposed(self) -> Iterator[tuple[str, str]]:
        """Each name that others may ask for, with all that its meaning rests on here."""
        inner = {parent for parent in self.parents if parent > MODULE_SCOPE}
        for index, name in enumerate(self.names):
            parent = self.parents[index]
            if parent <= MODULE_SCOPE or self.kinds[parent] in HOLDERS:
                owner = self.names[parent] if parent >= 0 else self._strays.get(index, "")
                bases = self.bases.get(index, "") if index in inner or self.bases else ""
                yield name, f"{self.kinds[index]} {owner} {bases} {self.results.get(index)}"
        for entry in (*self.imports.values(), *self.stars):
            if entry.scope == MODULE_SCOPE:
                yield entry.alias, f"{entry.level} {entry.module} {entry.name}"
        for scope, types in self.typed.items():
            for name, text in types.items():
                yield name, f"{scope and self.names[scope]} {text}"


def surface_of(parsed: ParsedFile) -> list[Any]:
    """What others may ask of a file, as JSON data in the order of :class:`Unit`."""
    own = [d for d in parsed.definitions if d.kind is not FactKind.IMPORT]
    parents = [d.parent for d in own]
    strays = {}
    types = {
        d.name: i for i, d in enumerate(own) if d.parent == MODULE_SCOPE and d.kind in HOLDERS
    }
    for index, definition in enumerate(own):
        owner = _owner_elsewhere(definition)
        if owner:
            parents[index] = types.get(owner, STRAY)
            if parents[index] == STRAY:
                strays[str(index)] = owner
    scopes = parsed.scopes
    asked = {
        scope for scope in range(len(own)) if scope == MODULE_SCOPE or own[scope].kind in HOLDERS
    }
    return [
        " ".join(d.kind.value for d in own),
        [d.name for d in own],
        parents,
        [[i.scope, i.alias, i.module, i.name, i.level, i.line] for i in scopes.imports],
        {str(k): v for k, v in scopes.typed.items() if k in asked},
        {str(k): list(v) for k, v in scopes.bases.items()},
        strays,
        _results(own, parsed.language or ""),
        {},
    ]


def _results(own: Sequence[Definition], language: str) -> dict[str, str]:
    """What a call of each function gives, where its signature names a plain type."""
    found = {}
    pattern = _RESULT.get(language, _ARROW)
    for index, definition in enumerate(own):
        if definition.kind is FactKind.EXPORT and definition.value:
            found[str(index)] = definition.value
        elif definition.kind in (FactKind.FUNCTION, FactKind.METHOD):
            match = pattern.search(definition.signature)
            if match is not None:
                found[str(index)] = match[1].replace("::", ".")
    return found


def _owner_elsewhere(definition: Definition) -> str:
    """The type of a method that stands outside its type's braces, or an empty text."""
    if definition.parent != MODULE_SCOPE or definition.kind is not FactKind.METHOD:
        return ""
    return definition.qualified_name.rpartition(".")[0].rpartition(".")[2]
