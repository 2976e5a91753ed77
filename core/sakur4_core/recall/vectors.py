"""Vectors of turns in a quarter of their memory, and the nearest among them.

A row is eight-bit integers with one factor. Where many rows are in scope, the signs of the
numbers alone choose who is compared in full: of the exact fifty nearest that keeps .98.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sakur4_core.recall.embedding import Matrix

if TYPE_CHECKING:
    from sakur4_core.recall.bm25 import Floats, Mask

# Rows compared in full without a choice before; about 2 ms.
COMPARED = 20_000
CHOSEN = 4_000
CHUNK = 8_192
FIRST_ROOM = 256


class Part:
    """Rows in a piece: mapped from a file, or growing."""

    def __init__(self, rows: Any, signs: Any, factors: Any, size: int) -> None:
        self.rows, self.signs, self.factors, self.size = rows, signs, factors, size

    @classmethod
    def empty(cls, dimensions: int) -> Part:
        """A piece that will grow."""
        import numpy as np

        return cls(
            np.zeros((FIRST_ROOM, dimensions), np.int8),
            np.zeros((FIRST_ROOM, -(-dimensions // 8)), np.uint8),
            np.zeros(FIRST_ROOM, np.float32),
            0,
        )

    def append(self, vectors: Matrix) -> None:
        import numpy as np

        end = self.size + len(vectors)
        if end > len(self.factors):
            room = max(end, 2 * len(self.factors))
            self.rows, self.signs, self.factors = (
                np.concatenate((old, np.zeros((room - len(old), *old.shape[1:]), old.dtype)))
                for old in (self.rows, self.signs, self.factors)
            )
        most = np.maximum(np.abs(vectors).max(axis=1, initial=0), 1e-9)
        self.rows[self.size : end] = np.rint(vectors * (127 / most)[:, None])
        self.factors[self.size : end] = most / 127
        self.signs[self.size : end] = np.packbits(vectors > 0, axis=1)
        self.size = end

    def cosines(self, query: Matrix, rows: Any) -> Floats:
        import numpy as np

        found = np.empty(len(rows), dtype=np.float32)
        for start in range(0, len(rows), CHUNK):
            some = rows[start : start + CHUNK]
            found[start : start + CHUNK] = self.rows[some].astype(np.float32) @ query
        found *= self.factors[rows]
        return found

    def differing(self, query: Matrix, rows: Any) -> Any:
        """In how many signs each row differs from ``query``."""
        import numpy as np

        wanted = np.packbits(query > 0)
        kind = np.uint64 if len(wanted) % 8 == 0 else np.uint8
        signs = self.signs[: self.size].view(kind)
        found = np.zeros(len(rows), dtype=np.uint16)
        for column, word in enumerate(wanted.view(kind)):
            values = signs[:, column] if len(rows) == self.size else signs[rows, column]
            found += _bits(values ^ word)
        return found


class Vectors:
    """Rows in the order of an index's turns: those that were saved, and those since."""

    def __init__(self, dimensions: int, saved: Mapping[str, Any] | None = None) -> None:
        self._base = Part.empty(dimensions)
        if saved is not None:
            factors = saved["factors"]
            self._base = Part(saved["rows"], saved["signs"], factors, len(factors))
        self._tail = Part.empty(dimensions)

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self._base.size + self._tail.size

    def append(self, vectors: Matrix) -> None:
        """Add rows of unit vectors; a row of zeros is near to nothing."""
        self._tail.append(vectors)

    def nearness(self, query: Matrix, mask: Mask | None) -> tuple[Any, Floats]:
        """Rows in scope that may be near, ascending, and their cosines with ``query``."""
        import numpy as np

        rows = np.arange(self.size) if mask is None else np.flatnonzero(mask[: self.size])
        if len(rows) > COMPARED:
            base, tail = self._halves(rows)
            differing = np.concatenate(
                (self._base.differing(query, base), self._tail.differing(query, tail))
            )
            rows = rows[np.sort(np.argpartition(differing, CHOSEN)[:CHOSEN])]
        return rows, self.cosines(query, rows)

    def cosines(self, query: Matrix, rows: Any) -> Floats:
        """The cosine of each of some rows, ascending, with ``query``."""
        import numpy as np

        base, tail = self._halves(rows)
        return np.concatenate((self._base.cosines(query, base), self._tail.cosines(query, tail)))

    def saved(self) -> dict[str, Any]:
        """The arrays as they are to be saved."""
        import numpy as np

        def both(old: Any, new: Any) -> Any:
            return np.concatenate((old[: self._base.size], new[: self._tail.size]))

        return {
            "rows": both(self._base.rows, self._tail.rows),
            "signs": both(self._base.signs, self._tail.signs),
            "factors": both(self._base.factors, self._tail.factors),
        }

    def _halves(self, rows: Any) -> tuple[Any, Any]:
        import numpy as np

        cut = int(np.searchsorted(rows, self._base.size))
        return rows[:cut], rows[cut:] - self._base.size


def _bits(values: Any) -> Any:
    """How many bits are set; numpy counts them itself from version 2 on."""
    import numpy as np

    if hasattr(np, "bitwise_count"):
        return np.bitwise_count(values)
    octets = np.ascontiguousarray(values).view(np.uint8).reshape(len(values), -1)
    return np.unpackbits(octets, axis=1).sum(axis=1)
