"""What a planner chooses: the ladder of tiers, and how far down it each unit goes."""

from __future__ import annotations

from typing import Final, NamedTuple

from sakur4_core.context.prompt import Slot
from sakur4_core.models import Tier

# Dropping frees no more than archiving, so no plan for tokens goes below it.
LADDER: Final = ((1, Tier.MASKED), (2, Tier.REFERENCED), (3, Tier.ARCHIVED))


class Move(NamedTuple):
    """A unit and the rung that it moves to; a tuple, since there are thousands.

    Attributes:
        places: The places of its episodes in the timeline, in the order of ``slots``.
        worth: What the unit is worth, in hundredths.
        worths: What each of its episodes is.
        saved: The tokens that it frees.
        after: What each of its episodes costs there.
        shrinking: The rungs on the way down to it that save more than the ones above them.
    """

    key: str
    slots: tuple[Slot, ...]
    places: tuple[int, ...]
    worth: int
    worths: tuple[int, ...]
    rung: int
    saved: int
    after: tuple[int, ...]
    shrinking: tuple[int, ...]
