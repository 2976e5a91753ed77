"""TypeScript; TSX is the same with JSX in it."""

from __future__ import annotations

from dataclasses import replace

from sakur4_core.cortex.languages import ecmascript
from sakur4_core.cortex.languages.language import Language

QUERY = f"""{ecmascript.FUNCTIONS}
(abstract_class_declaration) @definition.class
(interface_declaration) @definition.interface
(type_alias_declaration) @definition.type
(enum_declaration) @definition.enum
(enum_assignment) @definition.constant
(enum_body name: (_) @definition.constant)
[(internal_module) (module)] @definition.module
(function_signature) @definition.function
(interface_body (method_signature) @definition.method)
(class_body [(method_signature) (abstract_method_signature)] @definition.method)
(interface_body (property_signature) @definition.constant)
(public_field_definition) @definition.constant
(public_field_definition value: [(arrow_function) (function_expression)]) @definition.method
(import_alias) @definition.constant
(ambient_declaration) @declared

(extends_clause value: [(identifier) (member_expression)] @inherits)
(implements_clause [(type_identifier) (nested_type_identifier)] @inherits)
(implements_clause (generic_type name: [(type_identifier) (nested_type_identifier)] @inherits))
(extends_type_clause type: [(type_identifier) (nested_type_identifier)] @inherits)
(extends_type_clause type: (generic_type name: (type_identifier) @inherits))
(type_annotation [(type_identifier) (nested_type_identifier)] @reference)
(generic_type name: [(type_identifier) (nested_type_identifier)] @reference)
(type_arguments (type_identifier) @reference)
(union_type (type_identifier) @reference)
(array_type (type_identifier) @reference)

(required_parameter pattern: (identifier) @local)
(optional_parameter pattern: (identifier) @local)
(required_parameter type: (_)) @typed
(optional_parameter type: (_)) @typed
(variable_declarator type: (_)) @typed
[(public_field_definition) (property_signature)] @typed

[(as_expression) (satisfies_expression) (type_assertion)] @grouped
[(public_field_definition) (type_alias_declaration) (function_signature) (method_signature)
 (abstract_method_signature) (property_signature) (call_signature) (construct_signature)
 (index_signature) (import_alias) (ambient_declaration)] @ended
"""

TYPESCRIPT = Language(
    name="typescript",
    grammar="typescript",
    suffixes=(".ts", ".mts", ".cts"),
    query=QUERY,
    normal=ecmascript.NORMAL,
    names=ecmascript.names,
    body=ecmascript.body,
    imports=ecmascript.read_imports,
    exports=ecmascript.read_exports,
    typings=ecmascript.typings,
    module_name=ecmascript.module_name,
    module_files=ecmascript.module_files,
    own_names=ecmascript.OWN_NAMES,
    builtins=ecmascript.BUILTINS,
)

# `<T>x` is an element in TSX.
TSX = replace(
    TYPESCRIPT,
    name="tsx",
    grammar="tsx",
    suffixes=(".tsx",),
    query=QUERY.replace(" (type_assertion)", "") + ecmascript.JSX,
)
