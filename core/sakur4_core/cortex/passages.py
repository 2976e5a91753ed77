"""Which words of a file stand in which definition: what a query is matched against.

A file's words are indexed definition by definition, each with its own lines and without those
of the definitions inside it, so that a match tells where in the file it stands.
"""

from __future__ import annotations

from collections.abc import Sequence

from sakur4_core.cortex.model import MODULE_SCOPE, Definition, Passage
from sakur4_core.words import search_text

# What stands on fewer lines says too little alone; it belongs to what is around it.
MIN_LINES = 2


def one_passage(text: str) -> tuple[Passage, ...]:
    """A file's words as one passage, its module's."""
    return (Passage(MODULE_SCOPE, search_text(text)),)


def passages(text: str, definitions: Sequence[Definition]) -> tuple[Passage, ...]:
    """A file's words by the innermost definition around them, the module's first.

    Args:
        text: The file's text, line for line where its definitions say.
    """
    lines = text.split("\n")
    owners = [MODULE_SCOPE] * len(lines)
    for index, place in sorted(enumerate(definitions), key=_from_outside_in):
        size = place.line_end - place.line_start + 1
        if index != MODULE_SCOPE and size >= MIN_LINES:
            owners[place.line_start - 1 : place.line_end] = [index] * size
    held: dict[int, list[str]] = {MODULE_SCOPE: []}
    for owner, line in zip(owners, lines, strict=False):
        if line:
            held.setdefault(owner, []).append(line)
    return tuple(Passage(index, search_text("\n".join(held[index]))) for index in sorted(held))


def _from_outside_in(entry: tuple[int, Definition]) -> tuple[int, int]:
    return entry[1].line_start, -entry[1].line_end
