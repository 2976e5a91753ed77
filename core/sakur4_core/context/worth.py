"""How much an episode is worth keeping whole, as a sum of named reasons."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from sakur4_core.context.prompt import Slot
from sakur4_core.models import Contribution, Role
from sakur4_core.store.window import Frame

# The scale: the newest episode gains RECENCY, and half of it for each HALF_LIFE episodes back.
RECENCY: Final = 6.0
HALF_LIFE: Final = 24.0
BY_ROLE: Final = {Role.USER: 3.0, Role.SYSTEM: 3.0, Role.ASSISTANT: 1.0, Role.TOOL: -0.5}
DEPENDANT: Final = 1.0
DEPENDANTS_AT_MOST: Final = 3.0
# An episode loses half a point for each doubling of its size beyond this, up to a limit.
LARGE_TOKENS: Final = 256
SIZE_AT_MOST: Final = 2.0
SUPERSEDED: Final = -3.0
DROPPABLE: Final = -1.5
SUMMARISED: Final = -1.0

Reason = tuple[str, float, str]


@dataclass(frozen=True, slots=True)
class Worth:
    """Values the episodes of one frame. The newest row stands at ``newest`` from the start."""

    frame: Frame
    newest: int

    def reasons(self, slot: Slot, place: int) -> list[Reason]:
        """Name, amount and note of everything that counts; they sum to the value."""
        row = slot.row
        tool = row.tool_call_id is not None and row.role is not Role.USER
        recency = RECENCY * 0.5 ** ((self.newest - place) / HALF_LIFE)
        reasons: list[Reason] = [
            ("recency", round(recency, 2), f"of {RECENCY:g}"),
            ("role", BY_ROLE[Role.TOOL if tool else row.role], "tool" if tool else row.role.value),
        ]
        if slot.tokens > LARGE_TOKENS:
            size = min(SIZE_AT_MOST, 0.5 * math.log2(slot.tokens / LARGE_TOKENS))
            reasons.append(("size", -round(size, 2), f"{slot.tokens:,} tokens"))
        dependants = self.frame.dependants.get(row.seq, 0)
        if dependants:
            amount = min(DEPENDANTS_AT_MOST, DEPENDANT * dependants)
            reasons.append(("dependants", amount, f"{dependants} derived from it"))
        if row.superseded_by is not None:
            reasons.append(("superseded", SUPERSEDED, f"corrected by {row.superseded_by}"))
        elif row.droppable:
            reasons.append(("droppable", DROPPABLE, "marked as no longer needed"))
        if row.seq in self.frame.summarised:
            reasons.append(("summarised", SUMMARISED, "a summary rests on it"))
        return reasons

    def value(self, slot: Slot, place: int) -> float:
        """The sum of the reasons."""
        return total(self.reasons(slot, place))


def total(reasons: list[Reason]) -> float:
    """The value that the reasons make."""
    return round(sum(amount for _, amount, _ in reasons), 2)


def contributions(reasons: list[Reason]) -> tuple[Contribution, ...]:
    """Reasons as the models carry them."""
    return tuple(Contribution(*reason) for reason in reasons)
