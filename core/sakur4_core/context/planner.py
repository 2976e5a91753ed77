"""The eviction planner: pure functions over frozen data; the same input gives the same plan.

One cut breaks the cached prefix once, so the plan is chosen from a span that ends at the
newest evictable episode and reaches back only as far as needed, or as far as the cache must
be filled again anyway. Within it, what is worth least goes first, rung by rung, until the
target is reached; what then turns out not to be needed stays, the earliest first, because that
keeps the longer prefix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from sakur4_core.cache.prefix import resume_at
from sakur4_core.context.budget import Budget, Profile
from sakur4_core.context.calibration import Scale
from sakur4_core.context.ladder import Costs
from sakur4_core.context.money import Rates
from sakur4_core.context.prompt import Prompt, Slot
from sakur4_core.context.protection import protected
from sakur4_core.context.worth import Worth
from sakur4_core.models import Figure, Pressure, Tier
from sakur4_core.store.window import Frame

# About what a stub costs, for judging how far back a span must reach; never shown.
STUB_TOKENS: Final = 16
# Dropping frees no more than archiving, so no plan for tokens goes below it.
LADDER: Final = ((1, Tier.MASKED), (2, Tier.REFERENCED), (3, Tier.ARCHIVED))

# A key and the places in the timeline of the episodes that share it.
Group = tuple[str, tuple[int, ...]]


class Unit(NamedTuple):
    """Episodes that move together: a tool call with its results, or one episode.

    ``places`` are the indices of its episodes in the timeline, in the order of ``slots``.
    """

    key: str
    slots: tuple[Slot, ...]
    places: tuple[int, ...]
    tokens: int

    def value(self, worth: Worth) -> float:
        """The mean of its episodes' values, each by its tokens: a short call weighs little."""
        weighted = 0.0
        for slot, place in zip(self.slots, self.places, strict=True):
            weighted += worth.value(slot, place) * slot.tokens
        return round(weighted / self.tokens, 2)


class Move(NamedTuple):
    """A unit, its value, and a rung at which it may stop, with the tokens saved there.

    ``after`` are its episodes' tokens there; ``shrinking`` the rungs on the way down to it
    that save more than the ones above them.
    """

    unit: Unit
    value: float
    rung: int
    saved: int
    after: tuple[int, ...]
    shrinking: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """What a plan is made for.

    Attributes:
        prompt: As the next prompt would be rendered now.
        sent: As it is sent until an approved plan takes effect.
        total: The prompt's total, with how it is known.
        errors: Places of results whose error is not resolved, which stay.
        anchor_tokens: What the pinned anchors cost.
        scale: What the costs of episodes are multiplied with.
        rates: The model's prices, or None.
        parted: Where ``sent`` and ``prompt`` part already, in tokens, or None.
        checkpoints: Where the cache can resume, in tokens; None for anywhere.
    """

    frame: Frame
    prompt: Prompt
    budget: Budget
    profile: Profile
    sent_total: int
    total: Figure
    errors: frozenset[int]
    anchor_tokens: int
    scale: Scale
    rates: Rates | None
    parted: int | None = None
    checkpoints: tuple[int, ...] | None = None

    @property
    def pressure(self) -> Pressure:
        """The same answer that the receipt gives."""
        return self.budget.pressure(self.sent_total, self.anchor_tokens)

    @property
    def worth(self) -> Worth:
        """Values the prompt's episodes."""
        return Worth(self.frame, len(self.prompt.timeline) - 1)

    @property
    def excess(self) -> int:
        """Tokens above the target; 0 or less where there is nothing to free."""
        return self.prompt.total - self.budget.target

    def kept(self, changed_at: int) -> int:
        """Tokens of the prefix that the cache keeps when the first change stands there."""
        if self.parted is not None:
            changed_at = min(changed_at, self.parted)
        return resume_at(changed_at, self.checkpoints)


