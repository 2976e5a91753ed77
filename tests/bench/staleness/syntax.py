"""tree-sitter's trees, as far as the benchmark reads and edits by them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from symbols import words

Node = Any

SCRIPT = frozenset({"typescript", "tsx", "javascript"})
_STRINGS = words("""
    string string_literal raw_string_literal interpreted_string_literal rune_literal char_literal
    regex
""")


def parse(data: bytes, language: str) -> Node:
    """The root of the syntax tree."""
    return _parser(language).parse(data).root_node


@cache
def _parser(language: str) -> Any:
    from tree_sitter import Parser
    from tree_sitter_language_pack import get_language

    return Parser(get_language(language))  # type: ignore[arg-type]


def nodes(root: Node) -> Iterator[Node]:
    """Every node of a tree."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(node.children)


def leaves(root: Node) -> Iterator[Node]:
    """The tree's leaves in the order of the text; a string or a comment is one."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.child_count and not is_string(node) and not is_comment(node):
            pending.extend(reversed(node.children))
        else:
            yield node


def is_string(node: Node) -> bool:
    """Whether a node is a string literal."""
    return node.type in _STRINGS and node.is_named


def is_comment(node: Node) -> bool:
    """Whether a node is a comment."""
    return "comment" in node.type
