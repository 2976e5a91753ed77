"""Which turns hold a term, and how often: saved arrays with a small tail behind them.

A posting is one unsigned 32-bit number: the turn's place in its upper 24 bits, the count in
the lower eight. A list of them is ascending, so the tail's follow the saved ones.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Ints: TypeAlias = "NDArray[np.int64]"
Packed: TypeAlias = "NDArray[np.uint32]"

COUNT_BITS = 8
MOST = (1 << COUNT_BITS) - 1
# What a posting can number: 16.7 million turns.
PLACES = 1 << (32 - COUNT_BITS)


class Vocabulary:
    """Sorted terms in one run of bytes; found by bisection without unpacking them."""

    def __init__(self, text: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self.text = text
        self.ends = ends
        # Single items of a memoryview cost a tenth of an array's.
        self._text = memoryview(text.data)
        self._ends = memoryview(ends.data)

    @classmethod
    def of(cls, terms: list[str]) -> Vocabulary:
        """The vocabulary of terms that are sorted."""
        import numpy as np

        encoded = [term.encode() for term in terms]
        ends = np.cumsum([len(term) for term in encoded], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), ends)

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, place: int) -> bytes:
        start = self._ends[place - 1] if place else 0
        return bytes(self._text[start : self._ends[place]])

    def terms(self) -> list[str]:
        """All of them."""
        return [self[place].decode() for place in range(len(self))]

    def find(self, term: str) -> int | None:
        """The place of a term, or None."""
        encoded = term.encode()
        place = bisect_left(self, encoded)
        return place if place < len(self) and self[place] == encoded else None

    def beginning(self, prefix: str, limit: int) -> Iterator[str]:
        """Terms that begin with ``prefix``, in order, at most ``limit``."""
        encoded = prefix.encode()
        place = bisect_left(self, encoded)
        for at in range(place, min(place + limit, len(self))):
            term = self[at]
            if not term.startswith(encoded):
                return
            yield term.decode()


class Postings:
    """The terms of all turns of an index."""

    def __init__(self, vocabulary: Vocabulary, starts: Ints, packed: Packed) -> None:
        self.vocabulary = vocabulary
        self.starts = starts
        self.packed = packed
        self.tail: dict[str, array[int]] = {}
        self.tail_size = 0
        self._sorted_tail: list[str] = []

    @classmethod
    def empty(cls) -> Postings:
        """No terms yet."""
        import numpy as np

        starts = np.zeros(1, dtype=np.int64)
        return cls(Vocabulary.of([]), starts, np.zeros(0, dtype=np.uint32))

    def add(self, place: int, counts: Mapping[str, int]) -> None:
        """Append one turn."""
        tail = self.tail
        shifted = place << COUNT_BITS
        for term, count in counts.items():
            posting = shifted | (count if count < MOST else MOST)
            if (found := tail.get(term)) is None:
                tail[term] = array("I", (posting,))
            else:
                found.append(posting)
        self.tail_size += len(counts)

    def of(self, term: str) -> Packed:
        """The postings of one term, ascending."""
        import numpy as np

        place = self.vocabulary.find(term)
        saved = self.packed[:0] if place is None else self._slice(place)
        new = self.tail.get(term)
        if new is None:
            return saved
        return np.concatenate((saved, np.array(new, dtype=np.uint32)))

    def holds(self, term: str) -> bool:
        """Whether any turn has the term."""
        return term in self.tail or self.vocabulary.find(term) is not None

    def beginning(self, prefix: str, limit: int) -> list[str]:
        """Terms that begin with ``prefix``, the first ``limit`` in order."""
        # Terms are only ever added, so their number tells whether the order is still right.
        if len(self._sorted_tail) != len(self.tail):
            self._sorted_tail = sorted(self.tail)
        start = bisect_left(self._sorted_tail, prefix)
        new = self._sorted_tail[start : start + limit]
        found = {term for term in new if term.startswith(prefix)}
        found.update(self.vocabulary.beginning(prefix, limit))
        return sorted(found)[:limit]

    def merged(self) -> Postings:
        """The same with the tail worked into the arrays."""
        import numpy as np

        old_terms = self.vocabulary.terms()
        tail = dict(self.tail)
        terms = sorted({*old_terms, *tail})
        sizes = np.diff(self.starts)
        counts = np.zeros(len(terms), dtype=np.int64)
        where = {term: place for place, term in enumerate(terms)}
        old_places = np.fromiter((where[term] for term in old_terms), np.int64, len(old_terms))
        counts[old_places] += sizes
        for term, postings in tail.items():
            counts[where[term]] += len(postings)
        starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts)))
        packed = np.empty(int(starts[-1]), dtype=np.uint32)
        # Saved postings keep their order; each run only moves to where its term begins now.
        shift = starts[old_places] - self.starts[:-1]
        packed[np.arange(len(self.packed)) + np.repeat(shift, sizes)] = self.packed
        for term, postings in tail.items():
            end = starts[where[term] + 1]
            packed[end - len(postings) : end] = postings
        return Postings(Vocabulary.of(terms), starts, packed)

    def _slice(self, place: int) -> Packed:
        return self.packed[self.starts[place] : self.starts[place + 1]]


def arrays(postings: Postings) -> dict[str, Any]:
    """What has to be saved of postings without a tail."""
    return {
        "term_text": postings.vocabulary.text,
        "term_ends": postings.vocabulary.ends,
        "starts": postings.starts,
        "packed": postings.packed,
    }


def from_arrays(saved: Mapping[str, Any]) -> Postings:
    """Postings on saved arrays."""
    return Postings(
        Vocabulary(saved["term_text"], saved["term_ends"]), saved["starts"], saved["packed"]
    )


def total(postings: Iterable[Packed]) -> Packed:
    """Several terms' postings as one term's: the counts of a turn add up."""
    import numpy as np

    every = np.concatenate(list(postings))
    places, inverse = np.unique(every >> COUNT_BITS, return_inverse=True)
    counts = np.minimum(np.bincount(inverse, weights=every & MOST), MOST).astype(np.uint32)
    joined: Packed = (places.astype(np.uint32) << COUNT_BITS) | counts
    return joined
