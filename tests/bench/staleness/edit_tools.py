"""What the made edits share: where statements begin, which rows are sealed, what is sound."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from symbols import words
from syntax import Node, is_comment, is_string, leaves, nodes, parse

Insertion = tuple[int, bytes]
_IN_BLOCK = words("""
    module program source_file statement_block block statement_list class_body declaration_list
    switch_case interface_body enum_variant_list field_declaration_list
""")


def statements(data: bytes, language: str) -> list[Node]:
    """The statements and members that begin a line."""
    found = {}
    for node in nodes(parse(data, language)):
        outer = node.parent
        if outer is None or outer.type not in _IN_BLOCK or not node.is_named:
            continue
        begin = line_start(data, node.start_byte)
        if not data[begin : node.start_byte].strip() and not is_comment(node):
            found.setdefault(begin, node)
    return [found[begin] for begin in sorted(found)]


def line_start(data: bytes, at: int) -> int:
    """The first byte of a line."""
    return data.rfind(b"\n", 0, at) + 1


def inserted(data: bytes, insertions: Iterable[Insertion]) -> bytes:
    """The text with others put in, each at its byte."""
    out, last = [], 0
    for at, text in sorted(insertions, key=lambda one: one[0]):
        out += [data[last:at], text]
        last = at
    return b"".join([*out, data[last:]])


def sealed_rows(data: bytes, language: str) -> set[int]:
    """Rows whose beginning lies within a string, a template or a comment."""
    sealed: set[int] = set()
    for node in nodes(parse(data, language)):
        whole = not node.child_count or is_string(node) or node.type == "template_string"
        text = data[node.start_byte : node.end_byte].rstrip()
        if (whole or is_comment(node)) and b"\n" in text:
            first = node.start_point[0]
            sealed.update(range(first + 1, first + text.count(b"\n") + 1))
    return sealed


def rows_in_brackets(data: bytes, language: str) -> set[int]:
    """Rows that begin within brackets."""
    depth, seen, found = 0, set(), set()
    for node in leaves(parse(data, language)):
        kind, row = node.type, node.start_point[0]
        if row not in seen:
            seen.add(row)
            if depth - (kind in (")", "]", "}")) > 0:
                found.add(row)
        depth += (kind in ("(", "[", "{")) - (kind in (")", "]", "}"))
    return found


def sound(
    data: bytes, edited: bytes, language: str, *, but: str = "", strings: bool = True
) -> bytes | None:
    """The edited text if it means the same, else None.

    Args:
        but: Leaves that the edit was about.
        strings: Whether the quotes around strings have to be the same.
    """
    if edited == data:
        return None
    if language == "python":
        return edited if _dumped(data) == _dumped(edited) != "" else None
    if parse(edited, language).has_error:
        return None
    one, other = (list(_words(text, language, but, strings)) for text in (data, edited))
    return edited if one == other else None


def _dumped(data: bytes) -> str:
    try:
        return ast.dump(ast.parse(data))
    except (SyntaxError, ValueError):
        return ""


def _words(data: bytes, language: str, but: str, strings: bool) -> Iterator[bytes]:
    for node in leaves(parse(data, language)):
        text = data[node.start_byte : node.end_byte]
        if is_comment(node) or not text.strip() or (but and text.decode() in but):
            continue
        yield text.strip() if strings or not is_string(node) else text[1:-1]
