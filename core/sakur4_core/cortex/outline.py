"""The definitions of one file, nested, named, and hashed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sakur4_core.cortex.languages.language import Language
from sakur4_core.cortex.model import MODULE_SCOPE, Definition
from sakur4_core.cortex.normal_form import Span, digest, normal_form
from sakur4_core.memory.redaction import redact
from sakur4_core.models import FactKind

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_SIGNATURE = 300
MAX_VALUE = 120
FUNCTIONS = frozenset({FactKind.FUNCTION, FactKind.METHOD})
SCOPES = FUNCTIONS | {FactKind.CLASS}


@dataclass(frozen=True, slots=True)
class Source:
    """One parsed text and what the language's query captured in it."""

    path: str
    data: bytes
    root: Node
    matches: list[dict[str, list[Node]]]
    language: Language

    def text(self, node: Node) -> str:
        """A node's text as it stands."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Site:
    """Where a definition stands: its node, and the node with its decorators."""

    kind: FactKind
    name: str
    qualified_name: str
    node: Node
    outer: Node
    body: Node | None
    parent: int


class Outline:
    """The sites of one file, in the order of the text; the first is the module itself."""

    def __init__(self, source: Source) -> None:
        self._source = source
        module = source.language.module_name(source.path)
        root = source.root
        self.sites = [Site(FactKind.MODULE, module, module, root, root, root, -1)]
        self.local: dict[int, list[str]] = defaultdict(list)
        self._place()
        self._starts, self._owners = self._intervals()
        self._comments = sorted(
            (node.start_byte, node.end_byte)
            for match in source.matches
            for node in match.get("comment", ())
        )

    def scope_of(self, node: Node) -> int:
        """The innermost scope that holds a node."""
        return self._owners[bisect_right(self._starts, node.start_byte) - 1]

    def class_around(self, scope: int) -> int | None:
        """The innermost class that holds a scope, itself included."""
        while scope > MODULE_SCOPE:
            if self.sites[scope].kind is FactKind.CLASS:
                return scope
            scope = self.sites[scope].parent
        return None

    def _place(self) -> None:
        """Nest the definitions; names assigned inside functions are local names."""
        wrapped = {node.id for match in self._source.matches for node in match.get("wrapped", ())}
        around = [MODULE_SCOPE]
        for found, node, name_node in sorted(self._found(), key=_from_outside_in):
            while len(around) > 1 and node.start_byte >= self.sites[around[-1]].node.end_byte:
                around.pop()
            parent = around[-1]
            holder, name, kind = self.sites[parent], self._source.text(name_node), found
            if kind is FactKind.CONSTANT and holder.kind in FUNCTIONS:
                self.local[parent].append(name)
                continue
            if kind is FactKind.FUNCTION and holder.kind is FactKind.CLASS:
                kind = FactKind.METHOD
            qualified = name if parent == MODULE_SCOPE else f"{holder.qualified_name}.{name}"
            body = node.child_by_field_name("body") or node.child_by_field_name("right")
            above = node.parent
            outer = above if above is not None and above.id in wrapped else node
            self.sites.append(Site(kind, name, qualified, node, outer, body, parent))
            if kind in SCOPES:
                around.append(len(self.sites) - 1)

    def _found(self) -> Iterator[tuple[FactKind, Node, Node]]:
        for match in self._source.matches:
            for capture, nodes in match.items():
                kind = capture.removeprefix("definition.")
                if kind != capture:
                    yield FactKind(kind), nodes[0], match["name"][0]

    def _intervals(self) -> tuple[list[int], list[int]]:
        """From a byte to the scope around it: where each scope begins, and whose it is."""
        edges = []
        for index, site in enumerate(self.sites):
            if index and site.kind in SCOPES:
                edges.append((site.node.start_byte, 1, index))
                edges.append((site.node.end_byte, 0, index))
        starts, owners, stack = [0], [MODULE_SCOPE], [MODULE_SCOPE]
        for byte, opens, index in sorted(edges):
            if opens:
                stack.append(index)
            else:
                stack.remove(index)
            starts.append(byte)
            owners.append(stack[-1])
        return starts, owners

    # -- as facts ----------------------------------------------------------------

    def definitions(self) -> tuple[Definition, ...]:
        """Every site with its lines, its signature and its hashes."""
        stream, spans = normal_form(
            self._source.root,
            {site.outer.id: index for index, site in enumerate(self.sites)},
            {
                site.body.id: index
                for index, site in enumerate(self.sites)
                if site.body is not None and index != MODULE_SCOPE
            },
            self._source.language.normal,
        )
        surfaces = self._surfaces(stream, spans)
        ordinals: dict[tuple[str, str], int] = defaultdict(int)
        made = []
        for index, site in enumerate(self.sites):
            span, key = spans[index], (site.kind, site.qualified_name)
            made.append(
                Definition(
                    kind=site.kind,
                    name=site.name.rpartition(".")[2],
                    qualified_name=site.qualified_name,
                    ordinal=ordinals[key],
                    parent=site.parent,
                    line_start=site.outer.start_point[0] + 1,
                    line_end=_last_line(site.outer),
                    signature=self._signature(site),
                    value=self._value(site),
                    interface_hash=surfaces[index],
                    body_hash=digest(stream[span.start : span.end]),
                )
            )
            ordinals[key] += 1
        return tuple(made)

    def _surfaces(self, stream: list[bytes], spans: dict[int, Span]) -> list[str]:
        """Interface hashes. What holds members declares theirs too, in whatever order."""
        surfaces = [""] * len(self.sites)
        members: dict[int, list[str]] = defaultdict(list)
        for index in range(len(self.sites) - 1, -1, -1):
            site, span = self.sites[index], spans[index]
            end = span.body if span.body >= 0 else span.end
            head = [] if index == MODULE_SCOPE else stream[span.start : end]
            if site.kind in (FactKind.CLASS, FactKind.MODULE):
                head = [*head, *(member.encode() for member in sorted(members[index]))]
            surfaces[index] = digest(head)
            members[site.parent].append(f"{site.name}={surfaces[index]}")
        return surfaces

    def _signature(self, site: Site) -> str:
        """The declaration on one line: up to the body, or all of an assignment."""
        if site.kind is FactKind.MODULE:
            return site.name
        end = site.node.end_byte
        if site.body is not None and site.kind is not FactKind.CONSTANT:
            end = site.body.start_byte
        pieces, at = [], site.node.start_byte
        for start, stop in self._comments[bisect_left(self._comments, (at, 0)) :]:
            if start >= end:
                break
            pieces.append(self._source.data[at:start])
            at = stop
        pieces.append(self._source.data[at:end])
        text = b" ".join(pieces).decode("utf-8", "replace")
        return redact(folded(text, MAX_SIGNATURE).removesuffix(":")).text

    def _value(self, site: Site) -> str | None:
        if site.kind is not FactKind.CONSTANT or site.body is None:
            return None
        # The name takes part, for it may be what tells a secret.
        whole = redact(f"{site.name} = {self._source.text(site.body)}").text
        return folded(whole.partition(" = ")[2], MAX_VALUE)


def folded(text: str, limit: int) -> str:
    """Text on one line, cut at ``limit`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _from_outside_in(found: tuple[FactKind, Node, Node]) -> tuple[int, int]:
    return found[1].start_byte, -found[1].end_byte


def _last_line(node: Node) -> int:
    row, column = node.end_point
    return max(row + (1 if column else 0), node.start_point[0] + 1)
