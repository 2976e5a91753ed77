"""The search over turns: three views, then what the question hints at, in one sum.

Scaled scores are summed by default: by ranks a view that knows little overrules one that
knows. All of it is arithmetic over arrays; only the best become objects that can say why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sakur4_core.models import Contribution
from sakur4_core.recall import bm25
from sakur4_core.recall.asking import Asked, ask
from sakur4_core.recall.fusion import RANK_CONSTANT, Ranked, Ref
from sakur4_core.recall.hints import hints
from sakur4_core.recall.postings import COUNT_BITS
from sakur4_core.recall.turn_index import TurnIndex
from sakur4_core.recall.vectors import Vectors
from sakur4_core.store.recall import EPISODE

if TYPE_CHECKING:
    from sakur4_core.recall.bm25 import Floats, Mask
    from sakur4_core.recall.embedding import Matrix

LEXICAL, CONTEXT, DENSE = "lexical", "context", "dense"
VIEWS = (LEXICAL, CONTEXT, DENSE)
# A view's best scores its weight. Measured on conversations and on code, see docs/benchmarks.md.
WEIGHTS = {LEXICAL: 1.0, CONTEXT: 1.0, DENSE: 0.65}
# A turn that only its meaning speaks for must be nearer than any two texts are by chance.
NEAR = 0.25
# Candidates: 200 turns held 94 % and more of the evidence where that was measured.
CANDIDATES = {LEXICAL: 200, CONTEXT: 360, DENSE: 100}


@dataclass(frozen=True, slots=True)
class Recipe:
    """Which parts a search uses; all of them but in a measurement of the parts."""

    views: tuple[str, ...] = VIEWS
    hints: bool = True
    policy: str = "scaled"


FULL = Recipe()


@dataclass(frozen=True, slots=True)
class Found:
    """The best turns, and the views that were searched."""

    ranked: tuple[Ranked, ...]
    views: tuple[str, ...]


def search(
    index: TurnIndex,
    vectors: Vectors | None,
    text: str,
    query_vector: Matrix | None,
    mask: Mask | None,
    *,
    limit: int,
    recipe: Recipe = FULL,
) -> Found:
    """The ``limit`` best turns in scope for a query.

    Args:
        vectors: The turns' vectors, which may lag behind the index; None without embedder.
        query_vector: The query's vector, of the same embedder.
        mask: Which turns are in scope; None for all. It holds before any limit.
    """
    import numpy as np

    asked = ask(index.postings, text)
    scores = _view_scores(index, asked, vectors, query_vector, mask, recipe.views)
    floors = {DENSE: NEAR}
    pools = [
        _best(values, CANDIDATES[name], floors.get(name, 0.0)) for name, values in scores.items()
    ]
    places = np.unique(np.concatenate(pools)) if pools else np.zeros(0, dtype=np.int64)
    ran = tuple(scores)
    if not len(places):
        return Found((), ran)
    parts = {
        name: _share(values[places], WEIGHTS[name], float(values.max()), recipe.policy)
        for name, values in scores.items()
    }
    held = {name: scores[name][places] > 0 for name in scores}
    if recipe.hints:
        parts.update(hints(index, text, places))
    sums = np.sum(list(parts.values()), axis=0)
    # Of equals the newer turn comes first, in whatever order they were found.
    order = np.lexsort((-places, -sums))[:limit]
    scale = _coverage(asked, int(places[order[0]])) / max(float(sums[order[0]]), 1e-9)
    seqs = index.turns["seq"]
    ranked = [
        Ranked(
            Ref(EPISODE, int(seqs[places[at]])),
            float(sums[at]) * scale,
            tuple(name for name in ran if held[name][at]),
            tuple(
                Contribution(name, float(values[at]) * scale)
                for name, values in parts.items()
                if values[at]
            ),
        )
        for at in order
    ]
    return Found(tuple(ranked), ran)


def _view_scores(
    index: TurnIndex,
    asked: Asked,
    vectors: Vectors | None,
    query_vector: Matrix | None,
    mask: Mask | None,
    views: tuple[str, ...],
) -> dict[str, Floats]:
    """What each view gives every turn; 0 where it does not find it."""
    import numpy as np

    scores: dict[str, Floats] = {}
    hits = bm25.hits_of(asked.all, index.turns.size, mask)
    if LEXICAL in views:
        scores[LEXICAL] = bm25.turn_scores(index, hits, mask)
    if CONTEXT in views:
        blocks = bm25.block_scores(index, hits, mask)
        around = bm25.of_blocks(index, blocks)
        spoken = index.turns["terms"] > 0
        scores[CONTEXT] = np.where(spoken if mask is None else spoken & mask, around, 0)
    if DENSE in views and vectors is not None and vectors.size and query_vector is not None:
        near = np.zeros(index.turns.size, dtype=np.float32)
        rows, cosines = vectors.nearness(query_vector, mask)
        near[rows] = np.maximum(cosines, 0)
        scores[DENSE] = near
    return scores


def _best(values: Floats, limit: int, floor: float) -> Any:
    """The places of the best ``limit`` values above a floor; all that equal the last of them."""
    import numpy as np

    if len(values) > limit:
        least = values[np.argpartition(-values, limit - 1)[:limit]].min()
        if least > floor:
            found = np.flatnonzero(values >= least)
            # Of many equals the newest, so that a flood of copies stays bounded.
            return found if len(found) <= 2 * limit else _newest_of(values, found, limit)
    return np.flatnonzero(values > floor)


def _newest_of(values: Floats, places: Any, limit: int) -> Any:
    import numpy as np

    return np.sort(places[np.lexsort((-places, -values[places]))[:limit]])


def _share(values: Floats, weight: float, best: float, policy: str) -> Floats:
    import numpy as np

    if policy == "scaled":
        scaled: Floats = values * (weight / max(best, 1e-9))
        return scaled
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[np.lexsort((-np.arange(len(values)), -values))] = np.arange(1, len(values) + 1)
    by_rank: Floats = np.where(values > 0, weight / (RANK_CONSTANT + ranks), 0)
    return by_rank.astype(np.float32)


def _coverage(asked: Asked, place: int) -> float:
    """The share of the query's words that a turn holds: what its kind's best hit is worth."""
    import numpy as np

    words = asked.words or asked.names
    if not words:
        return 0.5
    held = 0
    for word in words:
        at = int(np.searchsorted(word.packed, place << COUNT_BITS))
        held += at < len(word.packed) and int(word.packed[at]) >> COUNT_BITS == place
    return max(held, 1) / len(words)
