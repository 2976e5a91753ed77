"""What the names of one file are bound to, and where they are used."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sakur4_core.cortex.languages.syntax import dotted
from sakur4_core.cortex.model import MODULE_SCOPE, Definition, Import, Reference, Scopes
from sakur4_core.cortex.normal_form import digest
from sakur4_core.cortex.outline import Outline, Source
from sakur4_core.models import FactKind

if TYPE_CHECKING:
    from tree_sitter import Node

UNKNOWN = "?"
EDGE_KINDS = {
    "call": "calls",
    "member_call": "calls",
    "inherits": "inherits",
    "reference": "references",
}
# Longer expressions are chains of calls, whose receiver no rule here reads.
LONGEST_NAME = 200

_LAST_NAME = re.compile(r"\w+\Z")
_DOTTED = re.compile(r"\w+(?:\.\w+)*")
_CALL = re.compile(r"(\w+(?:\.\w+)*)\([^()]*\)")

Binding = tuple[int, str]
"""A scope and a name in it."""


class Names:
    """Reads bindings, imports and uses from what the query captured."""

    def __init__(self, source: Source, outline: Outline) -> None:
        self._source = source
        self._outline = outline
        self._compacted: dict[bytes, str] = {}
        self._parted: dict[str, tuple[str, str]] = {}
        self._imports = tuple(self._read_imports())
        self._exports = [
            entry
            for node in self._captured("export")
            for entry in source.language.exports(node)
            if entry.alias != entry.name
        ]

    def _captured(self, capture: str) -> Sequence[Node]:
        return self._source.captures.get(capture, ())

    # -- bindings ----------------------------------------------------------------

    def scopes(self) -> Scopes:
        """What the file's names are bound to."""
        bound: dict[int, list[str]] = defaultdict(list)
        for scope, names in self._outline.local.items():
            bound[scope].extend(names)
        compact, scope_of = self._compact, self._outline.scope_of
        for node in self._captured("local"):
            name = compact(node)
            if "." not in name:
                bound[scope_of(node)].append(name)
            elif binding := self._binding(node):
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
            heir = self._outline.heir_of(node)
            if heir is not None:
                bases[heir].append(self._compact(node))
        return Scopes(
            imports=self._imports,
            local=local,
            typed=self._typed(bound),
            bases={scope: tuple(names) for scope, names in sorted(bases.items())},
            exports={entry.alias: entry.name for entry in self._exports},
        )

    def _typed(self, bound: dict[int, list[str]]) -> dict[int, dict[str, str]]:
        """Names whose type is known: a name that is bound twice may be anything."""
        given: dict[Binding, list[str]] = defaultdict(list)
        like: list[tuple[Binding, Binding]] = []
        for node in self._captured("typed"):
            for typing in self._source.language.typings(node):
                binding = self._binding(typing.target, typing.member)
                if binding is None:
                    continue
                if typing.type is not None:
                    name = self._compact(typing.type)
                    given[binding].append(name if _DOTTED.fullmatch(name) else UNKNOWN)
                elif typing.like is not None:
                    scope = self._outline.scope_of(typing.like)
                    like.append((binding, (scope, self._source.text(typing.like))))
        times = Counter((scope, name) for scope, names in bound.items() for name in names)
        for binding, origin in like:
            given[binding].extend(given.get(origin, [UNKNOWN])[:1])
        typed: dict[int, dict[str, str]] = defaultdict(dict)
        for (scope, name), types in sorted(given.items()):
            certain = len(set(types)) == 1 and times[scope, name] <= len(types)
            if certain and types[0] != UNKNOWN:
                typed[scope][name] = types[0]
        return dict(typed)

    def _binding(self, node: Node, member: bool = False) -> Binding | None:
        """The scope and the name that the left side of an assignment binds."""
        name, scope = self._compact(node), self._outline.scope_of(node)
        if "." not in name:
            around = self._outline.type_around(scope) if member else scope
            return None if around is None else (around, name)
        owner, _, attribute = name.partition(".")
        if owner not in self._source.language.own_names or "." in attribute:
            return None
        around = self._outline.type_around(scope)
        return None if around is None else (around, name)

    # -- imports and exports -----------------------------------------------------

    def _read_imports(self) -> Iterator[Import]:
        for node in self._captured("import"):
            scope = self._outline.scope_of(node)
            for raw in self._source.language.imports(node):
                yield Import(scope, raw.alias, raw.module, raw.name, raw.level, raw.line)

    def export_definitions(self) -> Iterator[Definition]:
        """Each name that stands for another outside of the file, as a fact."""
        ordinals: dict[str, int] = defaultdict(int)
        for entry in self._exports:
            mark = digest(f"{entry.alias}\0{entry.name}".encode())
            yield Definition(
                kind=FactKind.EXPORT,
                name=entry.alias,
                qualified_name=entry.alias,
                ordinal=ordinals[entry.alias],
                parent=MODULE_SCOPE,
                line_start=entry.line,
                line_end=entry.line,
                signature=f"export {entry.name} as {entry.alias}",
                value=entry.name,
                interface_hash=mark,
                body_hash=mark,
            )
            ordinals[entry.alias] += 1

    # -- uses --------------------------------------------------------------------

    def references(self) -> tuple[Reference, ...]:
        """Every use of a name, in the order of the text; a call is not a reference too."""
        uses: dict[int, tuple[str, Node]] = {}
        for capture in EDGE_KINDS:
            for node in self._captured(capture):
                end = node.end_byte
                known = uses.get(end)
                # Where two end alike, the longer one tells the receiver.
                if known is None or (
                    known[0] == capture and node.start_byte < known[1].start_byte
                ):
                    uses[end] = (capture, node)
        count, scope_of = self._source.data.count, self._outline.scope_of
        found, line, at = [], 1, 0
        for end in sorted(uses):
            capture, node = uses[end]
            line += count(b"\n", at, end)
            at = end
            receiver, name = self._parts(node)
            if capture == "member_call":
                receiver = UNKNOWN
            scope = self._outline.heir_of(node) if capture == "inherits" else scope_of(node)
            if scope is None:
                continue
            found.append(Reference(EDGE_KINDS[capture], scope, receiver, name, line))
        return tuple(found)

    def _parts(self, node: Node) -> tuple[str, str]:
        """A name's receiver and its last part."""
        name = self._compact(node)
        parts = self._parted.get(name)
        if parts is None:
            receiver, _, last = name.rpartition(".")
            parts = self._parted[name] = (_plain_receiver(receiver), last)
        return parts

    def _compact(self, node: Node) -> str:
        """A name without white space, its parts joined by dots; of a long chain its end."""
        raw = self._source.data[node.start_byte : node.end_byte]
        name = self._compacted.get(raw)
        if name is None:
            name = raw[-LONGEST_NAME:].decode("utf-8", "replace")
            if len(raw) > LONGEST_NAME:
                last = _LAST_NAME.search(name)
                name = f"{UNKNOWN}.{last[0]}" if last else UNKNOWN
            elif not name.isidentifier():
                name = dotted(name)
            self._compacted[raw] = name
        return name


def _plain_receiver(text: str) -> str:
    """A receiver as a dotted name, as ``name()`` for what a call returns, or unknown."""
    if not text or _DOTTED.fullmatch(text):
        return text
    call = _CALL.fullmatch(text)
    return f"{call[1]}()" if call else UNKNOWN
