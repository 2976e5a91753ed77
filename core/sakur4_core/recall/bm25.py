"""BM25 over turns and over blocks of neighbouring turns, from one set of postings.

The figures behind a word's weight (how many turns hold it, how long turns are) are those of
the scope, so a session ranks as if it had the store for itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
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


@dataclass(frozen=True, slots=True)
class Weighted:
    """The postings of one thing that a query asks for, and what it counts."""

    packed: Packed
    weight: float = 1.0


def idf(holders: int, total: int) -> float:
    """The weight of a word that ``holders`` of ``total`` texts hold; never negative."""
    return math.log(1 + (total - holders + 0.5) / (holders + 0.5))


def turn_scores(index: TurnIndex, asked: Sequence[Weighted], mask: Mask | None) -> Floats:
    """The BM25 of every turn in scope; 0 where none of the words occurs."""
    import numpy as np

    lengths = index.turns["terms"]
    scores = np.zeros(len(lengths), dtype=np.float32)
    total = len(lengths) if mask is None else int(mask.sum())
    mean = _mean(lengths if mask is None else lengths[mask])
    for places, counts, weight in _in_scope(asked, mask):
        norm = K1 * (1 - B + B / mean * lengths[places])
        gain = weight * idf(len(places), total) * (K1 + 1)
        scores[places] += gain * (counts / (counts + norm))
    return scores


def block_scores(index: TurnIndex, asked: Sequence[Weighted], mask: Mask | None) -> Floats:
    """For every triple the BM25 of the block that it begins."""
    import numpy as np

    triples, before = index.turns["triple"], index.triples["before"]
    lengths = _block_lengths(index, mask)
    scores = np.zeros(len(lengths), dtype=np.float32)
    held = lengths > 0
    total, mean = int(held.sum()), _mean(lengths[held])
    for places, counts, weight in _in_scope(asked, mask):
        own = triples[places]
        earlier = before[own]
        linked = earlier >= 0
        found = np.bincount(own, counts, len(lengths))
        found += np.bincount(earlier[linked], counts[linked], len(lengths))
        blocks = np.flatnonzero(found)
        amount = found[blocks].astype(np.float32)
        norm = K1 * (1 - B + B / mean * lengths[blocks])
        gain = weight * idf(len(blocks), total) * (K1 + 1)
        scores[blocks] += gain * (amount / (amount + norm))
    return scores


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


def _in_scope(asked: Sequence[Weighted], mask: Mask | None) -> Iterable[tuple[Any, Floats, float]]:
    import numpy as np

    for item in asked:
        places = item.packed >> COUNT_BITS
        counts = (item.packed & MOST).astype(np.float32)
        if mask is not None:
            inside = mask[places]
            places, counts = places[inside], counts[inside]
        if len(places):
            yield places, counts, item.weight


def _mean(lengths: Any) -> float:
    return max(float(lengths.mean()), 1.0) if len(lengths) else 1.0
