"""How much an episode is worth keeping whole, as a sum of named reasons."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sakur4_core.context.prompt import Slot
from sakur4_core.models import Contribution, Role
from sakur4_core.store.window import Frame, WindowRow

# The scale: the newest episode gains RECENCY, and half of it for each HALF_LIFE episodes back.
RECENCY: Final = 6.0
HALF_LIFE: Final = 24.0
BY_ROLE: Final = {"user": 3.0, "system": 3.0, "assistant": 1.0, "tool": -0.5}
DEPENDANT: Final = 1.0
DEPENDANTS_AT_MOST: Final = 3.0
# An episode loses half a point for each doubling of its size beyond this, up to a limit.
LARGE_TOKENS: Final = 256
SIZE_AT_MOST: Final = 2.0
SUPERSEDED: Final = -3.0
DROPPABLE: Final = -1.5
SUMMARISED: Final = -1.0

# Farther back, recency rounds to nothing.
_RECENCY: Final = tuple(round(RECENCY * 0.5 ** (back / HALF_LIFE), 2) for back in range(250))

# Read once: a lookup on the enum costs as much as the rest of a value.
_USER: Final = Role.USER

Reason = tuple[str, float, str]

# Thousands of episodes share a few hundred reasons, and a frozen one takes a while to make.
_contribution = lru_cache(maxsize=4_096)(Contribution)


@dataclass(frozen=True, slots=True)
class Worth:
    """Values the episodes of one frame. The newest row stands at ``newest`` from the start."""

    frame: Frame
    newest: int

    def value(self, slot: Slot, place: int) -> float:
        """The sum of the reasons, without their words: it is asked of thousands."""
        row = slot.row
        value = _recency(self.newest - place) + BY_ROLE[_part(row)]
        if slot.tokens > LARGE_TOKENS:
            value -= _size(slot.tokens)
        if row.seq in self.frame.dependants:
            value += _support(self.frame.dependants[row.seq])
        if row.superseded_by is not None:
            value += SUPERSEDED
        elif row.droppable:
            value += DROPPABLE
        if row.seq in self.frame.summarised:
            value += SUMMARISED
        return round(value, 2)

    def reasons(self, slot: Slot, place: int) -> list[Reason]:
        """Name, amount and note of everything that counts; they sum to the value."""
        row, part = slot.row, _part(slot.row)
        reasons: list[Reason] = [
            ("recency", _recency(self.newest - place), f"of {RECENCY:g}"),
            ("role", BY_ROLE[part], part),
        ]
        if slot.tokens > LARGE_TOKENS:
            reasons.append(("size", -_size(slot.tokens), f"{slot.tokens:,} tokens"))
        dependants = self.frame.dependants.get(row.seq, 0)
        if dependants:
            reasons.append(("dependants", _support(dependants), f"{dependants} derived from it"))
        if row.superseded_by is not None:
            reasons.append(("superseded", SUPERSEDED, f"corrected by {row.superseded_by}"))
        elif row.droppable:
            reasons.append(("droppable", DROPPABLE, "marked as no longer needed"))
        if row.seq in self.frame.summarised:
            reasons.append(("summarised", SUMMARISED, "a summary rests on it"))
        return reasons


def contributions(reasons: list[Reason]) -> tuple[Contribution, ...]:
    """Reasons as the models carry them."""
    return tuple([_contribution(*reason) for reason in reasons])


def _recency(back: int) -> float:
    return _RECENCY[back] if back < len(_RECENCY) else 0.0


def _part(row: WindowRow) -> str:
    """Who an episode counts as: a call belongs to its tool's result."""
    role = row.role
    return "tool" if row.tool_call_id is not None and role is not _USER else role._value_


def _size(tokens: int) -> float:
    return round(min(SIZE_AT_MOST, 0.5 * math.log2(tokens / LARGE_TOKENS)), 2)


def _support(dependants: int) -> float:
    return min(DEPENDANTS_AT_MOST, DEPENDANT * dependants)
