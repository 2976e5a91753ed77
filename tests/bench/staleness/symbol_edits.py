"""Edits of one definition in a file: changed, renamed, moved, deleted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from symbols import Symbol, words
from syntax import Node, leaves, nodes, parse

# What files become; None deletes one.
Written = dict[str, bytes]
SymbolEdit = Callable[[str, bytes, Symbol, str], Written | None]

_SWAPS = {
    "==": "!=",
    "!=": "==",
    "===": "!==",
    "!==": "===",
    "<": "<=",
    ">": ">=",
    "+": "-",
    "-": "+",
    "*": "+",
    "and": "or",
    "or": "and",
    "&&": "||",
    "||": "&&",
    "in": "not in",
    "+=": "-=",
}
_OPERATIONS = words("""
    binary_expression binary_operator boolean_operator comparison_operator augmented_assignment
    compound_assignment_expr
""")
_NUMBERS = words("integer number int_literal integer_literal")


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of edit of a definition, and whether that makes summaries of it stale."""

    name: str
    make: SymbolEdit
    stale: bool
    outermost_only: bool = False


def operator(path: str, data: bytes, symbol: Symbol, language: str) -> Written | None:
    """One operator inside becomes another."""
    for leaf in _leaves_of(data, symbol, language):
        text = data[leaf.start_byte : leaf.end_byte].decode("utf-8", "replace")
        if text in _SWAPS and leaf.parent is not None and leaf.parent.type in _OPERATIONS:
            return _replaced(path, data, leaf.start_byte, leaf.end_byte, _SWAPS[text], language)
    return None


def constant(path: str, data: bytes, symbol: Symbol, language: str) -> Written | None:
    """One number inside becomes another."""
    for leaf in _leaves_of(data, symbol, language):
        text = data[leaf.start_byte : leaf.end_byte]
        if leaf.type in _NUMBERS and text.isdigit():
            text = b"7" + text if text != b"0" else b"7"
            return _replaced(path, data, leaf.start_byte, leaf.end_byte, text.decode(), language)
    return None


def docstring(path: str, data: bytes, symbol: Symbol, language: str) -> Written | None:
    """One word more in a docstring."""
    if language != "python":
        return None
    for node in nodes(parse(data, language)):
        first = node.named_children[0] if node.type == "block" and node.named_children else None
        if first is not None and first.type == "expression_statement":
            first = first.named_children[0]
        if first is None or first.type != "string" or node.parent is None:
            continue
        named = node.parent.child_by_field_name("name")
        if named is not None and named.start_byte == symbol.named_at:
            at = first.children[0].end_byte
            return _replaced(path, data, at, at, "Indeed: ", language)
    return None


def renamed(path: str, data: bytes, symbol: Symbol, language: str) -> Written | None:
    """Another name where it is defined; whoever uses it is left alone."""
    at = symbol.named_at
    name = symbol.last_name
    if data[at : at + len(name)].decode("utf-8", "replace") != name:
        return None
    return _replaced(path, data, at, at + len(name), name + "_anew", language)


def to_end(path: str, data: bytes, symbol: Symbol, language: str) -> Written | None:
    """Moved to the end of its file."""
    rest, text = _cut(data, symbol)
    if not rest.strip() or rest[symbol.start :].strip() == b"":
        return None
    return {path: rest.rstrip() + b"\n\n\n" + text + b"\n"}


def to_file(path: str, data: bytes, symbol: Symbol, language: str) -> Written | None:
    """Moved to a file of its own beside it."""
    rest, text = _cut(data, symbol)
    head = b""
    if language == "go":
        at = data.find(b"\npackage ") + 1
        head = data[at : data.find(b"\n", at)] + b"\n\n"
    folder, _, file = path.rpartition("/")
    new = f"{folder}/moved_{file}".lstrip("/")
    return {path: rest, new: head + text + b"\n"}


def deleted(path: str, data: bytes, symbol: Symbol, language: str) -> Written | None:
    """Taken out."""
    return {path: _cut(data, symbol)[0]}


SYMBOL_EDITS = (
    Kind("operator changed", operator, stale=True),
    Kind("number changed", constant, stale=True),
    Kind("docstring changed", docstring, stale=True),
    Kind("renamed", renamed, stale=True),
    Kind("moved to the file's end", to_end, stale=False, outermost_only=True),
    Kind("moved to another file", to_file, stale=False, outermost_only=True),
    Kind("deleted", deleted, stale=True, outermost_only=True),
)


def _leaves_of(data: bytes, symbol: Symbol, language: str) -> list[Node]:
    return [
        leaf
        for leaf in leaves(parse(data, language))
        if symbol.start <= leaf.start_byte and leaf.end_byte <= symbol.end
    ]


def _replaced(
    path: str, data: bytes, start: int, end: int, text: str, language: str
) -> Written | None:
    edited = data[:start] + text.encode() + data[end:]
    return None if parse(edited, language).has_error else {path: edited}


def _cut(data: bytes, symbol: Symbol) -> tuple[bytes, bytes]:
    """The text without a definition, and the definition."""
    end = symbol.end + 1 if data[symbol.end : symbol.end + 1] == b";" else symbol.end
    return data[: symbol.start] + data[end:], data[symbol.start : end]
