"""The definitions of one file: where they stand, nested and named."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

from sakur4_core.cortex.languages.language import Language
from sakur4_core.cortex.model import MODULE_SCOPE
from sakur4_core.models import FactKind

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = frozenset({FactKind.FUNCTION, FactKind.METHOD})
TYPES = frozenset(
    {FactKind.CLASS, FactKind.STRUCT, FactKind.ENUM, FactKind.TRAIT, FactKind.INTERFACE}
)
SCOPES = FUNCTIONS | TYPES | {FactKind.MODULE}

# Kinds by which a query may name all nodes of a type, and more exactly some of them.
_VAGUE = {"class": 1, "type": 2, "constant": 2}
_KINDS = {kind.value: kind for kind in FactKind}
_SPACE = re.compile(rb"(?:\s|//[^\n]*\n)*")


@dataclass(frozen=True, slots=True)
class Source:
    """One parsed text and what the language's query captured in it, in the text's order.

    Attributes:
        secret: Whether values must not be kept: the file's name says that it holds secrets.
        redacted: Whether the text holds something that looks like a secret.
    """

    path: str
    data: bytes
    root: Node
    captures: Mapping[str, Sequence[Node]]
    language: Language
    secret: bool = False
    redacted: bool = False

    def text(self, node: Node) -> str:
        """A node's text as it stands."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")


@dataclass(slots=True)
class Site:
    """Where a definition stands.

    Attributes:
        node: The definition itself; a scope reaches as far.
        declared: It and what declares it: where the signature begins.
        start, line: Where its extent begins, decorators included.
        end, last_line: Where its extent ends.
        owner: The qualified name of the type it belongs to, where that stands elsewhere.
    """

    kind: FactKind
    name: str
    qualified_name: str
    node: Node
    declared: Node
    prefix: str
    start: int
    line: int
    end: int
    last_line: int
    body: Node | None
    parent: int
    owner: str = ""


