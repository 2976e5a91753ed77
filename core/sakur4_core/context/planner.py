"""The eviction planner: pure functions over frozen data; the same input gives the same plan.

One cut breaks the cached prefix once, so the plan is chosen from a span that ends at the
newest evictable episode and reaches back only as far as needed, or as far as the cache must
be filled again anyway. Within it, what is worth least goes first, rung by rung, until the
target is reached; what then turns out not to be needed stays, the earliest first, because that
keeps the longer prefix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from sakur4_core.context.case import Case
from sakur4_core.context.ladder import Costs
from sakur4_core.context.moves import LADDER, Move
from sakur4_core.context.units import Ints, Units
from sakur4_core.models import Tier

# All units go down as far as this before one goes farther.
_FIRST: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class _Stops:
    """Where units may stop: one row a rung of ``LADDER``.

    Attributes:
        after: What each episode costs there.
        saved: What each unit has freed there; 0 where it may not stop.
    """

    after: Ints
    saved: Ints


def choose(
    case: Case, units: Units, costs: Mapping[int, Costs], deepest: Tier
) -> tuple[Move, ...]:
    """The moves that free the excess, worth least first; all there are where it is not enough."""
    stops = _stops(units, units.costs(case, costs))
    worth = units.worth()
    order = np.argsort(worth, kind="stable")
    reached, freed = _descend(stops.saved, order, case.excess, deepest)
    surplus = freed - case.excess
    rungs = reached.tolist() if surplus < 0 else _spare(reached, stops.saved, surplus)
    return _moves(case, units, stops, worth.tolist(), rungs)


def _stops(units: Units, costs: Ints) -> _Stops:
    """The rungs at which each unit may stop: it shrinks, and no member grows."""
    whole = units.total(units.tokens)
    best = whole
    after, saved = [], []
    for rung, _ in LADDER:
        cost = np.where(units.rungs < rung, costs[:, rung], units.tokens)
        left = units.total(cost)
        grown = units.total((cost > units.tokens).astype(np.int64))
        stops = (grown == 0) & (left < best)
        best = np.where(stops, left, best)
        after.append(cost)
        saved.append(np.where(stops, whole - left, 0))
    return _Stops(np.array(after), np.array(saved))


def _descend(saved: Ints, order: Ints, excess: int, deepest: Tier) -> tuple[Ints, int]:
    """Step down in ``order`` until the excess is free.

    Returns:
        The rung that each unit reaches, or 0, and the tokens that these free together.
    """
    saved = saved[: deepest.rung]
    # What each step frees beyond the steps before it; none where a unit may not stop.
    steps = np.diff(np.maximum.accumulate(saved, axis=0), axis=0, prepend=0)
    turns = _turns(order)[: deepest.rung]
    freed = np.cumsum(steps.ravel()[np.argsort(turns, axis=None)])
    taken = min(freed.size, int(np.searchsorted(freed, excess)) + 1)
    rungs = np.array([rung for rung, _ in LADDER[: deepest.rung]])[:, None]
    reached = np.max(np.where((turns < taken) & (steps > 0), rungs, 0), axis=0, initial=0)
    return reached, int(freed[taken - 1]) if taken else 0


def _turns(order: Ints) -> Ints:
    """When each unit takes each step: all of them the first two rungs, then all the third."""
    turn = np.empty_like(order)
    turn[order] = np.arange(order.size)
    first = [turn * _FIRST + index for index in range(_FIRST)]
    rest = [turn + index * order.size for index in range(_FIRST, len(LADDER))]
    return np.array([*first, *rest])


def _spare(reached: Ints, saved: Ints, surplus: int) -> list[int]:
    """Take back what is not needed, or not so far down, the earliest in the prompt first."""
    rungs: list[int] = reached.tolist()
    columns: list[list[int]] = saved.tolist()
    for unit in np.flatnonzero(reached).tolist():
        there = [column[unit] for column in columns]
        needed = there[rungs[unit] - 1] - surplus
        if needed <= 0:
            surplus, rungs[unit] = -needed, 0
            continue
        milder = next(index for index, freed in enumerate(there) if freed >= needed)
        surplus = there[milder] - needed
        rungs[unit] = milder + 1
    return rungs


def _moves(
    case: Case, units: Units, stops: _Stops, worth: list[int], rungs: list[int]
) -> tuple[Move, ...]:
    """The moves of the units that reach a rung, in prompt order."""
    timeline = case.prompt.timeline
    places, worths = units.places.tolist(), units.worths.tolist()
    bounds = [*units.starts.tolist(), len(places)]
    after, saved = stops.after.tolist(), stops.saved.tolist()
    moves: list[Move] = []
    for unit, rung in enumerate(rungs):
        if not rung:
            continue
        members = slice(bounds[unit], bounds[unit + 1])
        there = tuple(places[members])
        moves.append(
            Move(
                units.keys[unit],
                tuple([timeline[place] for place in there]),
                there,
                worth[unit],
                tuple(worths[members]),
                rung,
                saved[rung - 1][unit],
                tuple(after[rung - 1][members]),
                tuple([step for step, _ in LADDER[:rung] if saved[step - 1][unit]]),
            )
        )
    return tuple(moves)
