"""A definition as the benchmark's own readers see it: the engine takes no part in it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

LANGUAGES = {
    ".py": "python",
    ".pyi": "python",
    ".go": "go",
    ".rs": "rust",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
    ".js": "javascript",
    ".jsx": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
}
FUNCTION, CLASS = "function", "class"


@dataclass(frozen=True, slots=True)
class Symbol:
    """One definition in one file.

    Attributes:
        name: Qualified by the classes and functions around it, not by the module.
        kind: ``function`` or ``class``; the latter is any type with a name.
        form: A hash of what counts: equal forms are the same definition.
        shape: The same without its own name, by which a rename is known.
        comments: Its comments, white space folded.
        start, end: Its bytes, decorators and ``export`` included.
        named_at: The byte at which its own name stands.
        outermost: Whether it stands on its own at the file's level, in the first column.
    """

    name: str
    kind: str
    form: str
    shape: str
    comments: tuple[str, ...]
    start: int
    end: int
    first_line: int
    last_line: int
    named_at: int
    outermost: bool

    @property
    def last_name(self) -> str:
        return self.name.rpartition(".")[2]


def language_of(path: str) -> str | None:
    """The language that a path's ending tells, or None."""
    dot = path.rfind(".")
    return LANGUAGES.get(path[dot:]) if dot >= 0 else None


def group_of(language: str) -> str:
    """The name under which a language is reported."""
    return "typescript" if language == "tsx" else language


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def hashed(parts: Sequence[str]) -> str:
    """A short hash of a form's parts."""
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()