def candidates(case: Case, without: frozenset[str]) -> tuple[Group, ...]:
    """What may move, in prompt order: what moves together, by its places in the timeline.

    Args:
        without: Ids of episodes to leave alone, each with its whole group.
    """
    kept = protected(case.frame, case.errors)
    groups: dict[str, list[int]] = {}
    staying: set[str] = set()
    for place, slot in enumerate(case.prompt.timeline):
        row = slot.row
        key = row.episode_id if row.tool_call_id is None else f"call:{row.tool_call_id}"
        group = groups.get(key)
        if group is None:
            groups[key] = [place]
        else:
            group.append(place)
        if row.seq in kept or row.episode_id in without:
            staying.add(key)
    return tuple([(key, tuple(group)) for key, group in groups.items() if key not in staying])


def span(case: Case, groups: Sequence[Group], wanted: float) -> tuple[tuple[Unit, ...], bool]:
    """The shortest run of groups up to the newest whose stubs would free ``wanted`` tokens.

    Where the cache resumes at checkpoints only, the run goes on to the one before it: what
    stands behind that is read again in any case.

    Returns:
        Its units in prompt order, and whether it is all there is.
    """
    timeline = case.prompt.timeline
    found: list[Unit] = []
    reachable = 0.0
    edge: int | None = None
    for key, places in reversed(groups):
        if reachable >= wanted:
            if edge is None and found:
                edge = case.kept(found[-1].slots[0].offset)
            if edge is None or timeline[places[0]].offset < edge:
                return tuple(reversed(found)), False
        slots = tuple([timeline[place] for place in places])
        tokens = 0
        for slot in slots:
            tokens += slot.tokens
        if tokens:
            found.append(Unit(key, slots, places, tokens))
            reachable += max(0, tokens - STUB_TOKENS * len(slots))
    return tuple(reversed(found)), True


def choose(
    case: Case, chosen_from: Sequence[Unit], costs: Mapping[int, Costs], deepest: Tier
) -> tuple[Move, ...]:
    """The moves that free the excess, worth least first; all there are where it is not enough."""
    worth, factor = case.worth, case.scale.factor
    valued = [(unit.value(worth), unit.places[0], unit) for unit in chosen_from]
    valued.sort()
    stops: dict[str, tuple[Move, ...]] = {}
    moves: dict[str, Move] = {}
    freed = 0
    for limit in (Tier.REFERENCED, Tier.ARCHIVED):
        for value, _, unit in valued:
            if unit.key not in stops:
                stops[unit.key] = stops_of(unit, value, costs, factor)
            for move in stops[unit.key]:
                if freed >= case.excess:
                    return _spare(moves, stops, freed - case.excess)
                before = moves.get(unit.key)
                saved_before = before.saved if before else 0
                if move.rung <= limit.rung and move.saved > saved_before:
                    freed += move.saved - saved_before
                    moves[unit.key] = move
        if limit is deepest:
            break
    surplus = freed - case.excess
    return _spare(moves, stops, surplus) if surplus >= 0 else tuple(moves.values())


def stops_of(
    unit: Unit, value: float, costs: Mapping[int, Costs], factor: float
) -> tuple[Move, ...]:
    """The rungs at which a unit may stop, from the top: it shrinks, and no member grows."""
    stops: list[Move] = []
    best = unit.tokens
    shrinking: tuple[int, ...] = ()
    for rung, _ in LADDER:
        after: list[int] = []
        for slot in unit.slots:
            cost = slot.tokens
            if slot.rung < rung:
                cost = int(costs[slot.row.seq][rung] * factor + 0.5)
                if cost > slot.tokens:
                    break
            after.append(cost)
        else:
            left = sum(after)
            if left < best:
                shrinking = (*shrinking, rung)
                stops.append(Move(unit, value, rung, unit.tokens - left, tuple(after), shrinking))
                best = left
    return tuple(stops)


def _spare(
    moves: Mapping[str, Move], stops: Mapping[str, Sequence[Move]], surplus: int
) -> tuple[Move, ...]:
    """Take back what is not needed, or not so far down, the earliest in the prompt first."""
    kept: list[Move] = []
    for move in sorted(moves.values(), key=lambda move: move.unit.places[0]):
        if move.saved <= surplus:
            surplus -= move.saved
            continue
        milder = next(stop for stop in stops[move.unit.key] if move.saved - stop.saved <= surplus)
        surplus -= move.saved - milder.saved
        kept.append(milder)
    return tuple(kept)
