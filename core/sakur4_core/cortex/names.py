"""What the names of one file are bound to, and where they are used."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sakur4_core.cortex.model import Definition, Import, Reference, Scopes
from sakur4_core.cortex.normal_form import digest
from sakur4_core.cortex.outline import MAX_SIGNATURE, Outline, Source, folded
from sakur4_core.models import FactKind

if TYPE_CHECKING:
    from tree_sitter import Node

UNKNOWN = "?"
EDGE_KINDS = {"call": "calls", "inherits": "inherits", "reference": "references"}

_DOTTED = re.compile(r"\w+(?:\.\w+)*")
_CALL = re.compile(r"(\w+(?:\.\w+)*)\([^()]*\)")

Binding = tuple[int, str]
"""A scope and a name in it."""


class Names:
    """Reads bindings, imports and uses from what the query captured."""

    def __init__(self, source: Source, outline: Outline) -> None:
        self._source = source
        self._outline = outline
        self._imports = list(self._read_imports())

    def _captured(self, capture: str) -> Iterator[Node]:
        for match in self._source.matches:
            yield from match.get(capture, ())

    # -- bindings ----------------------------------------------------------------

    def scopes(self) -> Scopes:
        """What the file's names are bound to."""
        bound: dict[int, list[str]] = defaultdict(list)
        for scope, names in self._outline.local.items():
            bound[scope].extend(names)
        for node in self._captured("local"):
            if binding := self._binding(node):
                bound[binding[0]].append(binding[1])
        free = {
            (self._outline.scope_of(node), self._source.text(node))
            for node in self._captured("free")
        }
        local = {
            scope: tuple(sorted({name for name in names if (scope, name) not in free}))
            for scope, names in sorted(bound.items())
        }
        bases: dict[int, list[str]] = defaultdict(list)
        for node in self._captured("inherits"):
            bases[self._outline.scope_of(node)].append(self._compact(node))
        return Scopes(
            imports=tuple(entry for entry, _ in self._imports),
            local=local,
            typed=self._typed(bound),
            bases={scope: tuple(names) for scope, names in sorted(bases.items())},
        )

    def _typed(self, bound: dict[int, list[str]]) -> dict[int, dict[str, str]]:
        """Names whose type is known: a name that is bound twice may be anything."""
        given: dict[Binding, list[str]] = defaultdict(list)
        like: list[tuple[Binding, Binding]] = []
        for match in self._source.matches:
            binding = self._binding(match["typed"][0]) if "typed" in match else None
            if binding is None:
                continue
            if "type" in match:
                name = self._compact(match["type"][0])
                given[binding].append(name if _DOTTED.fullmatch(name) else UNKNOWN)
            else:
                other = match["like"][0]
                like.append((binding, (self._outline.scope_of(other), self._source.text(other))))
        for binding, origin in like:
            given[binding].extend(given.get(origin, [UNKNOWN])[:1])
        typed: dict[int, dict[str, str]] = defaultdict(dict)
        for (scope, name), types in sorted(given.items()):
            certain = len(set(types)) == 1 and bound[scope].count(name) <= len(types)
            if certain and types[0] != UNKNOWN:
                typed[scope][name] = types[0]
        return dict(typed)

    def _binding(self, node: Node) -> Binding | None:
        """The scope and the name that the left side of an assignment binds."""
        name, scope = self._compact(node), self._outline.scope_of(node)
        if "." not in name:
            return scope, name
        owner, _, attribute = name.partition(".")
        around = self._outline.class_around(scope)
        own = owner in self._source.language.own_names
        return (around, name) if own and "." not in attribute and around is not None else None

    # -- imports -----------------------------------------------------------------

    def _read_imports(self) -> Iterator[tuple[Import, Node]]:
        for node in self._captured("import"):
            scope = self._outline.scope_of(node)
            for raw in self._source.language.imports(node):
                entry = Import(scope, raw.alias, raw.module, raw.name, raw.level, raw.line)
                yield entry, node

    def import_definitions(self) -> Iterator[Definition]:
        """Each imported name as a fact; moving an import changes none of its hashes."""
        ordinals: dict[str, int] = defaultdict(int)
        for entry, node in self._imports:
            module = "." * entry.level + entry.module
            dot = "." if entry.module else ""
            target = module if entry.name is None else f"{module}{dot}{entry.name}"
            mark = digest([entry.alias.encode(), target.encode()])
            yield Definition(
                kind=FactKind.IMPORT,
                name=entry.alias,
                qualified_name=entry.alias,
                ordinal=ordinals[entry.alias],
                parent=entry.scope,
                line_start=entry.line,
                line_end=node.end_point[0] + 1,
                signature=folded(self._source.text(node), MAX_SIGNATURE),
                value=target,
                interface_hash=mark,
                body_hash=mark,
            )
            ordinals[entry.alias] += 1

    # -- uses --------------------------------------------------------------------

    def references(self) -> tuple[Reference, ...]:
        """Every use of a name, in the order of the text; a call is not a reference too."""
        uses: dict[int, Reference] = {}
        for capture, kind in EDGE_KINDS.items():
            for node in self._captured(capture):
                if node.start_byte not in uses:
                    uses[node.start_byte] = self._reference(kind, node)
        return tuple(uses[byte] for byte in sorted(uses))

    def _reference(self, kind: str, node: Node) -> Reference:
        receiver, _, name = self._compact(node).rpartition(".")
        scope = self._outline.scope_of(node)
        line = node.end_point[0] + 1
        return Reference(kind, scope, _plain_receiver(receiver), name, line)

    def _compact(self, node: Node) -> str:
        return "".join(self._source.text(node).split())


def _plain_receiver(text: str) -> str:
    """A receiver as a dotted name, as ``name()`` for what a call returns, or unknown."""
    if not text or _DOTTED.fullmatch(text):
        return text
    call = _CALL.fullmatch(text)
    return f"{call[1]}()" if call else UNKNOWN
