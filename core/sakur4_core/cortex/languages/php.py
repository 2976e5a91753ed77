"""PHP, by its declarations and calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sakur4_core.cortex.languages.language import Language, RawImport
from sakur4_core.cortex.languages.syntax import child, first, line, text

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(class_declaration) @definition.class
(interface_declaration) @definition.interface
(trait_declaration) @definition.trait
(enum_declaration) @definition.enum
(enum_case) @definition.constant
(function_definition) @definition.function
(method_declaration) @definition.method
[(const_element) (property_element)] @definition.constant
[(const_declaration) (property_declaration)] @declared

(namespace_use_declaration) @import
(function_call_expression function: (name) @call)
[(member_call_expression name: (name) @member_call)
 (scoped_call_expression name: (name) @member_call)
 (nullsafe_member_call_expression name: (name) @member_call)]
(object_creation_expression (name) @call)
(base_clause (name) @inherits)
(class_interface_clause (name) @inherits)
(named_type (name) @reference)

(comment) @comment
[(string) (encapsed_string) (heredoc)] @string
"""


def names(definition: Node) -> Iterator[str]:
    """A definition's name, without the dollar of a property's."""
    named = child(definition, "name") or first(definition, "name")
    if named is not None:
        yield text(named).lstrip("$")


def body(definition: Node) -> Node | None:
    """A definition's body or value."""
    if definition.type == "const_element":
        return definition.named_children[-1] if len(definition.named_children) > 1 else None
    return child(definition, "body") or child(definition, "default_value")


def read_imports(statement: Node) -> Iterator[RawImport]:
    """Every name that ``use`` binds."""
    for clause in statement.named_children:
        if clause.type == "namespace_use_clause":
            alias = child(clause, "alias")
            path = text(clause.named_children[0]).replace("\\", ".").strip(".")
            module, _, name = path.rpartition(".")
            bound = name if alias is None else text(alias)
            yield RawImport(bound, module or name, name if module else None, 0, line(clause))


PHP = Language(
    name="php",
    grammar="php",
    suffixes=(".php",),
    query=QUERY,
    names=names,
    body=body,
    imports=read_imports,
    own_names=frozenset({"$this", "self", "static"}),
)
