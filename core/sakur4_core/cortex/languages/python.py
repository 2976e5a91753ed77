"""Python."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sakur4_core.cortex.languages.language import Language, RawImport, Typing
from sakur4_core.cortex.languages.layout import (
    BLOCK_END,
    BLOCK_START,
    LINE,
    TRAILING_COMMAS,
    NormalRules,
    lines_end_statements,
)
from sakur4_core.cortex.languages.syntax import child, first, inside, line, text

if TYPE_CHECKING:
    from tree_sitter import Node

NAMES = ("identifier", "attribute")

QUERY = """
(function_definition) @definition.function
(class_definition) @definition.class
(type_alias_statement) @definition.type
(assignment left: [(identifier) (pattern_list) (tuple_pattern)]) @definition.constant
(decorated_definition) @wrapped

[(import_statement) (import_from_statement) (future_import_statement)] @import

(call function: [(identifier) (attribute)] @call)
(class_definition superclasses: (argument_list [(identifier) (attribute)] @inherits))
(class_definition superclasses: (argument_list
  (subscript value: [(identifier) (attribute)] @inherits)))
(decorator [(identifier) (attribute)] @reference)
(type [(identifier) (attribute)] @reference)
(generic_type (identifier) @reference)
(argument_list (identifier) @reference)
(keyword_argument value: (identifier) @reference)

(parameters [
  (identifier) @local
  (typed_parameter . (identifier) @local)
  (typed_parameter . (_ (identifier) @local))
  (default_parameter name: (identifier) @local)
  (typed_default_parameter name: (identifier) @local)
  (list_splat_pattern (identifier) @local)
  (dictionary_splat_pattern (identifier) @local)
])
(lambda_parameters [
  (identifier) @local
  (default_parameter name: (identifier) @local)
  (list_splat_pattern (identifier) @local)
  (dictionary_splat_pattern (identifier) @local)
])
(pattern_list (identifier) @local)
(tuple_pattern (identifier) @local)
(list_pattern (identifier) @local)
(for_statement left: (identifier) @local)
(for_in_clause left: (identifier) @local)
(as_pattern_target (identifier) @local)
(named_expression name: (identifier) @local)
(assignment left: (attribute) @local)
(global_statement (identifier) @free)
(nonlocal_statement (identifier) @free)

(assignment right: (call)) @typed
(assignment type: (_)) @typed
(assignment left: (attribute) right: (identifier)) @typed
[(typed_parameter) (typed_default_parameter) (as_pattern)] @typed

(comment) @comment
(string) @string
(interpolation) @code
(block) @block
[(binary_operator) (boolean_operator) (comparison_operator) (not_operator) (unary_operator)
 (conditional_expression) (lambda) (await) (yield) (named_expression) (concatenated_string)
 (expression_list) (pattern_list) (with_clause) (union_type)] @grouped
(call arguments: (generator_expression) @grouped)
(parenthesized_expression ["(" ")"] @dropped)
(with_clause ["(" ")"] @dropped)
(import_from_statement ["(" ")"] @dropped)
(class_definition superclasses: (argument_list . "(" @dropped . ")" @dropped))
(tuple . (_) . "," @kept . ")")
(tuple_pattern . (_) . "," @kept . ")")
(expression_list . (_) . "," @kept .)
(pattern_list . (_) . "," @kept .)
(subscript "[" . (_) . "," @kept . "]")
(type_parameter "[" . (_) . "," @kept . "]")
(tuple_pattern . "(" @dropped . (_) . ")" @dropped .)
(subscript "[" . (tuple "(" @dropped (_) ")" @dropped) . "]")
(type_parameter "[" . (type (tuple "(" @dropped (_) ")" @dropped)) . "]")
"""

NORMAL = NormalRules(
    layout=lines_end_statements,
    quotes=re.compile(rb"([A-Za-z]*)('''|\"\"\"|'|\")"),
    pairs=(
        *TRAILING_COMMAS,
        (LINE + LINE, LINE),
        (LINE + BLOCK_START, BLOCK_START),
        (BLOCK_START + LINE, BLOCK_START),
        (LINE + BLOCK_END, BLOCK_END),
        (BLOCK_END + LINE, BLOCK_END),
        (b"," + LINE, LINE),
        (b"," + BLOCK_END, BLOCK_END),
    ),
)


def names(definition: Node) -> Iterator[str]:
    """A definition's name; of an assignment, every name that it binds."""
    named = child(definition, "name") or child(definition, "left")
    if named is None:
        return
    pending = [named]
    while pending:
        node = pending.pop()
        if node.type in ("identifier", "type"):
            yield text(inside(node, "identifier") or node)
        elif node.type in ("pattern_list", "tuple_pattern", "list_pattern"):
            pending.extend(reversed(node.named_children))


