"""C, by its declarations and calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sakur4_core.cortex.languages.language import Language, RawImport
from sakur4_core.cortex.languages.syntax import child, dotted, line, text

if TYPE_CHECKING:
    from tree_sitter import Node

PLACES = ("translation_unit", "preproc_ifdef", "preproc_if", "preproc_else", "declaration_list")

# A declaration within a function is a local one; those at these places are not.
DECLARED = "\n".join(
    f"({place} (declaration declarator: (function_declarator)) @definition.function)\n"
    f"({place} (declaration declarator: (pointer_declarator (function_declarator)))"
    " @definition.function)\n"
    f"({place} (declaration declarator: [(init_declarator) (identifier) (array_declarator)])"
    " @definition.constant)"
    for place in PLACES
)

QUERY = f"""
(function_definition) @definition.function
[(struct_specifier body: (_)) (union_specifier body: (_))] @definition.struct
(enum_specifier body: (_)) @definition.enum
(enumerator) @definition.constant
(type_definition) @definition.type
(preproc_def) @definition.constant
(preproc_function_def) @definition.function
{DECLARED}

(preproc_include) @import
(call_expression function: [(identifier) (field_expression)] @call)
(type_descriptor type: (type_identifier) @reference)
(parameter_declaration type: (type_identifier) @reference)

(comment) @comment
[(string_literal) (char_literal) (system_lib_string) (preproc_arg)] @string
"""


def names(definition: Node) -> Iterator[str]:
    """A definition's name, or every name that a declaration declares."""
    named = child(definition, "name")
    if named is not None:
        yield dotted(text(named))
        return
    for node in definition.children_by_field_name("declarator"):
        name = declared_name(node)
        if name:
            yield name


def declared_name(node: Node) -> str:
    """The name inside of a declarator."""
    while (inner := child(node, "declarator")) is not None or node.type in (
        "parenthesized_declarator",
        "reference_declarator",
    ):
        if inner is None and not node.named_children:
            return ""
        node = inner or node.named_children[0]
    parts = []
    while node.type == "qualified_identifier":
        scope, name = child(node, "scope"), child(node, "name")
        if scope is not None:
            parts.append(text(child(scope, "name") or scope))
        if name is None:
            return ""
        node = name
    return ".".join((*parts, "".join(text(node).split())))


def read_imports(statement: Node) -> Iterator[RawImport]:
    """Everything that an included file declares."""
    path = child(statement, "path")
    if path is not None:
        yield RawImport("*", text(path).strip('<>"'), "*", 0, line(statement))


C = Language(
    name="c",
    grammar="c",
    suffixes=(".c", ".h"),
    query=QUERY,
    names=names,
    imports=read_imports,
)
