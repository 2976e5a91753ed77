"""The reference recipe: FTS5 episodes and vectors joined by reciprocal rank.

Re-made from a description: all words of the query OR-ed, the tokenizer without stems, the
ranks of both views summed with a constant of 10 and weights of 1.0 and .8 (.6 is the graph's,
which has nothing to add where there is no code).
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence

CONSTANT = 10
LEXICAL, DENSE = 1.0, 0.8
CANDIDATES = 30
DIMENSIONS = 256


class Reference:
    """An index of texts that answers as the reference does."""

    def __init__(self, texts: Sequence[str]) -> None:
        import numpy as np
        from sakur4_core.recall.embedding import load_static

        self._db = sqlite3.connect(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE t USING fts5 (text, tokenize = 'unicode61')")
        self._db.executemany("INSERT INTO t (rowid, text) VALUES (?, ?)", enumerate(texts))
        self._static = load_static()
        self._even = np.ones(self._static.vocabulary, dtype=np.float32)
        self._vectors = self._static.embed(self._static.tokens(texts), self._even)

    def search(self, query: str, k: int) -> list[int]:
        """The places of the best texts, best first."""
        import numpy as np

        scores: dict[int, float] = {}
        for rank, row in enumerate(self._matches(query), 1):
            scores[row] = scores.get(row, 0.0) + LEXICAL / (CONSTANT + rank)
        vector = self._static.embed(self._static.tokens([query]), self._even)[0]
        near = self._vectors @ vector
        for rank, row in enumerate(np.argsort(-near, kind="stable")[:CANDIDATES].tolist(), 1):
            scores[row] = scores.get(row, 0.0) + DENSE / (CONSTANT + rank)
        return sorted(scores, key=lambda row: (-scores[row], row))[:k]

    def _matches(self, query: str) -> list[int]:
        words = re.findall(r"\w+", query)
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        rows = self._db.execute(
            "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?", (match, CANDIDATES)
        )
        return [row[0] for row in rows]
