"""From chosen moves to a plan: items with their reasons, the savings curve, and the price."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from sakur4_core.context.captions import Caption
from sakur4_core.context.case import Case
from sakur4_core.context.ladder import Costs
from sakur4_core.context.moves import LADDER, Move
from sakur4_core.context.prompt import TIERS
from sakur4_core.context.worth import reasons
from sakur4_core.models import NOT_KNOWN, Basis, Figure, Plan, PlanItem, Rung


def compose(
    case: Case,
    moves: Iterable[Move],
    costs: Mapping[int, Costs],
    captions: Mapping[int, Caption],
    notes: Iterable[str],
) -> Plan:
    """The plan that the moves make, with everything it saves and costs."""
    ordered = sorted(moves, key=lambda move: (move.worth, move.places[0]))
    items = [item for move in ordered for item in _items(case, move, costs, captions)]
    before = case.prompt.total
    curve = [before]
    for item in items:
        curve.append(curve[-1] - (item.tokens_before - item.tokens_after))
    freed = before - curve[-1]
    kept = min(case.kept(_first_change(case, ordered)), curve[-1])
    rewritten = curve[-1] - kept
    turns = break_even(freed, rewritten, *_prices(case)) if items else None
    notes = [*notes]
    if items and case.rates is None:
        notes.append(f"No price is known; the break-even uses {case.profile.name}'s estimates.")

    def predicted(tokens: float) -> Figure:
        return Figure(tokens, Basis.PREDICTED, case.scale.error)

    return Plan(
        session_id=case.prompt.session_id,
        pressure=case.pressure,
        items=tuple(items),
        window=case.budget.window,
        tokens_before=case.total,
        tokens_after=predicted(curve[-1]),
        tokens_freed=predicted(freed),
        target_tokens=case.budget.target,
        trigger_tokens=case.budget.trigger,
        prefix_kept=predicted(kept),
        tokens_to_prefill=predicted(rewritten),
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


def _first_change(case: Case, moves: Iterable[Move]) -> int:
    """The offset of the first episode whose text the moves change."""
    offsets = [
        slot.offset
        for move in moves
        for slot, after in zip(move.slots, move.after, strict=True)
        if slot.tokens != after
    ]
    return min(offsets, default=case.prompt.total)


def _items(
    case: Case, move: Move, costs: Mapping[int, Costs], captions: Mapping[int, Caption]
) -> Iterator[PlanItem]:
    factor, newest = case.scale.factor, len(case.prompt.timeline) - 1
    for slot, place, worth in zip(move.slots, move.places, move.worths, strict=True):
        row = slot.row
        if slot.rung >= move.rung:
            continue
        rungs = _rungs(slot.rung, move.rung, costs[row.seq], factor, move.shrinking)
        caption = captions[row.seq]
        yield PlanItem(
            row.episode_id,
            row.seq,
            row.role,
            row.tool_name,
            caption.preview,
            slot.tokens,
            rungs[-1].tokens,
            TIERS[slot.rung],
            TIERS[move.rung],
            rungs,
            worth / 100,
            reasons(case.frame, slot, newest - place),
            move.key,
            _kept(move.rung, caption),
        )


# Stubs cost much the same, so that a plan of thousands of items has few different ladders.
@lru_cache(maxsize=8_192)
def _rungs(
    above: int, reached: int, costs: Costs, factor: float, shrinking: tuple[int, ...]
) -> tuple[Rung, ...]:
    """The rungs below ``above`` down to ``reached``."""
    return tuple(
        [
            Rung(tier, int(costs[rung] * factor + 0.5), rung in shrinking)
            for rung, tier in LADDER
            if above < rung <= reached
        ]
    )


def _kept(rung: int, caption: Caption) -> str:
    return {1: caption.kept, 2: "a one-line reference"}.get(rung, "")
