"""Hits within a total of tokens: whole where they fit, else an excerpt that says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sakur4_core.models import Hit
from sakur4_core.workspace import TokenCounter

# Below this many tokens an excerpt says too little to be worth its place.
SHORTEST_EXCERPT = 48
# Tokens kept free for the line that says what was left out.
MARKER_TOKENS = 24


@dataclass(frozen=True, slots=True)
class Fitted:
    """What fits, and what does not."""

    hits: tuple[Hit, ...]
    excerpts: int
    left_out: int
    tokens: int


async def fit(
    hits: Sequence[Hit], budget: int, words: Sequence[str], counter: TokenCounter
) -> Fitted:
    """Fill ``budget`` tokens with hits in their order.

    A hit that does not fit becomes an excerpt of at most half of what is left, so that one
    long tool output does not push all the others out.
    """
    kept: list[Hit] = []
    left, excerpts = budget, 0
    for hit in hits:
        if hit.tokens <= left:
            fitting: Hit | None = hit
        else:
            fitting = await _excerpt(hit, left // 2, words, counter)
            excerpts += fitting is not None
        if fitting is not None:
            kept.append(fitting)
            left -= fitting.tokens
    return Fitted(tuple(kept), excerpts, len(hits) - len(kept), budget - left)


async def _excerpt(
    hit: Hit, limit: int, words: Sequence[str], counter: TokenCounter
) -> Hit | None:
    """``hit`` with a stretch of its text around the query's first word, or None."""
    if limit < SHORTEST_EXCERPT:
        return None
    room = limit - MARKER_TOKENS
    size = max(1, len(hit.text) * room // max(hit.tokens, 1))
    while size > 1:
        text = f"{_around(hit.text, size, words)}\n[an excerpt; {hit.id} holds all]"
        tokens = await counter.measure(text)
        if tokens <= limit:
            return replace(hit, text=text, tokens=tokens)
        size = min(size * limit // tokens, size - 1)
    return None


def _around(text: str, size: int, words: Sequence[str]) -> str:
    """``size`` characters of ``text``, a quarter of them before the first word found."""
    low = text.lower()
    places = [at for word in words if (at := low.find(word)) >= 0]
    start = max(0, min(min(places, default=0) - size // 4, len(text) - size))
    return text[start : start + size]
