"""Kotlin, by its declarations and calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sakur4_core.cortex.languages.language import Language, RawImport
from sakur4_core.cortex.languages.syntax import first, line, text

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
[(class_declaration) (object_declaration)] @definition.class
(class_declaration "interface") @definition.interface
(class_declaration "enum") @definition.enum
(enum_entry) @definition.constant
(function_declaration) @definition.function
(property_declaration) @definition.constant
(type_alias) @definition.type

(import_header) @import
(call_expression . [(simple_identifier) (navigation_expression)] @call)
(delegation_specifier (user_type) @inherits)
(delegation_specifier (constructor_invocation (user_type) @inherits))
(parameter (user_type (type_identifier) @reference))

[(line_comment) (multiline_comment)] @comment
[(string_literal) (character_literal)] @string
(interpolated_expression) @code
"""


def names(definition: Node) -> Iterator[str]:
    """A definition's name."""
    declared = first(definition, "variable_declaration") or definition
    named = first(declared, "type_identifier", "simple_identifier")
    if named is not None:
        yield text(named)


def body(definition: Node) -> Node | None:
    """What the declared surface ends at."""
    if definition.type == "property_declaration":
        return definition.named_children[-1] if definition.child_count > 3 else None
    return first(definition, "class_body", "enum_class_body", "function_body")


def read_imports(header: Node) -> Iterator[RawImport]:
    """The name that an import binds."""
    path, alias = first(header, "identifier"), first(header, "import_alias")
    if path is None:
        return
    if first(header, "wildcard_import") is not None:
        yield RawImport("*", text(path), "*", 0, line(header))
        return
    module, _, name = text(path).rpartition(".")
    bound = name if alias is None else text(alias).removeprefix("as").strip()
    yield RawImport(bound, module or name, name if module else None, 0, line(header))


KOTLIN = Language(
    name="kotlin",
    grammar="kotlin",
    suffixes=(".kt", ".kts"),
    query=QUERY,
    names=names,
    body=body,
    imports=read_imports,
    own_names=frozenset({"this"}),
)
