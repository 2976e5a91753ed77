"""What the cortex has to know of a language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from sakur4_core.cortex.languages.layout import PLAIN_RULES, NormalRules
from sakur4_core.cortex.languages.syntax import child, text
from sakur4_core.models import FactKind

if TYPE_CHECKING:
    from tree_sitter import Node


class RawImport(NamedTuple):
    """One imported name. ``name`` is None for a whole module and ``*`` for all its names.

    Attributes:
        level: How many folders up from the importing file the search starts, plus one; 0 where
            it does not start at the importing file.
    """

    alias: str
    module: str
    name: str | None
    level: int
    line: int


class RawExport(NamedTuple):
    """The name under which a file offers what it calls ``name`` itself."""

    alias: str
    name: str
    line: int


class Declared(NamedTuple):
    """A name that a data file declares, its value where it has a plain one, and its lines."""

    name: str
    value: str | None
    line_start: int
    line_end: int
    kind: FactKind = FactKind.CONSTANT


class Typing(NamedTuple):
    """A name, the node of the type it gets, or else the node of the name it is set to.

    ``member``: the name is one of the type around it, though it stands elsewhere.
    """

    target: Node
    type: Node | None
    like: Node | None = None
    member: bool = False


def field_names(definition: Node) -> Iterator[str]:
    """What the field ``name`` says."""
    for node in definition.children_by_field_name("name"):
        yield text(node)


def field_body(definition: Node) -> Node | None:
    """What stands in the field ``body``, or ``value``."""
    return child(definition, "body") or child(definition, "value")


def no_imports(_: Node) -> Iterable[RawImport]:
    """The imports of a language whose imports are not read."""
    return ()


def no_exports(_: Node) -> Iterable[RawExport]:
    """The exports of a language in which every name is its own."""
    return ()


def untyped(_: Node) -> Iterable[Typing]:
    """The typings of a language whose types are not read."""
    return ()


def path_as_name(path: str) -> str:
    """``src/auth/session.rs`` is ``src.auth.session``."""
    return path.rpartition(".")[0].replace("/", ".")


def no_files(_: str) -> tuple[str, ...]:
    """The files of a module of a language whose modules are not followed."""
    return ()


@dataclass(frozen=True, slots=True)
class Language:
    """One language: its grammar, its query and its rules.

    The query speaks in these captures. Of definitions:

    - ``@definition.<kind>``: a definition. A ``constant`` (any named value) inside a function
      is a local name instead.
    - ``@owner``: what holds definitions for a type that stands elsewhere (Rust's ``impl``).
    - ``@wrapped``: a node around a definition that counts to its extent (its decorators).
    - ``@declared``: the same, and counts to its signature (``export``, ``const``).
    - ``@decorator``: a sibling before a definition that counts to its extent.

    Of names:

    - ``@import``: an import statement, read by ``imports``.
    - ``@export``: a statement that may export, read by ``exports``.
    - ``@call``, ``@inherits``, ``@reference``: a use of a name or of a dotted name.
    - ``@member_call``: a call's last name, where its receiver is not read.
    - ``@local``: a name that its scope binds to something unknown.
    - ``@free``: a name that its scope declares to be an outer one's.
    - ``@typed``: a node that gives names a type, read by ``typings``.

    Of the normal form, as :mod:`sakur4_core.cortex.normal_form` reads them: ``@comment``,
    ``@dropped``, ``@kept``, ``@grouped``, ``@block``, ``@ended``, ``@string``, ``@code`` and
    ``@words``.

    Attributes:
        suffixes: Ends of file names, with their dot.
        file_names: Whole names of files.
        query: Empty where ``declares`` reads the text instead.
        declares: Finds the names that a data file declares.
        names: From a definition's node to its dotted name, or names.
        body: From a definition's node to what its declared surface ends at.
        owner: From a node to the name of the type that its definitions belong to, or empty.
        module_name: From a path to the dotted name by which others import it.
        module_files: From a dotted name to the relative paths that may define it.
        own_names: Receivers that mean the object itself (``self``).
        builtins: Names that need no definition.
    """

    name: str
    grammar: str
    suffixes: tuple[str, ...]
    query: str = ""
    normal: NormalRules = PLAIN_RULES
    file_names: tuple[str, ...] = ()
    declares: Callable[[str], Iterable[Declared]] | None = None
    names: Callable[[Node], Iterable[str]] = field_names
    body: Callable[[Node], Node | None] = field_body
    owner: Callable[[Node], str] | None = None
    imports: Callable[[Node], Iterable[RawImport]] = no_imports
    exports: Callable[[Node], Iterable[RawExport]] = no_exports
    typings: Callable[[Node], Iterable[Typing]] = untyped
    module_name: Callable[[str], str] = path_as_name
    module_files: Callable[[str], tuple[str, ...]] = no_files
    own_names: frozenset[str] = frozenset()
    builtins: frozenset[str] = field(default_factory=frozenset)

    @property
    def source(self) -> str:
        """What stands behind this language's facts, as the schema names it."""
        return "tree-sitter" if self.declares is None else "declared"
