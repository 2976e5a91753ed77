"""The form of a definition of Go, Rust, TypeScript or JavaScript: which of its tokens count.

The tokens stand with the tree's brackets around them, so that layout that changes the tree (a line
break after ``return``) counts and other layout does not. Left out are comments (Rust's doc
comments too), white space, parentheses around one expression or type, the comma before a closing
bracket or after a match arm, semicolons where the language fills them in, empty statements in a
block, the kind of quotes around a string of JavaScript, and the parentheses around an arrow
function's only name.

What two texts may share in meaning and not in form: quotes around a property's name, braces around
a single statement, numbers and strings in another notation (Go's raw strings, Rust's ``r""``,
escapes other than of quotes), a Rust ``return x`` with and without semicolon, the order of
anything, and everything inside a Rust macro but its white space and comments.
"""

from __future__ import annotations

import re

from symbols import words
from syntax import SCRIPT, Node, is_comment, is_string

_BLOCKS = words("""
    program source_file statement_block block statement_list class_body switch_case switch_default
    interface_body object_type declaration_list
""")
_CLOSERS = frozenset({")", "]", "}", ">", "|"})
_ONE_TUPLES = frozenset({"tuple_expression", "tuple_pattern", "tuple_type"})
_KEEP_SEMICOLON = frozenset({"for_clause", "for_statement"})
_ESCAPED_QUOTE = re.compile(r"\\(['\"])")


class Form:
    """Reads the tokens of one file's definitions."""

    def __init__(self, data: bytes, language: str) -> None:
        self._data = data
        self._script = language in SCRIPT
        self._go = language == "go"

    def parts(self, node: Node, blank: int | None = None) -> list[str]:
        """What counts of a node; the token at byte ``blank`` is left open."""
        out: list[str] = []
        self._emit(node, out, blank)
        return out

    def text(self, node: Node) -> str:
        """A node's text as it stands."""
        return self._data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def _emit(self, node: Node, out: list[str], blank: int | None) -> None:
        if is_comment(node):
            return
        if is_string(node) or not node.child_count:
            if leaf := "\1" if node.start_byte == blank else self._leaf(node):
                out.append(leaf)
            return
        children = [child for child in node.children if not is_comment(child)]
        if node.type in ("parenthesized_expression", "parenthesized_type") and len(children) == 3:
            self._emit(children[1], out, blank)
            return
        plain = self._only_name(node, children)
        if plain is not None:
            self._emit(plain, out, blank)
            return
        out.append(f"({node.type}")
        at = node.start_byte
        for place, child in enumerate(children):
            following = children[place + 1].type if place + 1 < len(children) else ""
            before = children[place - 1].type if place else ""
            out += self._gap(node, at, child)
            at = child.end_byte
            if not self._is_optional(node, child, before, following):
                self._emit(child, out, blank)
        out.append(")")

    def _only_name(self, node: Node, children: list[Node]) -> Node | None:
        """``(a) => b`` is ``a => b``."""
        if not self._script or node.type != "formal_parameters":
            return None
        inner = [child for child in children if child.type not in "(),"]
        if node.parent.type != "arrow_function" or len(inner) != 1:
            return None
        plain = inner[0]
        if plain.type == "required_parameter" and plain.child_count == 1:
            plain = plain.children[0]
        return plain if plain.type == "identifier" else None

    def _leaf(self, node: Node) -> str:
        text = self.text(node)
        if node.type == "jsx_text":
            return " ".join(text.split())
        if self._script and node.type == "string":
            return '"' + _ESCAPED_QUOTE.sub(r"\1", text[1:-1]) + '"'
        return text if is_string(node) or not text.isspace() else ""

    def _gap(self, around: Node, start: int, following: Node) -> list[str]:
        """Text that no node stands for, before a child; white space and comments are none."""
        for child in around.children:
            if is_comment(child) and start <= child.start_byte < following.start_byte:
                start = child.end_byte
        text = self._data[start : following.start_byte].decode("utf-8", "replace").strip()
        return [text] if text else []

    def _is_optional(self, around: Node, node: Node, before: str, following: str) -> bool:
        kind, outer = node.type, around.type
        if kind == ",":
            if outer in ("interface_body", "object_type") or (
                outer == "match_arm" and not following
            ):
                return True
            single = outer in _ONE_TUPLES and len(around.named_children) == 1
            hole = before in (",", "[") and self._script
            return following in _CLOSERS and not single and not hole
        if kind == "empty_statement":
            return outer in _BLOCKS
        text_is_break = kind == ";" or not self._data[node.start_byte : node.end_byte].strip()
        if text_is_break and not node.is_named:
            return (self._script or self._go) and outer not in _KEEP_SEMICOLON
        return False
