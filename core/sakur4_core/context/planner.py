"""The eviction planner: pure functions over frozen data; the same input gives the same plan.

One cut breaks the cached prefix once, so the plan is chosen from a span that ends at the
newest evictable episode and reaches back only as far as needed. Within it, what is worth
least goes first, rung by rung, until the target is reached; what then turns out not to be
needed stays, the earliest first, because that keeps the longer prefix.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sakur4_core.context.budget import Budget, Profile
from sakur4_core.context.ladder import Ladder
from sakur4_core.context.money import Rates
from sakur4_core.context.prompt import Prompt, Slot
from sakur4_core.context.worth import Worth, contributions, total
from sakur4_core.models import (
    NOT_KNOWN,
    Basis,
    Figure,
    Plan,
    PlanItem,
    Pressure,
    Role,
    Rung,
    Tier,
)
from sakur4_core.store.window import Frame

# About what a stub costs, for judging how far back a span must reach; never shown.
STUB_TOKENS: Final = 16
# Dropping frees no more than archiving, so no plan for tokens goes below it.
LADDER: Final = ((1, Tier.MASKED), (2, Tier.REFERENCED), (3, Tier.ARCHIVED))


# A key and the places in the timeline of the episodes that share it.
Group = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Unit:
    """Episodes that move together: a tool call with its results, or one episode.

    ``places`` are the indices of its episodes in the timeline, in the order of ``slots``.
    """

    key: str
    slots: tuple[Slot, ...]
    places: tuple[int, ...]
    tokens: int

    def value(self, worth: Worth) -> float:
        """The mean of its episodes' values, each by its tokens: a short call weighs little."""
        pairs = zip(self.slots, self.places, strict=True)
        weighted = sum(worth.value(slot, place) * slot.tokens for slot, place in pairs)
        return round(weighted / self.tokens, 2)


@dataclass(frozen=True, slots=True)
class Move:
    """A unit, its value, and a tier at which it may stop, with the tokens saved there."""

    unit: Unit
    value: float
    tier: Tier
    saved: int


@dataclass(frozen=True, slots=True)
class Case:
    """What a plan is made for.

    Attributes:
        prompt: As the next prompt would be rendered now.
        sent_total: Tokens of the prompt as it is sent until an approved plan takes effect.
        anchor_tokens: What the pinned anchors cost.
        rates: The model's prices, or None.
        token_basis: How the prompt's total is known.
    """

    frame: Frame
    prompt: Prompt
    budget: Budget
    profile: Profile
    sent_total: int
    anchor_tokens: int
    rates: Rates | None
    token_basis: Basis

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


def protected(frame: Frame) -> frozenset[int]:
    """Places that no plan may name: the newest turn, the newest user message, a call that
    waits for its result, and an open fold."""
    places: set[int] = set()
    answered: set[str | None] = set()
    for row in reversed(frame.rows):
        if row.role is Role.TOOL:
            answered.add(row.tool_call_id)
        if row.role is Role.USER:
            places.add(row.seq)
            break
        if row.tool_call_id is not None and row.tool_call_id not in answered:
            places.add(row.seq)
    places.update(row.seq for row in frame.rows[-1:])
    if frame.open_fold_seq is not None:
        places.update(row.seq for row in frame.rows if row.seq >= frame.open_fold_seq)
    return frozenset(places)


def candidates(case: Case, without: frozenset[str]) -> tuple[Group, ...]:
    """What may move, in prompt order: what moves together, by its places in the timeline.

    Args:
        without: Ids of episodes to leave alone, each with its whole group.
    """
    kept = protected(case.frame)
    groups: dict[str, list[int]] = {}
    staying: set[str] = set()
    for place, slot in enumerate(case.prompt.timeline):
        row = slot.row
        key = row.episode_id if row.tool_call_id is None else f"call:{row.tool_call_id}"
        groups.setdefault(key, []).append(place)
        if row.seq in kept or row.episode_id in without:
            staying.add(key)
    return tuple((key, tuple(places)) for key, places in groups.items() if key not in staying)


def span(case: Case, groups: Sequence[Group], wanted: float) -> tuple[tuple[Unit, ...], bool]:
    """The shortest run of groups up to the newest whose stubs would free ``wanted`` tokens.

    Returns:
        Its units in prompt order, and whether it is all there is.
    """
    timeline = case.prompt.timeline
    found: list[Unit] = []
    reachable = 0.0
    for key, places in reversed(groups):
        if reachable >= wanted:
            return tuple(reversed(found)), False
        slots = tuple(timeline[place] for place in places)
        tokens = sum(slot.tokens for slot in slots)
        if tokens:
            found.append(Unit(key, slots, places, tokens))
            reachable += max(0, tokens - STUB_TOKENS * len(slots))
    return tuple(reversed(found)), True


