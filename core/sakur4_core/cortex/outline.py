"""The definitions of one file, nested, named, and hashed."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

from sakur4_core.cortex.languages.language import Language
from sakur4_core.cortex.model import MODULE_SCOPE, Definition
from sakur4_core.cortex.normal_form import NormalForm, digest, normal_form
from sakur4_core.memory.redaction import redact
from sakur4_core.models import FactKind

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_SIGNATURE = 300
MAX_VALUE = 120
FUNCTIONS = frozenset({FactKind.FUNCTION, FactKind.METHOD})
TYPES = frozenset(
    {FactKind.CLASS, FactKind.STRUCT, FactKind.ENUM, FactKind.TRAIT, FactKind.INTERFACE}
)
SCOPES = FUNCTIONS | TYPES | {FactKind.MODULE}

# Kinds by which a query may name all nodes of a type, and more exactly some of them.
_VAGUE = {FactKind.CLASS.value: 1, FactKind.TYPE.value: 2, FactKind.CONSTANT.value: 2}
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
        root = source.root
        module = source.language.module_name(source.path)
        lines = source.data.count(b"\n") + (not source.data.endswith(b"\n"))
        end = len(source.data)
        self.sites = [
            Site(FactKind.MODULE, module, module, root, root, "", 0, 1, end, lines, None, -1)
        ]
        self.local: dict[int, list[str]] = defaultdict(list)
        self._around = {
            node.id: outer
            for capture in ("wrapped", "declared")
            for outer in source.captures.get(capture, ())
            for node in outer.named_children
        }
        self._declaring = {node.id for node in source.captures.get("declared", ())}
        self._decorated = self._decorators()
        self._comments = [(c.start_byte, c.end_byte) for c in source.captures.get("comment", ())]
        self._owned: list[tuple[int, int, str]] = []
        self._place()
        self._adopt()
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
            names = tuple(language.names(node))
            if kind == FactKind.CONSTANT and sites[parent].kind in FUNCTIONS:
                self.local[parent].extend(names)
                continue
            first = len(sites)
            sites.extend(self._site(FactKind(kind), name, node, parent, owner) for name in names)
            if kind in SCOPES and names:
                around.append((node.end_byte, first, ""))

    def _found(self) -> list[tuple[int, int, str, Node]]:
        """Definitions and owners from outside in: start, end turned round, kind, node."""
        imported = {node.id for node in self._source.captures.get("import", ())}
        found = [
            (node.start_byte, -node.end_byte, "" if capture == "owner" else capture[11:], node)
            for capture, nodes in self._source.captures.items()
            if capture == "owner" or capture.startswith("definition.")
            for node in nodes
            if node.id not in imported
        ]
        # A pattern for any variable matches those too that hold a function: what says more of
        # the same node comes first, and counts.
        found.sort(key=lambda one: (one[0], one[1], _VAGUE.get(one[2], 0)))
        return found

    def _qualified(self, parent: int, name: str) -> str:
        return name if parent == MODULE_SCOPE else f"{self.sites[parent].qualified_name}.{name}"

    def _site(self, kind: FactKind, name: str, node: Node, parent: int, owner: str) -> Site:
        if kind is FactKind.FUNCTION and (owner or self.sites[parent].kind in TYPES):
            kind = FactKind.METHOD
        declared, outer, prefix = self._extent(node)
        start, line = self._decorated.get(outer.start_byte, (-1, 0))
        if start < 0:
            start, line = outer.start_byte, outer.start_point[0]
        body = None if kind is FactKind.TYPE else self._source.language.body(node)
        return Site(
            kind=kind,
            name=name.rpartition(".")[2],
            qualified_name=f"{owner}.{name}" if owner else self._qualified(parent, name),
            node=node,
            declared=declared,
            prefix=prefix,
            start=start,
            line=line + 1,
            end=outer.end_byte,
            last_line=last_line(outer),
            body=body,
            parent=parent,
            owner=owner,
        )

    def _extent(self, node: Node) -> tuple[Node, Node, str]:
        """What declares a definition, the whole extent, and the word of a shared declaration."""
        declared = outer = node
        while (around := self._around.get(outer.id)) is not None:
            declares = around.id in self._declaring
            if declares and sum(c.type == outer.type for c in around.named_children) > 1:
                return declared, outer, self._shared_word(around)
            outer = around
            if declares:
                declared = around
        return declared, outer, ""

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

    def _adopt(self) -> None:
        """Give what stands outside of its type to the type, where that is in the file."""
        types: dict[str, int] = {}
        if self._owned or any(site.owner for site in self.sites):
            for index, site in enumerate(self.sites):
                if site.kind in TYPES or site.kind is FactKind.TYPE:
                    types.setdefault(site.qualified_name, index)
        for site in self.sites:
            if site.owner in types:
                site.parent = types[site.owner]
        self._heirs = [types.get(owner) for _, _, owner in self._owned]

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
        sites = self.sites
        bodies = {site.body.start_byte for site in sites if site.body is not None}
        form = normal_form(
            self._source.data,
            self._source.captures,
            self._source.language.normal,
            {site.start for site in sites} | bodies,
            {site.end for site in sites},
        )
        surfaces = self._surfaces(form)
        ordinals: dict[tuple[str, str], int] = defaultdict(int)
        made = []
        for index, site in enumerate(sites):
            key = (site.kind, site.qualified_name)
            signature, value = self._signature(site)
            made.append(
                Definition(
                    kind=site.kind,
                    name=site.name.rpartition(".")[2],
                    qualified_name=site.qualified_name,
                    ordinal=ordinals[key],
                    parent=site.parent,
                    line_start=site.line,
                    line_end=site.last_line,
                    signature=signature,
                    value=value,
                    interface_hash=surfaces[index],
                    body_hash=digest(form.whole(site.start, site.end)),
                )
            )
            ordinals[key] += 1
        return tuple(made)

    def _surfaces(self, form: NormalForm) -> list[str]:
        """Interface hashes. What holds members declares theirs too, in whatever order."""
        surfaces = [""] * len(self.sites)
        members: dict[int, list[str]] = defaultdict(list)
        for index in self._inside_out():
            site = self.sites[index]
            head = b""
            if site.body is not None:
                head = form.head(site.start, site.body.start_byte)
            elif index != MODULE_SCOPE:
                head = form.whole(site.start, site.end)
            if site.kind not in FUNCTIONS:
                head = b"\0".join((head, *(m.encode() for m in sorted(members[index]))))
            surfaces[index] = digest(head)
            members[site.parent].append(f"{site.name}={surfaces[index]}")
        return surfaces

    def _inside_out(self) -> Sequence[int]:
        """The sites, members before what holds them."""
        if all(site.parent < index for index, site in enumerate(self.sites)):
            return range(len(self.sites) - 1, -1, -1)
        return sorted(range(len(self.sites)), key=self._depth, reverse=True)

    def _depth(self, index: int) -> int:
        depth = 0
        while (index := self.sites[index].parent) >= 0 and depth <= len(self.sites):
            depth += 1
        return depth

    def _signature(self, site: Site) -> tuple[str, str | None]:
        """The declaration on one line up to its body, and a constant's value."""
        if site.kind is FactKind.MODULE and site.parent < 0:
            return site.name, None
        end = site.declared.end_byte if site.body is None else site.body.start_byte
        head = site.prefix + self._uncommented(self._after_decorators(site.declared), end)
        value = None
        if site.kind is FactKind.CONSTANT and site.body is not None:
            text = "" if self._source.secret else self._source.text(site.body)
            # The name takes part, for it may be what tells a secret.
            if self._source.redacted or '"' in text or "'" in text:
                text = redact(f"{site.name} = {text}").text.partition(" = ")[2]
            value = None if self._source.secret else folded(text, MAX_VALUE)
            head += text[:MAX_SIGNATURE]
        if self._source.redacted:
            head = redact(head).text
        return _tidied(folded(head, MAX_SIGNATURE)), value

    def _after_decorators(self, declared: Node) -> int:
        if self._decorated:
            for inner in declared.children:
                if inner.type != "decorator":
                    return inner.start_byte
        return declared.start_byte

    def _uncommented(self, start: int, end: int) -> str:
        pieces, data = [], self._source.data
        for comment, stop in self._comments[bisect_left(self._comments, (start, 0)) :]:
            if comment >= end:
                break
            pieces.append(data[start:comment])
            start = stop
        pieces.append(data[start : min(end, start + 4 * MAX_SIGNATURE)])
        return b" ".join(pieces).decode("utf-8", "replace")


def folded(text: str, limit: int) -> str:
    """Text on one line, cut at ``limit`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _tidied(line: str) -> str:
    """A declaration without what led to its body, and without the marks of broken lines."""
    line = line.rstrip(" {:;=").removesuffix("=>").rstrip()
    return line.replace("( ", "(").replace(", )", ")").replace(" )", ")")


def last_line(node: Node) -> int:
    """The last line that holds something of the node."""
    row, column = node.end_point
    return row if column == 0 and row > node.start_point[0] else row + 1
