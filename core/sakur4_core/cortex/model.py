"""What a parser reports of one file: plain data that crosses between processes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from sakur4_core.models import FactKind


class FileStatus(StrEnum):
    """What became of a file; the schema checks the same list."""

    PARSED = "parsed"
    UNSUPPORTED = "unsupported"
    TOO_LARGE = "too_large"
    BINARY = "binary"
    UNDECODABLE = "undecodable"
    TIMED_OUT = "timed_out"
    DEGRADED = "degraded"


MODULE_SCOPE = 0
"""The index of the file's own definition; it encloses all others."""


class Definition(NamedTuple):
    """One definition. Lines are 1-based and inclusive, decorators included.

    Attributes:
        parent: The index of the definition around it; -1 for the module itself.
        ordinal: Counts definitions of the same kind and name in one file from 0.
        value: What a constant is set to, shortened, or an export stands for; else None.
    """

    kind: FactKind
    name: str
    qualified_name: str
    ordinal: int
    parent: int
    line_start: int
    line_end: int
    signature: str
    value: str | None
    interface_hash: str
    body_hash: str


class Import(NamedTuple):
    """One imported name, in the scope (a definition's index) that binds it.

    Resolution reads these forms, whatever the language's own spelling:

    - ``module`` as written, its parts joined as the language joins them: ``a.b`` in Python,
      ``./a/b`` or ``pkg/b`` in JavaScript and TypeScript, ``crate::a::b`` in Rust (without the
      last name where ``name`` holds it), ``host/path/pkg`` in Go.
    - ``name`` None: the module itself is bound to ``alias``; ``*``: all its names are (then
      ``alias`` is ``*`` too); ``default``: its default export.
    - A re-export (``export {a as b} from``, ``pub use``) is an import that binds ``b``.
    """

    scope: int
    alias: str
    module: str
    name: str | None
    level: int
    line: int


class Reference(NamedTuple):
    """One use of a name.

    ``receiver`` is what stands before its last dot (``::`` and ``->`` are dots here), or empty:
    a dotted name, ``name()`` for what a call returns, or ``?`` for any other expression.
    """

    kind: str
    scope: int
    receiver: str
    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Scopes:
    """What names mean inside a file, without what stands in other files.

    Attributes:
        local: By scope, names bound to something that is no definition.
        typed: By scope, names (``self.x`` in a class's scope) and the type they were given.
        bases: By class, the names of what it inherits from.
        exports: From a name that the file offers to its own name for it, where they differ.
    """

    imports: tuple[Import, ...] = ()
    local: dict[int, tuple[str, ...]] = field(default_factory=dict)
    typed: dict[int, dict[str, str]] = field(default_factory=dict)
    bases: dict[int, tuple[str, ...]] = field(default_factory=dict)
    exports: dict[str, str] = field(default_factory=dict)


class Passage(NamedTuple):
    """The words of one definition's own lines; ``definition`` is its index."""

    definition: int
    words: str


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """All that is kept of one file.

    Attributes:
        stamp_ns: The later of its times of change, 0 where it cannot be relied on.
        passages: Its words, for the full-text index; none unless it was parsed.
        aside: Whether it is ranked below what it is about: a test, say, or generated.
    """

    path: str
    language: str | None
    status: FileStatus
    detail: str
    size: int
    stamp_ns: int
    hash: str | None
    definitions: tuple[Definition, ...] = ()
    scopes: Scopes = field(default_factory=Scopes)
    references: tuple[Reference, ...] = ()
    passages: tuple[Passage, ...] = ()
    aside: bool = False