def choose(
    case: Case, chosen_from: Sequence[Unit], ladders: Mapping[int, Ladder], deepest: Tier
) -> tuple[Move, ...]:
    """The moves that free the excess, worth least first; all there are where it is not enough."""
    worth = case.worth
    valued = [(unit.value(worth), unit.places[0], unit) for unit in chosen_from]
    valued.sort(key=lambda entry: entry[:2])
    stops: dict[str, tuple[Move, ...]] = {}
    moves: dict[str, Move] = {}
    freed = 0
    for limit in (Tier.REFERENCED, Tier.ARCHIVED):
        for value, _, unit in valued:
            if unit.key not in stops:
                stops[unit.key] = _stops(unit, value, ladders)
            for move in stops[unit.key]:
                if freed >= case.excess:
                    return _spare(moves, stops, freed - case.excess)
                before = moves.get(unit.key)
                saved_before = before.saved if before else 0
                if move.tier.rung <= limit.rung and move.saved > saved_before:
                    freed += move.saved - saved_before
                    moves[unit.key] = move
        if limit is deepest:
            break
    surplus = freed - case.excess
    return _spare(moves, stops, surplus) if surplus >= 0 else tuple(moves.values())


def compose(
    case: Case, moves: Iterable[Move], ladders: Mapping[int, Ladder], notes: Iterable[str]
) -> Plan:
    """The plan that the moves make, with everything it saves and costs."""
    ordered = sorted(moves, key=lambda move: (move.value, move.unit.places[0]))
    items = [item for move in ordered for item in _items(case.worth, move, ladders)]
    before = case.prompt.total
    curve = [before]
    for item in items:
        curve.append(curve[-1] - (item.tokens_before - item.tokens_after))
    changed = {item.seq for item in items if item.tokens_before != item.tokens_after}
    kept = min(
        (slot.offset for slot in case.prompt.timeline if slot.row.seq in changed), default=before
    )
    kept = min(kept, curve[-1])
    freed, rewritten = before - curve[-1], curve[-1] - kept
    turns = break_even(freed, rewritten, *_prices(case)) if items else None
    notes = [*notes]
    if items and case.rates is None:
        notes.append(f"No price is known; the break-even uses {case.profile.name}'s estimates.")
    return Plan(
        session_id=case.prompt.session_id,
        pressure=case.pressure,
        items=tuple(items),
        window=case.budget.window,
        tokens_before=Figure(before, case.token_basis),
        tokens_after=Figure(curve[-1], Basis.PREDICTED),
        tokens_freed=Figure(freed, Basis.PREDICTED),
        target_tokens=case.budget.target,
        trigger_tokens=case.budget.trigger,
        prefix_kept=Figure(kept, Basis.PREDICTED),
        tokens_to_prefill=Figure(rewritten, Basis.PREDICTED),
        price=NOT_KNOWN
        if case.rates is None
        else Figure(round(rewritten * case.rates.cache_write, 6), Basis.PREDICTED),
        break_even_turns=turns,
        savings_curve=tuple(curve),
        profile=case.profile.name,
        reaches_target=curve[-1] <= case.budget.target,
        notes=tuple(notes),
    )


def break_even(freed: int, rewritten: int, read: float, write: float) -> int | None:
    """The smallest number of model calls n with n · freed · read >= rewritten · (write − read).

    None where a plan frees nothing, or a cached read costs nothing, so that it never pays.
    """
    extra = rewritten * max(0.0, write - read)
    if extra == 0:
        return 0 if freed else None
    gain = freed * read
    if gain <= 0:
        return None
    # Rounded against floating noise, so that an exact multiple is not counted one turn late.
    return math.ceil(round(extra / gain, 9))


def _prices(case: Case) -> tuple[float, float]:
    if case.rates is not None:
        return case.rates.cached_read, case.rates.cache_write
    return case.profile.cached_read, case.profile.cache_write


def _stops(unit: Unit, value: float, ladders: Mapping[int, Ladder]) -> tuple[Move, ...]:
    """The tiers at which a unit may stop, from the top: it shrinks, and no member grows."""
    stops: list[Move] = []
    best = unit.tokens
    for rung, tier in LADDER:
        after = 0
        for slot in unit.slots:
            cost = _cost_at(slot, ladders[slot.row.seq], rung)
            if cost > slot.tokens:
                break
            after += cost
        else:
            if after < best:
                stops.append(Move(unit, value, tier, unit.tokens - after))
                best = after
    return tuple(stops)


def _cost_at(slot: Slot, ladder: Ladder, rung: int) -> int:
    return slot.tokens if slot.rung >= rung else ladder.costs[rung]


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


def _items(worth: Worth, move: Move, ladders: Mapping[int, Ladder]) -> Iterator[PlanItem]:
    shrinking = {stop.tier for stop in _stops(move.unit, move.value, ladders)}
    for slot, place in zip(move.unit.slots, move.unit.places, strict=True):
        row, ladder = slot.row, ladders[slot.row.seq]
        rungs = tuple(
            Rung(tier, ladder.costs[rung], tier in shrinking)
            for rung, tier in LADDER
            if slot.rung < rung <= move.tier.rung
        )
        if not rungs:
            continue
        reasons = worth.reasons(slot, place)
        yield PlanItem(
            episode_id=row.episode_id,
            seq=row.seq,
            role=row.role,
            tool_name=row.tool_name,
            preview=ladder.preview,
            tokens_before=slot.tokens,
            tokens_after=rungs[-1].tokens,
            from_tier=slot.tier,
            to_tier=move.tier,
            rungs=rungs,
            value=total(reasons),
            reasons=contributions(reasons),
            group=move.unit.key,
            kept=_kept(move.tier, ladder),
        )


def _kept(tier: Tier, ladder: Ladder) -> str:
    return {Tier.MASKED: ladder.kept, Tier.REFERENCED: "a one-line reference"}.get(tier, "")
