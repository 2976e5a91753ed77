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
(assignment left: (identifier) right: (lambda)) @definition.function
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
(conditional_expression . (named_expression) @short)
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


# Comments, and what only holds lines together.
_COMMENT = re.compile(r"#[^\n]*|[()\\]")


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
    """A definition's body; of an assignment, what is assigned, or the body of its lambda."""
    value = child(definition, "right")
    if value is not None:
        return child(value, "body") if value.type == "lambda" else value
    return child(definition, "body")


def typings(node: Node) -> Iterator[Typing]:
    """The types that an assignment, a parameter or a ``with`` target gives."""
    kind = node.type
    if kind == "assignment":
        target, value = child(node, "left"), child(node, "right")
        if target is None or (target_kind := target.type) not in NAMES:
            return
        value_kind = "" if value is None else value.type
        given = child(value, "function") if value is not None and value_kind == "call" else None
        if given is not None and given.type in NAMES:
            yield Typing(target, given)
        annotated = _annotated(node)
        if annotated is not None:
            yield Typing(target, annotated)
        if target_kind == "attribute" and value_kind == "identifier":
            yield Typing(target, None, value)
    elif kind == "as_pattern":
        value, target = first(node, "call"), inside(child(node, "alias"), "identifier")
        given = None if value is None else child(value, "function")
        if target is not None and given is not None and given.type in NAMES:
            yield Typing(target, given)
    else:
        target, annotated = child(node, "name") or first(node, "identifier"), _annotated(node)
        if target is not None and annotated is not None:
            yield Typing(target, annotated)


def _annotated(node: Node) -> Node | None:
    """The name in an annotation that is no more than a name."""
    annotation = child(node, "type")
    given = None if annotation is None else annotation.named_child(0)
    return given if given is not None and given.type in NAMES else None


def read_imports(statement: Node) -> Iterator[RawImport]:
    """Every name that an import statement binds.

    The grammar settled that it is one, so its words are enough to go by.
    """
    at = line(statement)
    words = " ".join(_COMMENT.sub(" ", text(statement)).split())
    if words.startswith("import "):
        for part in words.removeprefix("import ").split(","):
            module, _, alias = part.strip().partition(" as ")
            # `import a.b` binds `a`; what is reached through it is found part by part.
            yield RawImport(alias or module.partition(".")[0], module, None, 0, at)
        return
    origin, _, names = words.removeprefix("from").partition(" import ")
    module = origin.replace(" ", "").lstrip(".")
    level = origin.count(".") - module.count(".")
    for part in names.split(","):
        name, _, alias = part.strip().partition(" as ")
        if name:
            yield RawImport(alias or name, module, name, level, at)


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
