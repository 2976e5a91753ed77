"""Go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sakur4_core.cortex.languages.language import Language, RawImport, Typing
from sakur4_core.cortex.languages.layout import (
    TRAILING_COMMAS,
    NormalRules,
    lines_end_in_semicolons,
)
from sakur4_core.cortex.languages.syntax import child, first, line, text

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(function_declaration) @definition.function
(method_declaration) @definition.method
(type_spec type: (struct_type)) @definition.struct
(type_spec type: (interface_type)) @definition.interface
(type_spec) @definition.type
(type_alias) @definition.type
[(const_spec) (var_spec)] @definition.constant
(field_declaration) @definition.constant
(interface_type (method_elem) @definition.method)
[(type_declaration) (const_declaration) (var_declaration) (var_spec_list)] @declared

(import_spec) @import

(call_expression function: [(identifier) (selector_expression)] @call)
(type_conversion_expression type: (generic_type
  type: [(type_identifier) (qualified_type)] @call))
(field_declaration !name type: [(type_identifier) (qualified_type)] @inherits)
(interface_type (type_elem . [(type_identifier) (qualified_type)] @inherits .))
(parameter_declaration type: [(type_identifier) (qualified_type)] @reference)
(pointer_type [(type_identifier) (qualified_type)] @reference)
(slice_type element: [(type_identifier) (qualified_type)] @reference)
(composite_literal type: [(type_identifier) (qualified_type)] @reference)
(field_declaration name: (_) type: [(type_identifier) (qualified_type)] @reference)
(var_spec type: [(type_identifier) (qualified_type)] @reference)
(function_declaration result: [(type_identifier) (qualified_type)] @reference)
(method_declaration result: [(type_identifier) (qualified_type)] @reference)
(argument_list (identifier) @reference)

(parameter_declaration name: (identifier) @local)
(variadic_parameter_declaration name: (identifier) @local)
(short_var_declaration left: (expression_list (identifier) @local))
(range_clause left: (expression_list (identifier) @local))
(type_switch_statement alias: (expression_list (identifier) @local))

(parameter_declaration) @typed
(var_spec) @typed
(field_declaration) @typed
(short_var_declaration) @typed

(comment) @comment
[(interpreted_string_literal) (raw_string_literal) (rune_literal)] @string
(parenthesized_expression ["(" ")"] @dropped)
[(binary_expression) (unary_expression)] @grouped
"""

_BUILTINS = """
append cap clear close complex copy delete imag len make max min new panic print println real
recover string int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 byte rune float32
float64 bool error any nil true false iota
"""

NORMAL = NormalRules(
    layout=lines_end_in_semicolons,
    pairs=(*TRAILING_COMMAS, (b";}", b"}"), (b";)", b")"), (b";;", b";")),
)

NAMES = ("type_identifier", "qualified_type")


def names(definition: Node) -> Iterator[str]:
    """A definition's name or names; an embedded field's is that of its type."""
    named = definition.children_by_field_name("name")
    if not named and definition.type == "field_declaration":
        given = named_type(child(definition, "type"))
        if given is not None:
            yield text(given).rpartition(".")[2]
    for node in named:
        if node.is_named and (name := text(node)) != "_":
            yield name


def body(definition: Node) -> Node | None:
    """What the declared surface ends at."""
    if definition.type in ("type_spec", "type_alias"):
        given = child(definition, "type")
        if given is None or given.type not in ("struct_type", "interface_type"):
            return None
        fields = first(given, "field_declaration_list")
        return fields or next((part for part in given.children if part.type == "{"), None)
    return child(definition, "body") or child(definition, "value")


def owner(node: Node) -> str:
    """The type of a method's receiver."""
    receiver = child(node, "receiver") if node.type == "method_declaration" else None
    declared = None if receiver is None else first(receiver, "parameter_declaration")
    given = None if declared is None else named_type(child(declared, "type"))
    return "" if given is None else text(given)


def named_type(node: Node | None) -> Node | None:
    """The name of a type, without pointers and parameters."""
    while node is not None and node.type not in NAMES:
        if node.type == "generic_type":
            node = child(node, "type")
        elif node.type in ("pointer_type", "parenthesized_type") and node.named_children:
            node = node.named_children[0]
        else:
            return None
    return node


def read_imports(spec: Node) -> Iterator[RawImport]:
    """The package that one line of an import binds; ``_`` binds nothing."""
    path, alias = child(spec, "path"), child(spec, "name")
    if path is None or (alias is not None and alias.type == "blank_identifier"):
        return
    module = text(path).strip('"`')
    if alias is not None and alias.type == "dot":
        yield RawImport("*", module, "*", 0, line(spec))
    else:
        yield RawImport(
            _package(module) if alias is None else text(alias), module, None, 0, line(spec)
        )


def _package(module: str) -> str:
    """The name by which a package is called: by convention the last part of its path."""
    parts = module.split("/")
    if len(parts) > 1 and parts[-1][:1] == "v" and parts[-1][1:].isdigit():
        parts.pop()
    return parts[-1].partition(".v")[0]


def typings(node: Node) -> Iterator[Typing]:
    """The type that a declaration gives, or that of the literal it is set to."""
    if node.type == "short_var_declaration":
        left, right = child(node, "left"), child(node, "right")
        if left is None or right is None:
            return
        for target, value in zip(left.named_children, right.named_children, strict=False):
            given = _made(value)
            if given is not None:
                yield Typing(target, given)
        return
    given = named_type(child(node, "type"))
    if given is None and node.type == "var_spec":
        values = child(node, "value")
        given = _made(values.named_children[0]) if values and values.named_children else None
    if given is not None:
        for target in node.children_by_field_name("name"):
            if target.is_named:
                yield Typing(target, given)


def _made(value: Node) -> Node | None:
    """The type of ``T{...}`` and of ``&T{...}``."""
    if value.type == "unary_expression":
        value = child(value, "operand") or value
    given = child(value, "type") if value.type == "composite_literal" else None
    return named_type(given)


GO = Language(
    name="go",
    grammar="go",
    suffixes=(".go",),
    query=QUERY,
    normal=NORMAL,
    names=names,
    body=body,
    owner=owner,
    imports=read_imports,
    typings=typings,
    builtins=frozenset(_BUILTINS.split()),
)
