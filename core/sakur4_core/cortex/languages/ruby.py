"""Ruby, by its declarations and calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sakur4_core.cortex.languages.language import Language
from sakur4_core.cortex.languages.layout import (
    LINE,
    TRAILING_COMMAS,
    NormalRules,
    lines_end_statements,
)
from sakur4_core.cortex.languages.syntax import child, dotted, text

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(class) @definition.class
(module) @definition.trait
[(method) (singleton_method)] @definition.function
(assignment left: (constant)) @definition.constant

(call !receiver method: (identifier) @call)
(call receiver: (constant) method: (identifier) @member_call)
(call receiver: (_) method: (identifier) @member_call)
(superclass [(constant) (scope_resolution)] @inherits)

(comment) @comment
[(string) (heredoc_body) (regex) (simple_symbol)] @string
(interpolation) @code
"""


def names(definition: Node) -> Iterator[str]:
    """A definition's name; ``A::B`` is ``A.B``."""
    named = child(definition, "name") or child(definition, "left")
    if named is not None:
        yield dotted(text(named))


def body(definition: Node) -> Node | None:
    """A definition's body, or what a constant is set to."""
    return child(definition, "body") or child(definition, "right")


RUBY = Language(
    name="ruby",
    grammar="ruby",
    suffixes=(".rb", ".rake", ".gemspec"),
    file_names=("Rakefile", "Gemfile"),
    query=QUERY,
    normal=NormalRules(layout=lines_end_statements, pairs=(*TRAILING_COMMAS, (LINE + LINE, LINE))),
    names=names,
    body=body,
    own_names=frozenset({"self"}),
)
