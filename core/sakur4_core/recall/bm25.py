"""BM25 over turns and over blocks of neighbouring turns, from one set of postings.

The figures behind a word's weight (how many turns hold it, how long turns are) are those of
the scope, so a session ranks as if it had the store for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from sakur4_core.recall.postings import COUNT_BITS, MOST, Packed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sakur4_core.recall.turn_index import TurnIndex

Floats: TypeAlias = "NDArray[np.float32]"
Mask: TypeAlias = "NDArray[np.bool_]"

# Robertson's usual constants; .75 measured best over turns of mixed lengths.
K1 = 1.2
B = 0.75
# Sums by term and block are kept in a table while that is small and well filled; else sorted.
DENSE_CELLS = 8_000_000
CELLS_A_KEY = 16
COMMON_FROM = 50_000
COMMON_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Weighted:
    """The postings of one thing that a query asks for, and what it counts."""

    packed: Packed
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Hits:
    """All postings of a query in scope, in one run: whose, where, how often."""

    terms: NDArray[np.int64]
    places: NDArray[np.int64]
    counts: NDArray[np.float64]
    weights: NDArray[np.float64]


def hits_of(asked: Sequence[Weighted], turns: int, mask: Mask | None) -> Hits:
    """The postings of what is asked for, those out of scope left out.

    In a large index a word that every tenth of ``turns`` turns holds is passed over where a
    rarer one is asked for: it tells least and costs most.
    """
    import numpy as np

    if turns >= COMMON_FROM:
        rare = [item for item in asked if len(item.packed) <= COMMON_SHARE * turns]
        asked = rare or asked
    packed = [item.packed for item in asked]
    run = np.concatenate(packed) if packed else np.zeros(0, dtype=np.uint32)
    terms = np.repeat(np.arange(len(packed)), [len(item) for item in packed])
    places = (run >> COUNT_BITS).astype(np.int64)
    if mask is not None:
        inside = np.flatnonzero(mask[places])
        run, terms, places = run[inside], terms[inside], places[inside]
    counts = (run & MOST).astype(np.float64)
    return Hits(terms, places, counts, np.array([item.weight for item in asked]))


def turn_scores(index: TurnIndex, hits: Hits, mask: Mask | None) -> Floats:
    """The BM25 of every turn in scope; 0 where none of the words occurs."""
    import numpy as np

    lengths = index.turns["terms"]
    inside = lengths if mask is None else lengths[mask]
    held = np.bincount(hits.terms, minlength=len(hits.weights))
    gains = _gains(hits, held, len(inside))
    norms = K1 * (1 - B + B / _mean(inside) * lengths[hits.places])
    parts = gains[hits.terms] * hits.counts / (hits.counts + norms)
    scores: Floats = np.bincount(hits.places, parts, len(lengths)).astype(np.float32)
    return scores


def block_scores(index: TurnIndex, hits: Hits, mask: Mask | None) -> Floats:
    """For every triple the BM25 of the block that it begins."""
    import numpy as np

    lengths = _block_lengths(index, mask)
    filled = lengths[lengths > 0]
    terms, blocks, counts = _in_blocks(index, hits)
    held = np.bincount(terms, minlength=len(hits.weights))
    gains = _gains(hits, held, len(filled))
    norms = K1 * (1 - B + B / _mean(filled) * lengths[blocks])
    parts = gains[terms] * counts / (counts + norms)
    scores: Floats = np.bincount(blocks, parts, len(lengths)).astype(np.float32)
    return scores


def _in_blocks(index: TurnIndex, hits: Hits) -> tuple[Any, Any, Any]:
    """How often each term occurs in each block that holds it: terms, blocks, counts."""
    import numpy as np

    own = index.turns["triple"][hits.places]
    earlier = index.triples["before"][own]
    linked = np.flatnonzero(earlier >= 0)
    width = index.triples.size
    keys = np.concatenate((hits.terms * width + own, hits.terms[linked] * width + earlier[linked]))
    amounts = np.concatenate((hits.counts, hits.counts[linked]))
    cells = len(hits.weights) * width
    if cells <= DENSE_CELLS and cells < len(keys) * CELLS_A_KEY:
        sums = np.bincount(keys, amounts, cells)
        found = np.flatnonzero(sums)
        counts = sums[found]
    else:
        found, inverse = np.unique(keys, return_inverse=True)
        counts = np.bincount(inverse, amounts)
    return found // width, found % width, counts


def of_blocks(index: TurnIndex, blocks: Floats) -> Floats:
    """For every turn the better of the two blocks it stands in."""
    import numpy as np

    triples, before = index.turns["triple"], index.triples["before"]
    earlier = np.where(before >= 0, blocks[before], 0)
    best: Floats = np.maximum(blocks, earlier)[triples]
    return best


def _block_lengths(index: TurnIndex, mask: Mask | None) -> Any:
    import numpy as np

    before = index.triples["before"]
    if mask is None:
        own = index.triples["terms"].astype(np.float32)
    else:
        turns = np.flatnonzero(mask)
        own = np.bincount(
            index.turns["triple"][turns], index.turns["terms"][turns], len(before)
        ).astype(np.float32)
    lengths = own.copy()
    linked = np.flatnonzero(before >= 0)
    lengths[before[linked]] += own[linked]
    return lengths


def _gains(hits: Hits, held: Any, total: int) -> Any:
    """What each term's occurrence is worth, by how many of ``total`` texts hold it."""
    import numpy as np

    return hits.weights * np.log(1 + (total - held + 0.5) / (held + 0.5)) * (K1 + 1)


def _mean(lengths: Any) -> float:
    return max(float(lengths.mean()), 1.0) if len(lengths) else 1.0
