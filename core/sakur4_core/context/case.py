"""What a plan is made for: one window, its budget, and where its cache can resume."""

from __future__ import annotations

from dataclasses import dataclass

from sakur4_core.cache.prefix import resume_at
from sakur4_core.context.budget import Budget, Profile
from sakur4_core.context.calibration import Scale
from sakur4_core.context.money import Rates
from sakur4_core.context.prompt import Prompt
from sakur4_core.models import Figure, Pressure
from sakur4_core.store.window import Frame


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
    def excess(self) -> int:
        """Tokens above the target; 0 or less where there is nothing to free."""
        return self.prompt.total - self.budget.target

    def kept(self, changed_at: int) -> int:
        """Tokens of the prefix that the cache keeps when the first change stands there."""
        if self.parted is not None:
            changed_at = min(changed_at, self.parted)
        return resume_at(changed_at, self.checkpoints)
