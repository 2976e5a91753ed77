"""Rust."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sakur4_core.cortex.languages.language import Language, RawImport, Typing
from sakur4_core.cortex.languages.layout import ENDED, TRAILING_COMMAS, NormalRules
from sakur4_core.cortex.languages.syntax import child, dotted, first, line, text

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
[(function_item) (function_signature_item) (macro_definition)] @definition.function
[(struct_item) (union_item)] @definition.struct
(enum_item) @definition.enum
(enum_variant) @definition.constant
(trait_item) @definition.trait
[(type_item) (associated_type)] @definition.type
[(const_item) (static_item)] @definition.constant
(struct_item body: (field_declaration_list (field_declaration) @definition.constant))
(union_item body: (field_declaration_list (field_declaration) @definition.constant))
(mod_item) @definition.module
(impl_item) @owner
(attribute_item) @decorator

[(use_declaration) (extern_crate_declaration)] @import

(call_expression function: [(identifier) (scoped_identifier) (field_expression)] @call)
(call_expression function: (generic_function
  function: [(identifier) (scoped_identifier) (field_expression)] @call))
(macro_invocation macro: [(identifier) (scoped_identifier)] @call)
(impl_item trait: [(type_identifier) (scoped_type_identifier)] @inherits)
(impl_item trait: (generic_type type: [(type_identifier) (scoped_type_identifier)] @inherits))
(trait_item bounds: (trait_bounds [(type_identifier) (scoped_type_identifier)] @inherits))
(struct_expression name: [(type_identifier) (scoped_type_identifier)] @reference)
(parameter type: [(type_identifier) (scoped_type_identifier)] @reference)
(reference_type type: [(type_identifier) (scoped_type_identifier)] @reference)
(function_item return_type: [(type_identifier) (scoped_type_identifier)] @reference)
(field_declaration type: [(type_identifier) (scoped_type_identifier)] @reference)
(generic_type type: [(type_identifier) (scoped_type_identifier)] @reference)
(type_arguments [(type_identifier) (scoped_type_identifier)] @reference)
(arguments [(identifier) (scoped_identifier)] @reference)

(let_declaration pattern: (identifier) @local)
(parameter pattern: (identifier) @local)
(closure_parameters (identifier) @local)
(for_expression pattern: (identifier) @local)
(tuple_pattern (identifier) @local)
(tuple_struct_pattern type: (_) (identifier) @local)
(shorthand_field_identifier) @local
(mut_pattern (identifier) @local)
(ref_pattern (identifier) @local)
(reference_pattern (identifier) @local)
(captured_pattern . (identifier) @local)

(let_declaration pattern: (identifier) type: (_)) @typed
(let_declaration pattern: (identifier) value: [(call_expression) (struct_expression)]) @typed
(parameter pattern: (identifier)) @typed
(field_declaration) @typed

[(line_comment) (block_comment)] @comment
[(string_literal) (raw_string_literal) (char_literal)] @string
(parenthesized_expression ["(" ")"] @dropped)
[(binary_expression) (unary_expression) (reference_expression) (range_expression)
 (type_cast_expression) (assignment_expression) (compound_assignment_expr) (closure_expression)
 (return_expression) (break_expression)] @grouped
(call_expression function: (parenthesized_expression (field_expression) @grouped))
(match_arm) @ended
(tuple_expression . (_) . "," @kept . ")")
(tuple_pattern . (_) . "," @kept . ")")
(tuple_type . (_) . "," @kept . ")")
"""

_BUILTINS = """
Some None Ok Err Box Vec String Option Result drop println print eprintln eprint format vec
assert assert_eq assert_ne debug_assert debug_assert_eq panic todo unimplemented unreachable
write writeln matches
"""

NORMAL = NormalRules(
    pairs=(*TRAILING_COMMAS, (b",>", b">"), (b"," + ENDED, ENDED), (ENDED + b",", ENDED))
)

NAMES = ("identifier", "type_identifier", "scoped_identifier", "scoped_type_identifier")
# Types that lend what they hold: a method call on them is one on their content.
POINTERS = frozenset({"Box", "Rc", "Arc"})
# By convention these give an object of the type they are called on.
MAKERS = re.compile(r"new|default|from|with_\w+")


def names(definition: Node) -> Iterator[str]:
    """A definition's name; an underscore is none."""
    named = child(definition, "name")
    if named is not None and (name := text(named)) != "_":
        yield name


