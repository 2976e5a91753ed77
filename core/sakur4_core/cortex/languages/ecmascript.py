"""What JavaScript, TypeScript and TSX share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sakur4_core.cortex.languages.language import RawExport, RawImport, Typing
from sakur4_core.cortex.languages.layout import ENDED, MARK, TRAILING_COMMAS, NormalRules
from sakur4_core.cortex.languages.syntax import child, first, line, text

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = """
[(function_declaration) (generator_function_declaration)] @definition.function
(variable_declarator name: (identifier)
  value: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(export_statement "default"
  value: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(class_declaration) @definition.class
(variable_declarator name: (identifier) value: (class)) @definition.class
(export_statement "default" value: (class)) @definition.class
(export_statement "default" value: [(object) (call_expression) (new_expression)
  (array) (string) (number) (template_string)]) @definition.constant
(method_definition) @definition.method
(variable_declarator) @definition.constant
[(lexical_declaration) (variable_declaration) (export_statement)] @declared
(decorator) @decorator

(import_statement) @import
(export_statement source: (_)) @import
((variable_declarator value: (call_expression function: (identifier) @_name)) @import
  (#eq? @_name "require"))
(export_statement !source) @export
(expression_statement (assignment_expression left: (member_expression))) @export

(call_expression function: [(identifier) (member_expression) (super)] @call)
(new_expression constructor: [(identifier) (member_expression)] @call)
(decorator [(identifier) (member_expression)] @reference)
(arguments (identifier) @reference)
(pair value: (identifier) @reference)

(arrow_function parameter: (identifier) @local)
(shorthand_property_identifier_pattern) @local
(pair_pattern value: (identifier) @local)
(array_pattern (identifier) @local)
(rest_pattern (identifier) @local)
(assignment_pattern left: (identifier) @local)
(object_assignment_pattern left: (shorthand_property_identifier_pattern) @local)
(catch_clause parameter: (identifier) @local)
(for_in_statement left: (identifier) @local)

(variable_declarator value: (new_expression)) @typed
(assignment_expression left: (member_expression object: (this))
  right: [(new_expression) (identifier)]) @typed

(comment) @comment
[(string) (template_string) (regex)] @string
(template_substitution) @code
(parenthesized_expression ["(" ")"] @dropped)
(empty_statement) @dropped
[(binary_expression) (unary_expression) (update_expression) (ternary_expression)
 (assignment_expression) (augmented_assignment_expression) (arrow_function) (await_expression)
 (yield_expression) (sequence_expression) (new_expression) (function_expression) (class)] @grouped
[(if_statement condition: (_) @grouped) (while_statement condition: (_) @grouped)
 (do_statement condition: (_) @grouped) (switch_statement value: (_) @grouped)
 (with_statement object: (_) @grouped)]
(arrow_function parameter: (_) @grouped)
(arrow_function body: (parenthesized_expression (object) @grouped))
(new_expression constructor: (parenthesized_expression
  [(member_expression) (call_expression)] @grouped))
(member_expression object: (parenthesized_expression
  [(member_expression) (call_expression)] @grouped))
(call_expression function: (parenthesized_expression (member_expression) @grouped))
[(expression_statement) (variable_declaration) (lexical_declaration) (return_statement)
 (throw_statement) (break_statement) (continue_statement) (debugger_statement)
 (import_statement) (export_statement) (do_statement)] @ended
"""

JSX = """
(jsx_opening_element name: (member_expression) @reference)
(jsx_self_closing_element name: (member_expression) @reference)
((jsx_opening_element name: (identifier) @reference) (#match? @reference "^[A-Z]"))
((jsx_self_closing_element name: (identifier) @reference) (#match? @reference "^[A-Z]"))
(jsx_text) @words
"""

NORMAL = NormalRules(
    quotes=re.compile(rb"()['\"]"),
    pairs=(
        *TRAILING_COMMAS,
        (b",>", b">"),
        (b";" + ENDED, ENDED),
        (ENDED + b";", ENDED),
        (ENDED + b",", ENDED),
        (ENDED + MARK + b";", ENDED + MARK),
        (ENDED + MARK + b",", ENDED + MARK),
    ),
)

OWN_NAMES = frozenset({"this"})

NAMES = frozenset(
    {
        "computed_property_name",
        "identifier",
        "nested_identifier",
        "number",
        "private_property_identifier",
        "property_identifier",
        "shorthand_property_identifier_pattern",
        "string",
        "type_identifier",
    }
)
TARGETS = NAMES | {"member_expression"}
ENDS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")


def names(definition: Node) -> Iterator[str]:
    """A definition's name, every name that a pattern binds, or ``default``."""
    if definition.type in NAMES:
        yield _plain(definition)
        return
    if definition.type == "export_statement":
        value = child(definition, "value")
        named = None if value is None else child(value, "name")
        yield "default" if named is None else text(named)
        return
    named = child(definition, "name") or child(definition, "property")
    if named is not None and named.type in NAMES:
        yield _plain(named)
    elif named is not None:
        yield from (text(node) for node in bound(named))


def bound(pattern: Node) -> Iterator[Node]:
    """The names that a destructuring pattern binds."""
    for node in pattern.named_children:
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            yield node
        elif node.type == "pair_pattern":
            value = child(node, "value")
            if value is not None and value.type == "identifier":
                yield value
            elif value is not None:
                yield from bound(value)
        elif node.type in ("assignment_pattern", "object_assignment_pattern"):
            left = child(node, "left")
            if left is not None:
                yield left
        elif node.type.endswith("pattern"):
            yield from bound(node)


def body(definition: Node) -> Node | None:
    """A definition's body; of a variable that holds a function, the function's body."""
    value = child(definition, "value")
    if value is not None:
        return child(value, "body") or value
    return child(definition, "body")


def read_imports(statement: Node) -> Iterator[RawImport]:
    """Every name that an import, a re-export or a ``require`` binds."""
    at = line(statement)
    if statement.type == "variable_declarator":
        yield from _required(statement, at)
        return
    required = first(statement, "import_require_clause")
    source = child(required or statement, "source")
    if source is None:
        return
    module = _plain(source)
    clause = first(statement, "import_clause", "export_clause", "namespace_export")
    if required is not None:
        yield RawImport(text(required.named_children[0]), module, None, 0, at)
    elif clause is not None:
        yield from _bound_by_clause(clause, module, at)
    elif statement.type == "export_statement":
        yield RawImport("*", module, "*", 0, at)


def _bound_by_clause(clause: Node, module: str, at: int) -> Iterator[RawImport]:
    if clause.type == "namespace_export":
        yield RawImport(_plain(clause.named_children[0]), module, None, 0, at)
        return
    for node in clause.named_children:
        if node.type == "identifier":
            yield RawImport(text(node), module, "default", 0, at)
        elif node.type == "namespace_import":
            yield RawImport(text(node.named_children[0]), module, None, 0, at)
        for part in (node, *node.named_children):
            if part.type in ("import_specifier", "export_specifier"):
                name, alias = child(part, "name"), child(part, "alias") or child(part, "name")
                if name is not None and alias is not None:
                    yield RawImport(_plain(alias), module, _plain(name), 0, line(part))


def _required(declarator: Node, at: int) -> Iterator[RawImport]:
    """``const a = require("b")`` and ``const {a} = require("b")``."""
    target, call = child(declarator, "name"), child(declarator, "value")
    arguments = None if call is None else child(call, "arguments")
    source = None if arguments is None else first(arguments, "string")
    if target is None or source is None:
        return
    if target.type == "identifier":
        yield RawImport(text(target), _plain(source), None, 0, at)
        return
    for node in target.named_children:
        key, value = child(node, "key") or node, child(node, "value") or node
        yield RawImport(text(value), _plain(source), text(key), 0, at)


def read_exports(statement: Node) -> Iterator[RawExport]:
    """What a statement exports under which name, where another name stands for it."""
    if statement.type == "expression_statement":
        yield from _assigned_export(statement)
        return
    clause = first(statement, "export_clause")
    if clause is not None:
        for part in clause.named_children:
            name, alias = child(part, "name"), child(part, "alias") or child(part, "name")
            if name is not None and alias is not None:
                yield RawExport(_plain(alias), _plain(name), line(part))
        return
    words = {node.type for node in statement.children}
    if "default" in words or "=" in words:
        value = child(statement, "value") or first(statement, "identifier")
        declared = child(statement, "declaration")
        named = value if declared is None else child(declared, "name")
        if named is not None and named.type in ("identifier", "type_identifier"):
            yield RawExport("default", text(named), line(statement))


def _assigned_export(statement: Node) -> Iterator[RawExport]:
    """``module.exports = a`` and ``exports.b = a``."""
    assignment = statement.named_children[0]
    left, right = child(assignment, "left"), child(assignment, "right")
    if left is None or right is None or right.type != "identifier":
        return
    owner, _, name = text(left).rpartition(".")
    if (owner, name) == ("module", "exports"):
        yield RawExport("default", text(right), line(statement))
    elif owner in ("exports", "module.exports"):
        yield RawExport(name, text(right), line(statement))


def typings(node: Node) -> Iterator[Typing]:
    """The type that an annotation gives, or ``new``."""
    target = child(node, "name") or child(node, "pattern") or child(node, "left")
    if target is None or target.type not in TARGETS:
        return
    value = child(node, "value") or child(node, "right")
    given = annotated(child(node, "type"))
    if given is None and value is not None and value.type == "new_expression":
        given = child(value, "constructor")
    member = first(node, "accessibility_modifier") is not None and "parameter" in node.type
    if given is not None and given.type in ("identifier", "member_expression", "type_identifier"):
        yield Typing(target, given)
        if member:
            yield Typing(target, given, member=True)
    elif value is not None and value.type == "identifier" and target.type == "member_expression":
        yield Typing(target, None, value)


def annotated(annotation: Node | None) -> Node | None:
    """The name of the type that an annotation names."""
    node = annotation
    while node is not None and node.type in ("type_annotation", "readonly_type"):
        node = node.named_children[0] if node.named_children else None
    if node is not None and node.type == "generic_type":
        node = child(node, "name")
    return node


def module_name(path: str) -> str:
    """``web/api/index.ts`` is ``web.api``."""
    stem = path
    for end in sorted(ENDS, key=len, reverse=True):
        if path.endswith(end):
            stem = path.removesuffix(end)
            break
    return stem.removesuffix("/index").replace("/", ".")


def module_files(module: str) -> tuple[str, ...]:
    """Where a module of that path may stand, in the order in which bundlers look."""
    return (
        module,
        *(f"{module}{end}" for end in ENDS),
        *(f"{module}/index{end}" for end in ENDS),
    )


def _plain(node: Node) -> str:
    """A name without its quotes and without white space."""
    return "".join(text(node).split()).strip("\"'`")


_BUILTINS = """
Array Object String Number Boolean Symbol Map Set WeakMap WeakSet Promise Proxy Reflect Date
RegExp Error TypeError RangeError Math JSON Intl BigInt console process globalThis window
document fetch setTimeout setInterval clearTimeout clearInterval queueMicrotask parseInt
parseFloat isNaN isFinite encodeURIComponent decodeURIComponent structuredClone require URL
URLSearchParams Buffer
"""
BUILTINS = frozenset(_BUILTINS.split())