class Outline:
    """The sites of one file, in the order of the text; the first is the module itself."""

    def __init__(self, source: Source) -> None:
        self._source = source
        captures, root, data = source.captures, source.root, source.data
        module = source.language.module_name(source.path)
        lines = data.count(b"\n") + (not data.endswith(b"\n"))
        self.sites = [
            Site(FactKind.MODULE, module, module, root, root, "", 0, 1, len(data), lines, None, -1)
        ]
        self.local: dict[int, list[str]] = defaultdict(list)
        self._around = {
            node.id: outer
            for capture in ("wrapped", "declared")
            for outer in captures.get(capture, ())
            for node in outer.named_children
        }
        self._defined = {
            node.id
            for capture, nodes in captures.items()
            if self._around and capture.startswith("definition.")
            for node in nodes
        }
        self._declaring = {node.id for node in captures.get("declared", ())}
        self._decorated = self._decorators()
        self._owned: list[tuple[int, int, str]] = []
        self._place()
        self._heirs = self._adopt()
        self._starts, self._owners = self._intervals()

    def scope_of(self, node: Node) -> int:
        """The innermost scope that holds a node."""
        return self._owners[bisect_right(self._starts, node.start_byte) - 1]

    def heir_of(self, node: Node) -> int | None:
        """The type that inherits what a node names; None where it stands in another file."""
        at = bisect_right(self._owned, node.start_byte, key=itemgetter(0)) - 1
        if at >= 0 and node.start_byte < self._owned[at][1]:
            return self._heirs[at]
        return self.scope_of(node)

    def type_around(self, scope: int) -> int | None:
        """The innermost class, or what else holds methods, around a scope, itself included."""
        while scope > MODULE_SCOPE:
            if self.sites[scope].kind in TYPES:
                return scope
            scope = self.sites[scope].parent
        return None

    # -- nesting -----------------------------------------------------------------

    def _place(self) -> None:
        """Nest the definitions; names assigned inside functions are local names."""
        language, sites = self._source.language, self.sites
        around: list[tuple[int, int, str]] = [(len(self._source.data) + 1, MODULE_SCOPE, "")]
        last = 0
        for start, _, kind, node in self._found():
            if node.id == last:
                continue
            last = node.id
            while start >= around[-1][0]:
                around.pop()
            _, parent, owner = around[-1]
            if language.owner is not None and (own := language.owner(node)):
                owner = self._qualified(parent, own)
            if not kind:
                self._owned.append((start, node.end_byte, owner))
                around.append((node.end_byte, parent, owner))
                continue
            if kind == "constant" and sites[parent].kind in FUNCTIONS:
                self.local[parent].extend(language.names(node))
                continue
            first = len(sites)
            for name in language.names(node):
                sites.append(self._site(_KINDS[kind], name, node, parent, owner))
            if kind in SCOPES and len(sites) > first:
                around.append((node.end_byte, first, ""))

    def _found(self) -> list[tuple[int, int, str, Node]]:
        """Definitions and owners from outside in: start, end turned round, kind, node."""
        captures = self._source.captures
        imported = {node.id for node in captures.get("import", ())}
        found = []
        for capture, nodes in captures.items():
            if capture == "owner" or capture.startswith("definition."):
                kind = capture.removeprefix("definition.") if capture != "owner" else ""
                found += [(n.start_byte, -n.end_byte, kind, n) for n in nodes]
        # A pattern for any variable matches those too that hold a function: what says more of
        # the same node comes first, and counts.
        found.sort(key=lambda one: (one[0], one[1], _VAGUE.get(one[2], 0), one[2]))
        return [one for one in found if one[3].id not in imported]

    def _qualified(self, parent: int, name: str) -> str:
        return name if parent == MODULE_SCOPE else f"{self.sites[parent].qualified_name}.{name}"

    def _site(self, kind: FactKind, name: str, node: Node, parent: int, owner: str) -> Site:
        if kind is FactKind.FUNCTION and (owner or self.sites[parent].kind in TYPES):
            kind = FactKind.METHOD
        declared, outer, prefix = node, node, ""
        if node.id in self._around:
            declared, outer, prefix = self._extent(node)
        start, line = outer.start_byte, -1
        if start in self._decorated:
            start, line = self._decorated[start]
        return Site(
            kind,
            name.rpartition(".")[2],
            f"{owner}.{name}" if owner else self._qualified(parent, name),
            node,
            declared,
            prefix,
            start,
            (outer.start_point[0] if line < 0 else line) + 1,
            outer.end_byte,
            last_line(outer),
            None if kind is FactKind.TYPE else self._source.language.body(node),
            parent,
            owner,
        )

    def _extent(self, node: Node) -> tuple[Node, Node, str]:
        """What declares a definition, the whole extent, and the word of a shared declaration."""
        declared = outer = node
        while (around := self._around.get(outer.id)) is not None:
            declares = around.id in self._declaring
            if declares and sum(self._is_declared(c, outer) for c in around.named_children) > 1:
                return declared, outer, self._shared_word(around)
            outer = around
            if declares:
                declared = around
        return declared, outer, ""

    def _is_declared(self, node: Node, like: Node) -> bool:
        return node.type == like.type or node.id in self._defined

    def _shared_word(self, declaration: Node | None) -> str:
        """The keyword of a declaration of several: ``const``, ``var``, ``type``."""
        while declaration is not None and not declaration.children[0].type.isalpha():
            declaration = self._around.get(declaration.id)
        return "" if declaration is None else f"{declaration.children[0].type} "

    def _decorators(self) -> dict[int, tuple[int, int]]:
        """From the byte after decorators to where the first of them begins: byte and row."""
        grown: dict[int, tuple[int, int]] = {}
        for node in self._source.captures.get("decorator", ()):
            begin = grown.pop(node.start_byte, (node.start_byte, node.start_point[0]))
            after = _SPACE.match(self._source.data, node.end_byte)
            grown[after.end() if after else node.end_byte] = begin
        return grown

    def _adopt(self) -> list[int | None]:
        """Give what stands outside of its type to the type; return the types of the owners."""
        types: dict[str, int] = {}
        if self._owned or any(site.owner for site in self.sites):
            for index, site in enumerate(self.sites):
                if site.kind in TYPES or site.kind is FactKind.TYPE:
                    types.setdefault(site.qualified_name, index)
        if types:
            for site in self.sites:
                site.parent = types.get(site.owner, site.parent)
        return [types.get(owner) for _, _, owner in self._owned]

    def _intervals(self) -> tuple[list[int], list[int]]:
        """From a byte to the scope around it: where each scope begins, and whose it is."""
        starts, owners = [0], [MODULE_SCOPE]
        open_scopes: list[tuple[int, int]] = []
        for index, site in enumerate(self.sites):
            if not index or site.kind not in SCOPES:
                continue
            begin = site.node.start_byte
            while open_scopes and open_scopes[-1][0] <= begin:
                self._leave(open_scopes, starts, owners)
            starts.append(begin)
            owners.append(index)
            open_scopes.append((site.node.end_byte, index))
        while open_scopes:
            self._leave(open_scopes, starts, owners)
        return starts, owners

    def _leave(
        self, open_scopes: list[tuple[int, int]], starts: list[int], owners: list[int]
    ) -> None:
        starts.append(open_scopes.pop()[0])
        owners.append(open_scopes[-1][1] if open_scopes else MODULE_SCOPE)


def last_line(node: Node) -> int:
    """The last line that holds something of the node."""
    row, column = node.end_point
    return row if column == 0 and row > node.start_point[0] else row + 1
