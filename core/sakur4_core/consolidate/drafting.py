"""What a turn comes to, in a quarter of its tokens: its own sentences, or a model's words."""

from __future__ import annotations

import asyncio
import re
from typing import Final, NamedTuple

from sakur4_core.consolidate.auxiliary import Auxiliary, AuxiliaryError
from sakur4_core.consolidate.extract import summarise
from sakur4_core.memory.naming import names_in
from sakur4_core.workspace import TokenCounter

EXTRACTIVE: Final = "extractive"
# The share of a turn's tokens that its summary may have, and the bounds of that.
SHARE: Final = 0.25
FEWEST_TOKENS: Final = 40
MOST_TOKENS: Final = 320
# So many failures in a row, and a model is not asked again by this process for a while.
PATIENCE: Final = 2
# Words that a text may use though its source does not; of the longer ones most must be there.
OWN_WORDS: Final = 0.5
_WORD: Final = re.compile(r"[^\W\d_]{5,40}")


class Draft(NamedTuple):
    """A summary that is shorter than its source, and how it came about.

    Attributes:
        how: ``extractive``, or the name of the model that wrote it.
        why: Why a model's words were not taken, where one was asked.
    """

    text: str
    tokens: int
    how: str
    why: str | None = None


class Drafting:
    """Drafts summaries: by an auxiliary model where one is configured, else by extraction."""

    def __init__(self, counter: TokenCounter, auxiliary: Auxiliary | None = None) -> None:
        self._counter = counter
        self._auxiliary = auxiliary
        self._failures = 0

    def begin(self) -> None:
        """A new cycle: a model that failed in the last one is asked again."""
        self._failures = 0

    async def draft(self, source: str) -> Draft | None:
        """The summary of a turn, or None where nothing shorter says enough."""
        whole = await self._counter.measure(source)
        most = min(MOST_TOKENS, max(FEWEST_TOKENS, int(whole * SHARE)))
        why: str | None = None
        if self._auxiliary is not None:
            try:
                return await self._asked(self._auxiliary, source, whole, most)
            except AuxiliaryError as error:
                self._failures += 1
                why = str(error)
        text = await asyncio.to_thread(summarise, source, count=self._counter.count, most=most)
        if text is None:
            return None
        tokens = await self._counter.measure(text)
        return Draft(text, tokens, EXTRACTIVE, why) if tokens < whole else None

    async def _asked(self, auxiliary: Auxiliary, source: str, whole: int, most: int) -> Draft:
        if self._failures >= PATIENCE:
            raise AuxiliaryError("the model failed before in this cycle")
        text = await auxiliary.summarise(source, most)
        tokens = await self._counter.measure(text)
        problem = await asyncio.to_thread(_problem, text, source)
        if tokens >= whole:
            problem = "the model's text is not shorter than the turn"
        if problem is not None:
            raise AuxiliaryError(problem)
        self._failures = 0
        return Draft(text, tokens, auxiliary.name)


def _problem(text: str, source: str) -> str | None:
    """Why a model's text cannot stand for its source, or None."""
    if not text:
        return "the model answered nothing"
    if unknown := next((name for name in names_in(text) if name not in source), None):
        return f"the model names {unknown[:60]}, which the turn does not"
    known = {word.casefold() for word in _WORD.findall(source)}
    words = [word.casefold() for word in _WORD.findall(text)]
    own = sum(word not in known for word in words)
    if not words or own > OWN_WORDS * len(words):
        return "the model's text is about something else than the turn"
    return None
