"""C++, by its declarations and calls."""

from __future__ import annotations

from sakur4_core.cortex.languages import c
from sakur4_core.cortex.languages.language import Language

QUERY = f"""{c.QUERY}
(class_specifier body: (_)) @definition.class
(namespace_definition name: (_)) @definition.module
(alias_declaration) @definition.type
(concept_definition) @definition.type
(field_declaration_list (field_declaration
  declarator: [(function_declarator) (reference_declarator) (pointer_declarator
    (function_declarator))]) @definition.method)
(field_declaration_list (declaration declarator: (function_declarator)) @definition.method)
(field_declaration declarator: (field_identifier)) @definition.constant
(template_declaration) @declared

(call_expression function: (qualified_identifier) @call)
(new_expression type: (type_identifier) @call)
(base_class_clause [(type_identifier) (qualified_identifier)] @inherits)
(raw_string_literal) @string
"""

CPP = Language(
    name="cpp",
    grammar="cpp",
    suffixes=(".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".ipp", ".cu"),
    query=QUERY,
    names=c.names,
    imports=c.read_imports,
    own_names=frozenset({"this"}),
)
