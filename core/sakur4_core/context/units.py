"""What may move, as columns: episodes that move together are one unit.

A window holds thousands of episodes and a plan asks the same of each, so what is asked stands in
arrays, unit by unit in prompt order, and only what a plan names becomes objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sakur4_core.context.case import Case
from sakur4_core.context.ladder import Costs
from sakur4_core.context.protection import protected
from sakur4_core.context.worth import (
    BY_ROLE,
    LARGE_TOKENS,
    RECENCY_BY_PLACE,
    SUMMARISED,
    mark_of,
    part_of,
    size_of,
    support_of,
)
from sakur4_core.store.window import Frame

Ints = NDArray[np.int64]

# About what a stub costs, for judging how far back a span must reach; never shown.
STUB_TOKENS: Final = 16
# What makes the key of a call differ from any episode's id.
_CALL: Final = "call:"


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """A tool call with its results, or one episode, each; oldest first.

    Attributes:
        keys: A name for each unit.
        starts: Where the episodes of each unit begin in the columns below.
        places: The place in the timeline of each episode.
        tokens: What it costs as the prompt renders it.
        rungs: How far down it is.
        worths: What it is worth, in hundredths.
        offsets: Where each unit begins in the prompt, in tokens.
    """

    keys: tuple[str, ...]
    starts: Ints
    places: Ints
    tokens: Ints
    rungs: Ints
    worths: Ints
    offsets: Ints

    def __len__(self) -> int:
        return len(self.keys)

    def total(self, column: Ints) -> Ints:
        """The sum of a column of episodes within each unit."""
        if not len(self):
            return np.zeros(0, np.int64)
        return np.add.reduceat(column, self.starts)

    def since(self, first: int) -> Units:
        """The units from ``first`` on."""
        if first == 0:
            return self
        start = len(self.places) if first == len(self) else int(self.starts[first])
        return Units(
            self.keys[first:],
            self.starts[first:] - start,
            self.places[start:],
            self.tokens[start:],
            self.rungs[start:],
            self.worths[start:],
            self.offsets[first:],
        )

    def worth(self) -> Ints:
        """The mean of each unit's episodes, each by its tokens: a short call weighs little."""
        weights = np.maximum(1, self.total(self.tokens))
        return np.rint(self.total(self.worths * self.tokens) / weights).astype(np.int64)

    def costs(self, case: Case, costs: Mapping[int, Costs]) -> Ints:
        """What each episode costs at each rung, scaled: one row an episode, one column a rung."""
        rows = case.frame.rows
        counts = [costs[rows[place].seq] for place in self.places.tolist()]
        table = np.array(counts, np.int64).reshape(-1, 5)
        # Scale.tokens for whole columns.
        return (table * case.scale.factor + 0.5).astype(np.int64)


_EMPTY: Final[Ints] = np.zeros(0, np.int64)
_NONE: Final = Units((), _EMPTY, _EMPTY, _EMPTY, _EMPTY, _EMPTY, _EMPTY)


def candidates(case: Case, without: frozenset[str]) -> Units:
    """What may move.

    Args:
        without: Ids of episodes to leave alone, each with its whole unit.
    """
    rows, timeline = case.frame.rows, case.prompt.timeline
    if not rows:
        return _NONE
    numbers: dict[str, int] = {}
    number = numbers.setdefault
    owners = [
        number(row.episode_id if row.tool_call_id is None else _CALL + row.tool_call_id, place)
        for place, row in enumerate(rows)
    ]
    kept = protected(case.frame, case.errors)
    staying = {
        owner
        for owner, row in zip(owners, rows, strict=True)
        if row.seq in kept or row.episode_id in without
    }
    owner = np.array(owners, np.int64)
    order = np.argsort(owner, kind="stable")
    if staying:
        order = order[~np.isin(owner[order], list(staying))]
    starts = np.flatnonzero(np.diff(owner[order], prepend=-1))
    _, *columns, _ = zip(*timeline, strict=True)
    rungs, offsets, tokens = (np.array(column, np.int64) for column in columns)
    return Units(
        keys=tuple([key for key, first in numbers.items() if first not in staying]),
        starts=starts,
        places=order,
        tokens=tokens[order],
        rungs=rungs[order],
        worths=worths(case.frame, tokens)[order],
        offsets=offsets[order[starts]],
    )


def span(case: Case, units: Units, wanted: float) -> tuple[Units, bool]:
    """The shortest run of units up to the newest whose stubs would free ``wanted`` tokens.

    Where the cache resumes at checkpoints only, the run goes on to the one before it: what
    stands behind that is read again in any case.

    Returns:
        The run, and whether it is all there is.
    """
    sizes = units.total(np.ones_like(units.tokens))
    freed = np.maximum(0, units.total(units.tokens) - STUB_TOKENS * sizes)
    reachable = np.cumsum(freed[::-1])
    back = int(np.searchsorted(reachable, wanted))
    if back >= len(units):
        return units, True
    edge = case.kept(int(units.offsets[len(units) - 1 - back]))
    first = int(np.searchsorted(units.offsets, edge))
    return units.since(first), first == 0


def worths(frame: Frame, tokens: Ints) -> Ints:
    """What each episode of a frame is worth, in hundredths: the sum of its reasons.

    Args:
        tokens: What each costs as the prompt renders it.
    """
    rows = frame.rows
    back = np.arange(len(rows) - 1, -1, -1)
    worth = _cents(RECENCY_BY_PLACE)[np.minimum(back, len(RECENCY_BY_PLACE) - 1)]
    by_part = {part: round(amount * 100) for part, amount in BY_ROLE.items()}
    worth += np.array([by_part[part_of(row)] for row in rows], np.int64)
    for place, row in enumerate(rows):
        if row.droppable or row.superseded_by is not None:
            worth[place] += round(100 * mark_of(row))
    large = np.flatnonzero(tokens > LARGE_TOKENS)
    sizes, which = np.unique(tokens[large], return_inverse=True)
    worth[large] -= _cents([size_of(size) for size in sizes.tolist()])[which]
    seqs = np.array([row.seq for row in rows], np.int64)
    for place in np.flatnonzero(np.isin(seqs, list(frame.dependants))).tolist():
        worth[place] += round(100 * support_of(frame.dependants[rows[place].seq]))
    worth[np.isin(seqs, list(frame.summarised))] += round(100 * SUMMARISED)
    return worth


def _cents(amounts: Iterable[float]) -> Ints:
    return np.array([round(amount * 100) for amount in amounts], np.int64)
