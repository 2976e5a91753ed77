"""Short ways to ask a syntax tree's nodes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

# What stands between the parts of a name in one language or another.
_SEPARATOR = re.compile(r"\s*(?:\?\.|!\.|::|->|\.)\s*")


def text(node: Node) -> str:
    """A node's text as it stands."""
    return (node.text or b"").decode("utf-8", "replace")


def child(node: Node, name: str) -> Node | None:
    """What stands in a field."""
    return node.child_by_field_name(name)


def first(node: Node, *kinds: str) -> Node | None:
    """The first named child of one of these types."""
    return next((inner for inner in node.named_children if inner.type in kinds), None)


def inside(node: Node | None, *kinds: str) -> Node | None:
    """The first node of one of these types, itself included, down first children only."""
    while node is not None and node.type not in kinds:
        node = node.named_children[0] if node.named_children else None
    return node


def line(node: Node) -> int:
    """The 1-based line on which a node begins."""
    return node.start_point[0] + 1


def dotted(name: str) -> str:
    """``a::b`` and ``a?.b`` as ``a.b``, without white space."""
    return "".join(_SEPARATOR.sub(".", name).split())