def body(definition: Node) -> Node | None:
    """What the declared surface ends at; of a variant, its number."""
    if definition.type == "enum_variant":
        return child(definition, "value")
    if definition.type == "macro_definition":
        return first(definition, "macro_rule")
    fields = child(definition, "body")
    if fields is not None and fields.type == "ordered_field_declaration_list":
        return None
    return fields or child(definition, "value")


def owner(node: Node) -> str:
    """The type that an ``impl`` is for."""
    if node.type != "impl_item":
        return ""
    named = named_type(child(node, "type"))
    return "" if named is None else dotted(text(named)).rpartition(".")[2]


def named_type(node: Node | None) -> Node | None:
    """The name of a type, without references, pointers and parameters."""
    while node is not None and node.type not in NAMES:
        if node.type == "generic_type":
            inner = child(node, "type")
            arguments = child(node, "type_arguments")
            lends = inner is not None and text(inner) in POINTERS and arguments is not None
            node = arguments if lends else inner
        elif node.type in ("reference_type", "pointer_type"):
            node = child(node, "type")
        elif node.named_children and node.type in ("type_arguments", "dynamic_type"):
            node = node.named_children[0]
        else:
            return None
    return node


def read_imports(statement: Node) -> Iterator[RawImport]:
    """Every name that ``use`` or ``extern crate`` binds."""
    at = line(statement)
    if statement.type == "extern_crate_declaration":
        name = child(statement, "name")
        alias = child(statement, "alias") or name
        if name is not None and alias is not None:
            yield RawImport(text(alias), text(name), None, 0, at)
        return
    argument = child(statement, "argument")
    if argument is not None:
        yield from _used(argument, "", at)


def _used(node: Node, path: str, at: int) -> Iterator[RawImport]:
    """The names below one part of a ``use`` tree; ``path`` is what leads there."""
    if node.type == "use_list":
        for part in node.named_children:
            yield from _used(part, path, line(part))
    elif node.type == "scoped_use_list":
        head, inner = child(node, "path"), child(node, "list")
        if inner is not None:
            yield from _used(inner, _joined(path, head), at)
    elif node.type == "use_wildcard":
        head = node.named_children[0] if node.named_children else None
        yield RawImport("*", _joined(path, head), "*", 0, at)
    elif node.type == "use_as_clause":
        yield from _named(_joined(path, child(node, "path")), child(node, "alias"), at)
    elif node.type == "self":
        yield from _named(path, None, at)
    elif not node.type.endswith("comment"):
        yield from _named(_joined(path, node), None, at)


def _named(path: str, alias: Node | None, at: int) -> Iterator[RawImport]:
    module, _, name = path.rpartition("::")
    bound = name if alias is None else text(alias)
    if bound != "_":
        yield RawImport(bound, module or name, name if module else None, 0, at)


def _joined(path: str, node: Node | None) -> str:
    own = "" if node is None else "".join(text(node).split())
    return f"{path}::{own}" if path and own else path or own


def typings(node: Node) -> Iterator[Typing]:
    """The type that a declaration gives, or what makes its value."""
    target = child(node, "pattern") or child(node, "name")
    given, value = named_type(child(node, "type")), child(node, "value")
    if given is None and value is not None and value.type == "struct_expression":
        given = child(value, "name")
    elif given is None and value is not None and value.type == "call_expression":
        called = child(value, "function")
        maker = None if called is None else child(called, "name")
        if called is not None and maker is not None and MAKERS.fullmatch(text(maker)):
            given = child(called, "path")
    if target is not None and given is not None and given.type in NAMES:
        yield Typing(target, given)


def module_name(path: str) -> str:
    """``src/auth/mod.rs`` is ``src.auth``."""
    stem = path.removesuffix(".rs")
    for own in ("/mod", "/lib", "/main"):
        stem = stem.removesuffix(own)
    return stem.replace("/", ".")


def module_files(module: str) -> tuple[str, ...]:
    """Where a module of that path may stand."""
    base = module.replace("::", "/")
    return (f"{base}.rs", f"{base}/mod.rs")


RUST = Language(
    name="rust",
    grammar="rust",
    suffixes=(".rs",),
    query=QUERY,
    normal=NORMAL,
    names=names,
    body=body,
    owner=owner,
    imports=read_imports,
    typings=typings,
    module_name=module_name,
    module_files=module_files,
    own_names=frozenset({"self", "Self"}),
    builtins=frozenset(_BUILTINS.split()),
)
