"""Names that data and text files declare, found line by line.

These files are read for what they are called by, not parsed: a name that stands inside a long
string may be taken for one that is declared, and nothing rests on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from sakur4_core.cortex.languages.language import Declared, Language
from sakur4_core.models import FactKind

MAX_NAMES = 400
"""Names kept of one file; a lock file or a data dump declares more than anyone asks for."""

Names = Callable[[str], Iterable[Declared]]


def line_starts(text: str) -> Iterator[tuple[int, str]]:
    """Every line with its 1-based number, without its end."""
    yield from enumerate(text.splitlines(), 1)


def bounded(found: Iterable[Declared]) -> tuple[Declared, ...]:
    """The first names, each once."""
    kept: dict[str, Declared] = {}
    for one in found:
        if len(kept) >= MAX_NAMES:
            break
        if one.name:
            kept.setdefault(one.name, one)
    return tuple(kept.values())


def by_patterns(**patterns: str) -> Names:
    """Names that lines of these forms declare, by kind of fact.

    Groups of a pattern: ``name`` and, where it has one, ``value``. The first that matches counts.
    """
    compiled = [(FactKind(kind), re.compile(p, re.IGNORECASE)) for kind, p in patterns.items()]

    def declares(text: str) -> Iterator[Declared]:
        for number, line in line_starts(text):
            for kind, pattern in compiled:
                match = pattern.match(line)
                if match is not None:
                    value = match.groupdict().get("value")
                    yield Declared(match["name"], value, number, number, kind)
                    break

    return declares


def declared(
    name: str, suffixes: tuple[str, ...], names: Names, file_names: tuple[str, ...] = ()
) -> Language:
    """A language whose files only declare names."""
    return Language(
        name=name, grammar="", suffixes=suffixes, file_names=file_names, declares=names
    )
