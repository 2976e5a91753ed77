"""Java, by its declarations and calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sakur4_core.cortex.languages.language import Language, RawImport
from sakur4_core.cortex.languages.syntax import child, first, line, text

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
[(class_declaration) (record_declaration)] @definition.class
(enum_declaration) @definition.enum
(enum_constant) @definition.constant
[(interface_declaration) (annotation_type_declaration)] @definition.interface
[(method_declaration) (constructor_declaration) (annotation_type_element_declaration)]
  @definition.method
[(field_declaration) (constant_declaration)] @definition.constant

(import_declaration) @import
(method_invocation !object name: (identifier) @call)
(method_invocation object: (_) name: (identifier) @member_call)
(object_creation_expression type: (type_identifier) @call)
(superclass (type_identifier) @inherits)
(super_interfaces (type_list (type_identifier) @inherits))
(extends_interfaces (type_list (type_identifier) @inherits))
(marker_annotation name: (identifier) @reference)
(annotation name: (identifier) @reference)
(formal_parameter type: (type_identifier) @reference)

[(line_comment) (block_comment)] @comment
[(string_literal) (character_literal)] @string
"""


def names(definition: Node) -> Iterator[str]:
    """A definition's name; of a field, every name that it declares."""
    for node in definition.children_by_field_name("declarator") or (definition,):
        named = child(node, "name")
        if named is not None:
            yield text(named)


def read_imports(statement: Node) -> Iterator[RawImport]:
    """The class, the member, or all of a package that an import binds."""
    path = first(statement, "scoped_identifier", "identifier")
    if path is None:
        return
    if first(statement, "asterisk") is not None:
        yield RawImport("*", text(path), "*", 0, line(statement))
        return
    module, _, name = text(path).rpartition(".")
    yield RawImport(name, module or name, name if module else None, 0, line(statement))


JAVA = Language(
    name="java",
    grammar="java",
    suffixes=(".java",),
    query=QUERY,
    names=names,
    imports=read_imports,
    own_names=frozenset({"this"}),
)
