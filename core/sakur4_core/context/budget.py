"""How large the window is, when a plan is due and how far it goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sakur4_core.models import Basis, Figure, Pressure, counted
from sakur4_core.settings import ContextSettings

# Where nobody says how large the window is: the smallest of these that the session has not
# outgrown. They are the windows that hosted coding models are sold with.
ASSUMED_WINDOWS: Final = (200_000, 400_000, 1_000_000, 2_000_000)


@dataclass(frozen=True, slots=True)
class Profile:
    """When to plan and what to spare.

    Attributes:
        trigger, target: Shares of the window.
        choice: How many times the tokens to free must stand in the span that a plan chooses
            from. 1 keeps the longest prefix; more lets value decide among more episodes.
        cached_read, cache_write: Prices relative to plain input, where the model's own are not
            known: Anthropic's published ratios (0.1 and 1.25), those of OpenAI's GPT-5 family
            (0.1 and 1) and of its GPT-4o family (0.5 and 1).
    """

    name: str
    trigger: float
    target: float
    choice: float
    cached_read: float
    cache_write: float


PROFILES: Final = {
    profile.name: profile
    for profile in (
        Profile("cache-first", 0.75, 0.55, 1.25, 0.1, 1.25),
        Profile("balanced", 0.75, 0.45, 2.0, 0.1, 1.0),
        Profile("window-first", 0.70, 0.30, 4.0, 0.5, 1.0),
    )
}


@dataclass(frozen=True, slots=True)
class Budget:
    """The window in tokens, with its marks.

    Attributes:
        trigger: Where a plan is due.
        target: Where a plan ends.
        anchors: What pinned anchors may fill.
    """

    window: Figure
    trigger: int
    target: int
    anchors: int

    def pressure(self, total: int, anchor_tokens: int) -> Pressure:
        """What the fill means; the receipt and the planner both ask here."""
        if anchor_tokens > self.anchors:
            return Pressure.ANCHOR_OVERFLOW
        return Pressure.COMPACTING if total >= self.trigger else Pressure.RELAXED


def window_size(setting: int | None, largest_known: int, stated: int | None = None) -> Figure:
    """The window: as set, else as the model's server states it, else assumed.

    An assumed window is assumed larger once the session outgrew it.
    """
    if setting is not None:
        return counted(setting)
    if stated is not None:
        return Figure(stated, Basis.MEASURED)
    for assumed in ASSUMED_WINDOWS:
        if largest_known <= assumed:
            return Figure(assumed, Basis.ESTIMATED)
    doubled = ASSUMED_WINDOWS[-1]
    while doubled < largest_known:
        doubled *= 2
    return Figure(doubled, Basis.ESTIMATED)


def budget_of(settings: ContextSettings, window: Figure, target: float | None = None) -> Budget:
    """The marks of a window: the profile's shares, kept clear of the reserve for output.

    Args:
        target: A share of the window to reach instead of the profile's.
    """
    size = int(window.value or 0)
    profile = PROFILES[settings.profile]
    # A reserve set for a large model must not swallow a small one's window.
    usable = size - min(settings.reserve_output, size // 2)
    share = profile.target if target is None else target
    return Budget(
        window=window,
        trigger=min(int(size * profile.trigger), usable),
        target=min(int(size * share), usable),
        anchors=int(size * settings.anchor_budget),
    )
