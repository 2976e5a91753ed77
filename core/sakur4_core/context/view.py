"""One look at a session's window: the prompt as sent and as planned, the fill, the budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sakur4_core.context.budget import Budget, budget_of, window_size
from sakur4_core.context.ladder import Ladder
from sakur4_core.context.prompt import OTHER, PINNED_ANCHORS, Prompt, assemble
from sakur4_core.context.tokens import figure_for
from sakur4_core.models import Basis, Figure, Tier
from sakur4_core.settings import ContextSettings
from sakur4_core.store.window import Frame, WindowRow


@dataclass(frozen=True, slots=True)
class View:
    """One look at a session's window.

    Attributes:
        sent: The prompt as it is sent until an approved plan takes effect.
        planned: The prompt as the next rewrite would render it.
        total: The fill of the window as sent, with how it is known.
    """

    frame: Frame
    sent: Prompt
    planned: Prompt
    total: Figure
    budget: Budget

    @property
    def anchor_tokens(self) -> int:
        """What the pinned anchors cost."""
        return self.sent.block(PINNED_ANCHORS).tokens or 0


def view_of(
    frame: Frame,
    ladders: Mapping[int, Ladder],
    *,
    anchors: tuple[str, int],
    folds: tuple[str, int],
    settings: ContextSettings,
    target: float | None,
) -> View:
    """Assemble the prompt as sent and as planned, and measure it.

    Args:
        anchors, folds: The rendered text and its tokens.
        target: A share of the window for plans to reach instead of the profile's.
    """
    remainder = _remainder(frame)

    def laid_out(tier_of: Callable[[WindowRow], Tier]) -> Prompt:
        return assemble(
            frame, ladders, anchors=anchors, folds=folds, remainder=remainder, tier_of=tier_of
        )

    sent = laid_out(lambda row: row.sent_tier)
    waiting = any(row.sent_tier is not row.tier for row in frame.rows)
    planned = laid_out(lambda row: row.tier) if waiting else sent
    window = window_size(settings.window, max(frame.largest_context, sent.total))
    return View(frame, sent, planned, _fill(frame, sent), budget_of(settings, window, target))


def _remainder(frame: Frame) -> int | None:
    """What the newest report measured beyond the parts known then or submitted since."""
    row = frame.usage
    if row is None or row.local_count is None:
        return None
    later = sum(part.tokens for part in frame.parts if part.created_at > row.usage.created_at)
    return row.usage.context_tokens - row.local_count - later


def _fill(frame: Frame, sent: Prompt) -> Figure:
    """The window's fill: measured while nothing came after the report, else partly counted."""
    if frame.usage is None:
        return figure_for(frame.model, sent.total)
    measured = sent.total == frame.usage.usage.context_tokens
    return Figure(sent.total, Basis.MEASURED if measured else Basis.ESTIMATED)


def known_tokens(prompt: Prompt, covered: int) -> int:
    """What the known parts of a prompt count whose last episode is ``covered``."""
    blocks = (*prompt.head, *prompt.tail)
    return sum(block.tokens or 0 for block in blocks if block.name != OTHER) + sum(
        slot.tokens for slot in prompt.timeline if slot.row.seq <= covered
    )
