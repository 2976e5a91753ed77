"""What the cortex has to know of a language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class NormalRules:
    """Which parts of a syntax tree are mere layout.

    Attributes:
        dropped: Node types that never count (comments, line continuations).
        transparent: Node types that count as their content (redundant parentheses).
        dropped_in: Anonymous tokens that do not count directly below a node type.
        same_as: Node types that mean the same as another one.
        closers: Tokens before which a comma is a trailing one ...
        comma_matters_in: ... except directly below these node types.
        string_open: The type of a string's opening token: prefix letters and quotes.
        string_close: The type of its closing token.
        string_content: The type of the text between.
    """

    dropped: frozenset[str]
    transparent: frozenset[str]
    dropped_in: Mapping[str, frozenset[str]]
    same_as: Mapping[str, str]
    closers: frozenset[str]
    comma_matters_in: frozenset[str]
    string_open: str
    string_close: str
    string_content: str


@dataclass(frozen=True, slots=True)
class RawImport:
    """One imported name. ``name`` is None for a whole module and ``*`` for all its names."""

    alias: str
    module: str
    name: str | None
    level: int
    line: int


@dataclass(frozen=True, slots=True)
class Language:
    """One language: its grammar, its query and its rules.

    The query speaks in these captures:

    - ``@definition.<kind>`` with ``@name``: a definition; its body is the node's field ``body``
      (or ``right``). A ``constant`` inside a function is a local name instead.
    - ``@wrapped``: a node that a definition's extent grows to (a decorated definition).
    - ``@comment``: left out of signatures.
    - ``@import``: an import statement, read by ``imports``.
    - ``@call``, ``@inherits``, ``@reference``: a use of a name or of a dotted name.
    - ``@local``: a name that its scope binds to something unknown.
    - ``@free``: a name that its scope declares to be an outer one's.
    - ``@typed`` with ``@type``: a name that its scope binds to an object of that type.
    - ``@typed`` with ``@like``: a name bound to whatever that other name is bound to.

    Attributes:
        module_name: From a path to the dotted name by which others import it.
        module_files: From a dotted name to the relative paths that may define it.
        own_names: Receivers that mean the object itself (``self``).
        builtins: Names that need no definition.
    """

    name: str
    grammar: str
    suffixes: tuple[str, ...]
    query: str
    normal: NormalRules
    imports: Callable[[Node], Iterable[RawImport]]
    module_name: Callable[[str], str]
    module_files: Callable[[str], tuple[str, ...]]
    own_names: frozenset[str] = frozenset()
    builtins: frozenset[str] = field(default_factory=frozenset)
