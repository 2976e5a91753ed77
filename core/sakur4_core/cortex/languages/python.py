"""Python."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sakur4_core.cortex.languages.language import Language, NormalRules, RawImport

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(function_definition name: (identifier) @name) @definition.function
(class_definition name: (identifier) @name) @definition.class
(type_alias_statement left: (type (identifier) @name)) @definition.type
(assignment left: (identifier) @name) @definition.constant
(decorated_definition) @wrapped
(comment) @comment

[(import_statement) (import_from_statement)] @import

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

(assignment left: [(identifier) (attribute)] @typed
  right: (call function: [(identifier) (attribute)] @type))
(assignment left: [(identifier) (attribute)] @typed type: (type [(identifier) (attribute)] @type))
(assignment left: (attribute) @typed right: (identifier) @like)
(typed_parameter . (identifier) @typed type: (type [(identifier) (attribute)] @type))
(typed_default_parameter name: (identifier) @typed type: (type [(identifier) (attribute)] @type))
(as_pattern (call function: [(identifier) (attribute)] @type)
  alias: (as_pattern_target (identifier) @typed))
"""

NORMAL = NormalRules(
    dropped=frozenset({"comment", "line_continuation", ";"}),
    transparent=frozenset({"parenthesized_expression"}),
    dropped_in={
        "parenthesized_expression": frozenset("()"),
        "with_clause": frozenset("(),"),
        "import_from_statement": frozenset("()"),
        "tuple": frozenset("(),"),
        "tuple_pattern": frozenset("(),"),
        "expression_list": frozenset(","),
        "pattern_list": frozenset(","),
    },
    same_as={"expression_list": "tuple", "pattern_list": "tuple", "tuple_pattern": "tuple"},
    closers=frozenset(")]}"),
    comma_matters_in=frozenset({"subscript"}),
    string_open="string_start",
    string_close="string_end",
    string_content="string_content",
)


def read_imports(statement: Node) -> Iterator[RawImport]:
    """Every name that an import statement binds."""
    line = statement.start_point[0] + 1
    origin = statement.child_by_field_name("module_name")
    level, module = (0, "") if origin is None else _split_level(_text(origin))
    for node in statement.children_by_field_name("name"):
        name, alias = _name_and_alias(node)
        if origin is not None:
            yield RawImport(alias or name, module, name, level, line)
        elif alias:
            yield RawImport(alias, name, None, 0, line)
        else:
            # `import a.b` binds `a`; what is reached through it is found part by part.
            yield RawImport(name.partition(".")[0], name, None, 0, line)
    if any(child.type == "wildcard_import" for child in statement.children):
        yield RawImport("*", module, "*", level, line)


def _name_and_alias(node: Node) -> tuple[str, str]:
    if node.type != "aliased_import":
        return _text(node), ""
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    return ("" if name is None else _text(name)), ("" if alias is None else _text(alias))


def _split_level(text: str) -> tuple[int, str]:
    module = text.lstrip(".")
    return len(text) - len(module), module


def _text(node: Node) -> str:
    text = (node.text or b"").decode("utf-8", "replace")
    return "".join(text.split())


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
    imports=read_imports,
    module_name=module_name,
    module_files=module_files,
    own_names=frozenset({"self", "cls"}),
    builtins=frozenset(dir(builtins)) | {"super"},
)
