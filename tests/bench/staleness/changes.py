"""What became of a definition between two trees, by the benchmark's own readers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from python_truth import read_python
from symbols import Symbol, group_of, language_of
from token_truth import read_tokens

UNCHANGED = "file unchanged"
BESIDE = "file changed beside it"
COMMENTS = "comments only"
LAYOUT = "reformatted only"
MOVED = "moved"
TWIN = "deleted, an equal twin elsewhere"
EDITED = "edited"
RENAMED = "renamed"
DELETED = "deleted"
STALE = frozenset({EDITED, RENAMED, DELETED})
ROWS = (UNCHANGED, BESIDE, COMMENTS, LAYOUT, MOVED, TWIN, EDITED, RENAMED, DELETED)

_READ: dict[tuple[str, bytes], tuple[Symbol, ...] | None] = {}


def read_symbols(path: str, data: bytes) -> tuple[Symbol, ...] | None:
    """The definitions of one file; None where it cannot be read with certainty."""
    language = language_of(path)
    if language is None:
        return None
    key = (language, hashlib.blake2b(data, digest_size=16).digest())
    if key not in _READ:
        _READ[key] = read_python(data) if language == "python" else read_tokens(data, language)
    return _READ[key]


class World:
    """The source files of one tree, as they stand when it is made."""

    def __init__(self, folder: Path, paths: Iterable[str]) -> None:
        self.files: dict[str, bytes] = {}
        for path in sorted(paths):
            place = folder / path
            if language_of(path) and place.is_file() and not place.is_symlink():
                self.files[path] = place.read_bytes()

    def symbols(self, path: str) -> tuple[Symbol, ...] | None:
        """The definitions of one file; none where there is no such file."""
        return read_symbols(path, self.files[path]) if path in self.files else ()

    def named(self, path: str, name: str) -> list[Symbol]:
        """The definitions of that name in one file."""
        return [symbol for symbol in self.symbols(path) or () if symbol.name == name]

    def homes(self, wanted: Symbol, language: str, but: str) -> set[str]:
        """The other files that hold an equal definition of the same name."""
        word = wanted.last_name.encode()
        return {
            path
            for path, data in self.files.items()
            if path != but
            and word in data
            and group_of(language_of(path) or "") == group_of(language)
            and any(s.form == wanted.form for s in self.named(path, wanted.name))
        }

    def may_hide(self, wanted: Symbol, language: str) -> bool:
        """Whether a file that cannot be read holds the words of its name."""
        words = [word.encode() for word in wanted.name.split(".")]
        return any(
            all(word in data for word in words)
            and group_of(language_of(path) or "") == group_of(language)
            and self.symbols(path) is None
            for path, data in self.files.items()
        )

    @cached_property
    def paths(self) -> frozenset[str]:
        return frozenset(self.files)


def change_of(anchor: Symbol, path: str, before: World, after: World) -> str | None:
    """The row that a definition belongs to; None where nobody could tell.

    A definition stands where one of its qualified name stands in the same file; of several
    (overloads, a property and its setter, Rust's methods of several traits) an equal one counts.
    Where none is left, an equal one in a file that held none before is where it moved.
    """
    old, new = before.files[path], after.files.get(path)
    if old == new:
        return UNCHANGED
    if after.symbols(path) is None:
        return None
    here = after.named(path, anchor.name)
    equal = [symbol for symbol in here if symbol.form == anchor.form]
    if equal:
        assert new is not None
        return _style(anchor, old, equal, new)
    if here:
        return EDITED
    language = language_of(path) or ""
    homes = after.homes(anchor, language, path)
    if homes - before.homes(anchor, language, path):
        return MOVED
    if homes:
        return TWIN
    if after.may_hide(anchor, language):
        return None
    names = {symbol.name for symbol in before.symbols(path) or ()}
    renamed = any(
        symbol.shape == anchor.shape and symbol.name not in names
        for symbol in after.symbols(path) or ()
    )
    return RENAMED if renamed else DELETED


def _style(anchor: Symbol, old: bytes, equal: list[Symbol], new: bytes) -> str:
    text = old[anchor.start : anchor.end]
    if any(new[symbol.start : symbol.end] == text for symbol in equal):
        return BESIDE
    if any(symbol.comments == anchor.comments for symbol in equal):
        return LAYOUT
    return COMMENTS
