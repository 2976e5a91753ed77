"""Which files others rest on: PageRank over the edges between files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

DAMPING = 0.85
STEPS = 20


def page_rank(
    paths: Sequence[str], edges: Iterable[tuple[str, str, int]], seeds: Iterable[str]
) -> dict[str, float]:
    """How much of the project rests on each file, seen from ``seeds`` if there are any.

    Args:
        edges: Source, target and number of uses.
    """
    place = {path: index for index, path in enumerate(paths)}
    out: list[list[tuple[int, float]]] = [[] for _ in paths]
    for source, target, count in edges:
        if source in place and target in place:
            out[place[source]].append((place[target], math.sqrt(count)))
    flows = [_shares(targets) for targets in out]
    seeded = sorted(place[path] for path in set(seeds) if path in place)
    start: Sequence[int] = seeded or range(len(paths))
    home = [0.0] * len(paths)
    for index in start:
        home[index] = 1 / len(start)
    rank = home
    for _ in range(STEPS):
        moved = [0.0] * len(paths)
        loose = 0.0
        for mass, flow in zip(rank, flows, strict=True):
            if not flow:
                loose += mass
            else:
                for at, share in flow:
                    moved[at] += mass * share
        back = 1 - DAMPING + DAMPING * loose
        rank = [DAMPING * mass + back * base for mass, base in zip(moved, home, strict=True)]
    return dict(zip(paths, rank, strict=True))


def _shares(targets: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    total = sum(weight for _, weight in targets)
    return [(target, weight / total) for target, weight in targets]
