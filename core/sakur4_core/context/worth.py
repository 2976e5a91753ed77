"""How much an episode is worth keeping whole, as a sum of named reasons."""

from __future__ import annotations

import math
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

# By how far back; farther than this, recency rounds to nothing.
RECENCY_BY_PLACE: Final = (
    *(round(RECENCY * 0.5 ** (back / HALF_LIFE), 2) for back in range(250)),
    0.0,
)

# Read once: a lookup on the enum costs as much as the rest of a value.
_USER: Final = Role.USER


def reasons(frame: Frame, slot: Slot, back: int) -> tuple[Contribution, ...]:
    """Everything that counts for an episode, ``back`` places from the newest; the amounts sum
    to its worth."""
    row = slot.row
    return _reasons(
        min(back, len(RECENCY_BY_PLACE) - 1),
        part_of(row),
        slot.tokens if slot.tokens > LARGE_TOKENS else 0,
        frame.dependants.get(row.seq, 0),
        row.superseded_by,
        row.droppable,
        row.seq in frame.summarised,
    )


# Thousands of episodes share a few hundred sets of reasons.
@lru_cache(maxsize=4_096)
def _reasons(
    back: int,
    part: str,
    tokens: int,
    dependants: int,
    superseded_by: str | None,
    droppable: bool,
    summarised: bool,
) -> tuple[Contribution, ...]:
    found = [
        Contribution("recency", RECENCY_BY_PLACE[back], f"of {RECENCY:g}"),
        Contribution("role", BY_ROLE[part], part),
    ]
    if tokens:
        found.append(Contribution("size", -size_of(tokens), f"{tokens:,} tokens"))
    if dependants:
        note = f"{dependants} derived from it"
        found.append(Contribution("dependants", support_of(dependants), note))
    if superseded_by is not None:
        found.append(Contribution("superseded", SUPERSEDED, f"corrected by {superseded_by}"))
    elif droppable:
        found.append(Contribution("droppable", DROPPABLE, "marked as no longer needed"))
    if summarised:
        found.append(Contribution("summarised", SUMMARISED, "a summary rests on it"))
    return tuple(found)


def part_of(row: WindowRow) -> str:
    """Who an episode counts as: a call belongs to its tool's result."""
    role = row.role
    return "tool" if row.tool_call_id is not None and role is not _USER else role._value_


def mark_of(row: WindowRow) -> float:
    """What it counts that an episode was corrected, or is no longer needed."""
    if row.superseded_by is not None:
        return SUPERSEDED
    return DROPPABLE if row.droppable else 0.0


def size_of(tokens: int) -> float:
    """What an episode of more than ``LARGE_TOKENS`` loses."""
    return round(min(SIZE_AT_MOST, 0.5 * math.log2(tokens / LARGE_TOKENS)), 2)


def support_of(dependants: int) -> float:
    """What an episode gains by what was derived from it."""
    return min(DEPENDANTS_AT_MOST, DEPENDANT * dependants)
