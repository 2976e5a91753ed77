"""The dense view by the local embedder: vectors whose weights the store's own words teach.

Weights are learned from a store's first turns, as many as the largest power of four that it
has reached. So they depend on nothing but the store, in whatever steps and processes it grew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from sakur4_core.recall.embedding import (
    DIMENSIONS,
    NAME,
    Matrix,
    StaticVectors,
    learned_weights,
    load_static,
)
from sakur4_core.recall.vectors import Vectors

# Up to here the tokens of all turns are kept, so that new weights are applied at once.
KEPT = 4_096


def lesson(turns: int) -> int:
    """How many first turns teach the weights of a store of so many."""
    size = 1
    while size * 4 <= turns:
        size *= 4
    return size if turns else 0


class Meanings:
    """Vectors of all turns of an index, in their order."""

    name = NAME

    def __init__(self, saved: Mapping[str, Any] | None = None) -> None:
        self.vectors = Vectors(DIMENSIONS, saved)
        self._weights: Matrix | None = None if saved is None else saved["weights"]
        self._counts: Any = None if saved is None else saved["counts"].copy()
        self.learned = 0 if saved is None else int(saved["learned"][0])
        self._kept: list[list[int]] | None = [] if saved is None else None

    @property
    def size(self) -> int:
        """How many turns have their vector."""
        return self.vectors.size

    @property
    def outdated(self) -> bool:
        """Whether the store has outgrown what the weights were learned from."""
        return lesson(self.size) > self.learned

    def learn(self, texts: Sequence[str]) -> None:
        """Count tokens of the first turns, before any turn is added (to build in bulk)."""
        static = load_static()
        self._count(static, static.tokens(texts))

    def settle(self, turns: int) -> None:
        """Take what was counted as the lesson of ``turns`` turns."""
        self._weights = learned_weights(self._counts)
        self.learned, self._kept = turns, None

    def append(self, texts: Sequence[str]) -> None:
        """Add turns.

        Raises:
            EmbeddingError: The local embedder cannot be loaded.
        """
        static = load_static()
        tokens = static.tokens(texts)
        if self._kept is None:
            self._add(static, tokens)
            return
        while tokens:
            room = 4 * max(self.learned, 1) - self.size if self.learned else 1
            some, tokens = tokens[:room], tokens[room:]
            self._count(static, some)
            self._kept.extend(some)
            if self.size + len(some) == lesson(self.size + len(some)) <= KEPT:
                self.learned = self.size + len(some)
                self._weights = learned_weights(self._counts)
                self.vectors = Vectors(DIMENSIONS)
                self._add(static, self._kept)
            else:
                self._add(static, some)
            if self.size >= 4 * KEPT:
                self._kept = None
                self._add(static, tokens)
                return

    def query(self, text: str) -> Matrix | None:
        """The vector of a query; None where no token of it means anything."""
        static = load_static()
        if self._weights is None:
            return None
        vector: Matrix = static.embed(static.tokens([text]), self._weights)[0]
        return vector if vector.any() else None

    def saved(self) -> dict[str, Any]:
        """The arrays as they are to be saved."""
        import numpy as np

        return {
            **self.vectors.saved(),
            "weights": self._weights,
            "counts": self._counts,
            "learned": np.array([self.learned], dtype=np.int64),
        }

    def _add(self, static: StaticVectors, tokens: list[list[int]]) -> None:
        assert self._weights is not None
        self.vectors.append(static.embed(tokens, self._weights))

    def _count(self, static: StaticVectors, tokens: list[list[int]]) -> None:
        import numpy as np

        if self._counts is None:
            self._counts = np.zeros(static.vocabulary, dtype=np.int64)
        run = np.fromiter(chain.from_iterable(tokens), np.int64)
        self._counts += np.bincount(run, minlength=static.vocabulary)
