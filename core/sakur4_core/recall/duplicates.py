"""Hits that say the same: the best of them stays."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sakur4_core.models import Hit

# Shares of common words from which two texts are the same one; measured between texts that
# differ in a figure or a name, which must both stay.
SAME = 0.95
# Shorter texts are answers such as "yes, please": the same words, but not the same thing.
FEWEST_WORDS = 8
# What of a long text is compared.
COMPARED_CHARS = 20_000

_WORD = re.compile(r"\w+")


def distinct(hits: Sequence[Hit], most: int) -> tuple[list[Hit], int]:
    """The first ``most`` hits that do not repeat a better one, and how many were left out.

    Corrected turns are never taken for their correction: the words are often the same.
    """
    kept: list[tuple[Hit, frozenset[str]]] = []
    repeated = 0
    for hit in hits:
        if len(kept) == most:
            break
        words = frozenset(_WORD.findall(hit.text[:COMPARED_CHARS].lower()))
        if any(_same(hit, words, other, known) for other, known in kept):
            repeated += 1
        else:
            kept.append((hit, words))
    return [hit for hit, _ in kept], repeated


def _same(hit: Hit, words: frozenset[str], other: Hit, known: frozenset[str]) -> bool:
    if hit.kind != other.kind or hit.role != other.role:
        return False
    if hit.superseded_by is not None or other.superseded_by is not None or hit.stale:
        return False
    if hit.text == other.text and len(words) >= FEWEST_WORDS:
        return True
    if min(len(words), len(known)) < FEWEST_WORDS:
        return False
    common = len(words & known)
    return common >= SAME * (len(words) + len(known) - common)
