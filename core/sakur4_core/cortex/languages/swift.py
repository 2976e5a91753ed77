"""Swift, by its declarations and calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sakur4_core.cortex.languages.language import Language, RawImport
from sakur4_core.cortex.languages.syntax import child, inside, line, text

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(class_declaration ["class" "actor"]) @definition.class
(class_declaration "struct") @definition.struct
(class_declaration "enum") @definition.enum
(class_declaration "extension") @owner
(protocol_declaration) @definition.interface
(enum_entry) @definition.constant
[(function_declaration) (protocol_function_declaration) (init_declaration)] @definition.function
[(property_declaration) (protocol_property_declaration)] @definition.constant
(typealias_declaration) @definition.type

(import_declaration) @import
(call_expression . [(simple_identifier) (navigation_expression)] @call)
(inheritance_specifier inherits_from: (user_type) @inherits)

[(comment) (multiline_comment)] @comment
[(line_string_literal) (multi_line_string_literal) (raw_string_literal)] @string
(interpolated_expression) @code
"""


def names(definition: Node) -> Iterator[str]:
    """A definition's name or names; an initialiser is called ``init``."""
    if definition.type == "init_declaration":
        yield "init"
        return
    for index, node in enumerate(definition.children_by_field_name("name")):
        several = definition.type == "enum_entry"
        named = node if node.type != "pattern" else child(node, "bound_identifier")
        if named is not None and (several or not index):
            yield text(named)


def owner(node: Node) -> str:
    """The type that an extension extends."""
    extends = node.type == "class_declaration" and node.children[0].type == "extension"
    named = inside(child(node, "name"), "type_identifier") if extends else None
    return "" if named is None else text(named)


def read_imports(statement: Node) -> Iterator[RawImport]:
    """The module whose names an import opens."""
    yield RawImport("*", text(statement.named_children[-1]), "*", 0, line(statement))


SWIFT = Language(
    name="swift",
    grammar="swift",
    suffixes=(".swift",),
    query=QUERY,
    names=names,
    owner=owner,
    imports=read_imports,
    own_names=frozenset({"self"}),
)