def body(definition: Node) -> Node | None:
    """A definition's body; of an assignment, what is assigned."""
    return child(definition, "body") or child(definition, "right")


def typings(node: Node) -> Iterator[Typing]:
    """The types that an assignment, a parameter or a ``with`` target gives."""
    if node.type == "assignment":
        target, value = child(node, "left"), child(node, "right")
        if target is None or target.type not in NAMES:
            return
        if value is not None and value.type == "call":
            yield from _typing(target, child(value, "function"))
        yield from _typing(target, _only(child(node, "type")))
        if target.type == "attribute" and value is not None and value.type == "identifier":
            yield Typing(target, None, value)
    elif node.type == "as_pattern":
        value, alias = first(node, "call"), child(node, "alias")
        target = inside(alias, "identifier")
        if value is not None and target is not None:
            yield from _typing(target, child(value, "function"))
    else:
        target = child(node, "name") or first(node, "identifier")
        if target is not None:
            yield from _typing(target, _only(child(node, "type")))


def _typing(target: Node, given: Node | None) -> Iterator[Typing]:
    if given is not None and given.type in NAMES:
        yield Typing(target, given)


def _only(given: Node | None) -> Node | None:
    return given.named_children[0] if given is not None and given.named_children else None


def read_imports(statement: Node) -> Iterator[RawImport]:
    """Every name that an import statement binds."""
    at = line(statement)
    origin = child(statement, "module_name")
    level, module = (0, "") if origin is None else _split_level(_compact(origin))
    for node in statement.children_by_field_name("name"):
        name, alias = _name_and_alias(node)
        if origin is not None:
            yield RawImport(alias or name, module, name, level, at)
        elif alias:
            yield RawImport(alias, name, None, 0, at)
        else:
            # `import a.b` binds `a`; what is reached through it is found part by part.
            yield RawImport(name.partition(".")[0], name, None, 0, at)
    if first(statement, "wildcard_import") is not None:
        yield RawImport("*", module, "*", level, at)


def _name_and_alias(node: Node) -> tuple[str, str]:
    if node.type != "aliased_import":
        return _compact(node), ""
    name, alias = child(node, "name"), child(node, "alias")
    return ("" if name is None else _compact(name)), ("" if alias is None else _compact(alias))


def _split_level(origin: str) -> tuple[int, str]:
    module = origin.lstrip(".")
    return len(origin) - len(module), module


def _compact(node: Node) -> str:
    return "".join(text(node).split())


def module_name(path: str) -> str:
    """``src/auth/__init__.py`` is ``src.auth``."""
    stem = path.rpartition(".")[0]
    return stem.removesuffix("/__init__").replace("/", ".")


def module_files(dotted: str) -> tuple[str, ...]:
    """Where a module of that name may stand, in the order in which Python looks."""
    base = dotted.replace(".", "/")
    return (f"{base}/__init__.py", f"{base}.py", f"{base}/__init__.pyi", f"{base}.pyi")


PYTHON = Language(
    name="python",
    grammar="python",
    suffixes=(".py", ".pyi"),
    query=QUERY,
    normal=NORMAL,
    names=names,
    body=body,
    imports=read_imports,
    typings=typings,
    module_name=module_name,
    module_files=module_files,
    own_names=frozenset({"self", "cls"}),
    builtins=frozenset(dir(builtins)) | {"super"},
)
