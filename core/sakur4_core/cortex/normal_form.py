"""Hashes over the syntax tree: what a reader of the code would call a change counts."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sakur4_core.cortex.languages.language import NormalRules

if TYPE_CHECKING:
    from tree_sitter import Node

_ESCAPED = re.compile(rb"\\(.)", re.DOTALL)
_LEAVE = b")"


@dataclass(slots=True)
class Span:
    """Where a definition stands in the stream of tokens; its surface ends at ``body``."""

    start: int
    body: int = -1
    end: int = -1


def normal_form(
    root: Node, outer: dict[int, int], bodies: dict[int, int], rules: NormalRules
) -> tuple[list[bytes], dict[int, Span]]:
    """The tree as a stream of tokens without layout, and where definitions stand in it.

    Args:
        outer: From a node's id to the index of the definition whose extent it is.
        bodies: From a node's id to the index of the definition whose body it is.
    """
    stream: list[bytes] = []
    spans: dict[int, Span] = {}
    raw_string = False
    stack: list[Node | int] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, int):
            stream.append(_LEAVE)
            if node >= 0:
                spans[node].end = len(stream)
            continue
        kind = node.type
        index = -1
        if node.id in outer:
            index = outer[node.id]
            spans[index] = Span(len(stream))
        if node.id in bodies:
            spans[bodies[node.id]].body = len(stream)
        if kind == rules.string_open:
            prefix = (node.text or b"").rstrip(b"\"'`").lower()
            raw_string = b"r" in prefix
            stream.append(b'"' + prefix.replace(b"u", b""))
        elif kind == rules.string_content:
            text = node.text or b""
            stream.append(text if raw_string else _ESCAPED.sub(_without_needless_escape, text))
        elif node.child_count == 0:
            if kind != rules.string_close:
                stream.append((node.text or b"") if node.is_named else kind.encode())
            if index >= 0:
                spans[index].end = len(stream)
        else:
            children = _counting(node, kind, rules)
            if kind not in rules.transparent or index >= 0:
                stream.append(b"(" + rules.same_as.get(kind, kind).encode())
                stack.append(index)
            stack.extend(reversed(children))
    return stream, spans


def _counting(node: Node, kind: str, rules: NormalRules) -> list[Node]:
    """The children that mean something."""
    dropped = rules.dropped_in.get(kind, frozenset())
    commas_matter = kind in rules.comma_matters_in
    children: list[Node] = []
    for child in node.children:
        child_kind = child.type
        if child_kind in rules.dropped or (child_kind in dropped and not child.is_named):
            continue
        trailing = children and child_kind in rules.closers and children[-1].type == ","
        if trailing and not commas_matter:
            children.pop()
        children.append(child)
    return children


def _without_needless_escape(match: re.Match[bytes]) -> bytes:
    return match[1] if match[1] in (b'"', b"'") else match[0]


def digest(tokens: list[bytes]) -> str:
    """A short hash of a stream of tokens."""
    return hashlib.blake2b(b"\0".join(tokens), digest_size=10).hexdigest()
