"""Several views' scores joined into one ranking that can say how it came about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sakur4_core.models import Contribution

# Reciprocal ranks: the constant that measured best on conversations; 60 is the literature's.
RANK_CONSTANT = 10


class Ref(NamedTuple):
    """A row of one kind."""

    kind: str
    row: int


@dataclass(frozen=True, slots=True)
class View:
    """One way of finding: its scores, higher is better, and its weight in the sum."""

    name: str
    scores: Mapping[Ref, float]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score; ``reasons`` sum to the score."""

    ref: Ref
    score: float
    retrievers: tuple[str, ...]
    reasons: tuple[Contribution, ...]

    def plus(self, name: str, amount: float, note: str = "") -> Ranked:
        """The same with one more reason."""
        return replace(
            self,
            score=self.score + amount,
            reasons=(*self.reasons, Contribution(name, amount, note)),
        )

    def times(self, factor: float, name: str, note: str = "") -> Ranked:
        """The same with its score scaled, the difference as the reason."""
        return self.plus(name, self.score * (factor - 1), note)


def fuse(views: Sequence[View], policy: str) -> list[Ranked]:
    """Join views by ``scaled`` scores (each divided by its view's best) or by ``rrf``.

    Scaled is the default: by ranks a view that knows little overrules one that knows.
    """
    shares = [(view, _scaled(view) if policy == "scaled" else _by_rank(view)) for view in views]
    ranked: dict[Ref, Ranked] = {}
    for view, share in shares:
        for ref, amount in share.items():
            before = ranked.get(ref) or Ranked(ref, 0.0, (), ())
            found = replace(before, retrievers=(*before.retrievers, view.name))
            ranked[ref] = found.plus(view.name, amount)
    return in_order(ranked.values())


def in_order(ranked: Iterable[Ranked]) -> list[Ranked]:
    """Best first; of equals the newer row, whatever order they came in."""
    return sorted(ranked, key=lambda item: (-item.score, item.ref.kind, -item.ref.row))


def _scaled(view: View) -> dict[Ref, float]:
    best = max(view.scores.values(), default=0.0)
    if best <= 0:
        return dict.fromkeys(view.scores, 0.0)
    return {ref: view.weight * score / best for ref, score in view.scores.items()}


def _by_rank(view: View) -> dict[Ref, float]:
    order = sorted(view.scores, key=lambda ref: (-view.scores[ref], ref.kind, -ref.row))
    return {ref: view.weight / (RANK_CONSTANT + rank) for rank, ref in enumerate(order, 1)}
