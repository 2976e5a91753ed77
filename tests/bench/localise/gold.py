"""The definitions that a commit changed, read by tree-sitter alone.

This does not use the engine's own extraction, so that what the engine fails to extract counts
against it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

GRAMMARS = {
    ".py": "python",
    ".pyi": "python",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
    ".js": "javascript",
    ".jsx": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".rs": "rust",
    ".go": "go",
}
# Node types that define the name in their field ``name``.
NAMED = frozenset(
    """
    function_definition class_definition
    function_declaration generator_function_declaration class_declaration
    abstract_class_declaration method_definition interface_declaration
    type_alias_declaration enum_declaration function_signature method_signature
    function_item struct_item enum_item union_item trait_item type_item const_item static_item
    macro_definition function_signature_item
    method_declaration type_spec type_alias const_spec var_spec method_elem
    """.split()  # noqa: SIM905 - a list of 30 literals would not be read
)
# Of these, values of their own only outside of functions.
VALUES = frozenset({"const_item", "static_item", "const_spec", "var_spec"})
BODIES = frozenset({"function_item", "function_declaration", "method_declaration", "func_literal"})
# A name bound to a function defines it.
BOUND = {"variable_declarator": "name", "pair": "key", "public_field_definition": "name"}
FUNCTIONS = frozenset({"arrow_function", "function_expression", "function", "class"})


@dataclass(frozen=True, slots=True)
class Place:
    """A definition: its name, and its first and last line."""

    name: str
    first: int
    last: int


def definitions(path: str, data: bytes) -> list[Place]:
    """Every definition of a file, outer ones before what they hold."""
    grammar = GRAMMARS.get(path[path.rfind(".") :])
    if grammar is None:
        return []
    found, stack = [], [(_parser(grammar).parse(data).root_node, False)]
    while stack:
        node, local = stack.pop()
        name = "" if local and node.type in VALUES else _name(node)
        if name:
            outer = node
            if node.parent is not None and node.parent.type == "decorated_definition":
                outer = node.parent
            found.append(Place(name, outer.start_point[0] + 1, outer.end_point[0] + 1))
        local = local or node.type in BODIES
        stack.extend((inner, local) for inner in reversed(node.children))
    return found


def changed(
    path: str, data: bytes, hunks: tuple[tuple[int, int], ...]
) -> tuple[tuple[str, str], ...]:
    """File and name of the innermost definitions around the lines of these hunks."""
    places = definitions(path, data)
    names: dict[str, None] = {}
    for first, count in hunks:
        for low, high in _lines(first, count):
            around = [place for place in places if place.first <= low and high <= place.last]
            if around:
                names[around[-1].name] = None
    return tuple((path, name) for name in names)


def _lines(first: int, count: int) -> Iterator[tuple[int, int]]:
    """Each changed line; an insertion stands between two, and both must be held."""
    if count == 0:
        yield first, first + 1
    for line in range(first, first + count):
        yield line, line


def _name(node: Any) -> str:
    if node.type in NAMED:
        return _text(node.child_by_field_name("name"))
    if node.type in BOUND:
        value = node.child_by_field_name("value")
        if value is not None and value.type in FUNCTIONS:
            return _text(node.child_by_field_name(BOUND[node.type]))
    return ""


def _text(node: Any) -> str:
    return "" if node is None else node.text.decode("utf-8", "replace").strip("\"'`")


@cache
def _parser(grammar: str) -> Any:
    from tree_sitter_language_pack import get_parser

    return get_parser(grammar)
