"""C#, by its declarations and calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sakur4_core.cortex.languages.language import Language, RawImport
from sakur4_core.cortex.languages.syntax import child, first, line, text

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
[(class_declaration) (record_declaration)] @definition.class
(struct_declaration) @definition.struct
(interface_declaration) @definition.interface
(enum_declaration) @definition.enum
(enum_member_declaration) @definition.constant
(delegate_declaration) @definition.type
[(method_declaration) (constructor_declaration) (property_declaration)] @definition.method
[(field_declaration) (event_field_declaration)] @definition.constant
(local_function_statement) @definition.function
(namespace_declaration) @definition.module

(using_directive) @import
(invocation_expression function: [(identifier) (member_access_expression)] @call)
(object_creation_expression type: (identifier) @call)
(base_list [(identifier) (qualified_name)] @inherits)
(attribute name: (identifier) @reference)
(parameter type: (identifier) @reference)

(comment) @comment
[(string_literal) (character_literal) (verbatim_string_literal) (raw_string_literal)
 (interpolated_string_expression)] @string
(interpolation) @code
"""


def names(definition: Node) -> Iterator[str]:
    """A definition's name; of a field, every name that it declares."""
    declared = first(definition, "variable_declaration")
    if declared is None:
        named = child(definition, "name")
        if named is not None:
            yield text(named)
        return
    for node in declared.named_children:
        if node.type == "variable_declarator":
            yield text(child(node, "name") or node)


def read_imports(statement: Node) -> Iterator[RawImport]:
    """The namespace whose names ``using`` opens, or the alias that it binds."""
    alias, path = child(statement, "name"), statement.named_children[-1]
    if alias is None:
        yield RawImport("*", text(path), "*", 0, line(statement))
    else:
        yield RawImport(text(alias), text(path), None, 0, line(statement))


C_SHARP = Language(
    name="csharp",
    grammar="csharp",
    suffixes=(".cs",),
    query=QUERY,
    names=names,
    imports=read_imports,
    own_names=frozenset({"this"}),
)
