"""One look at a session's window: the prompt as sent and as planned, the fill, the budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sakur4_core.context.budget import Budget, budget_of, window_size
from sakur4_core.context.calibration import Scale
from sakur4_core.context.ladder import Costs
from sakur4_core.context.prompt import (
    FOLD_SUMMARIES,
    PINNED_ANCHORS,
    Prompt,
    assemble,
)
from sakur4_core.models import Basis, Figure
from sakur4_core.settings import ContextSettings
from sakur4_core.store.window import Frame

# Text and unscaled tokens of the parts that are no timeline, by name.
Blocks = Mapping[str, tuple[str, int]]


@dataclass(frozen=True, slots=True)
class View:
    """One look at a session's window.

    Attributes:
        frame: What the store holds of it.
        errors: Places of results whose error is not yet resolved, the newest first.
        scale: What its tokens are multiplied with, and how that is known.
        counter: What counted them.
        blocks: The parts that are no timeline, unscaled.
        costs: Unscaled costs of the rows that are not simply live, by place.
        sent: The prompt as it is sent until an approved plan takes effect.
        planned: The prompt as the next rewrite would render it.
        total: The fill of the window as sent, with how it is known.
    """

    frame: Frame
    errors: tuple[int, ...]
    scale: Scale
    counter: str
    blocks: Blocks
    costs: Mapping[int, Costs]
    sent: Prompt
    planned: Prompt
    total: Figure
    budget: Budget

    @property
    def anchor_tokens(self) -> int:
        """What the pinned anchors cost."""
        return self.sent.block(PINNED_ANCHORS).tokens or 0

    @property
    def waiting(self) -> int:
        """Tokens that approved plans free once they take effect."""
        return self.sent.total - self.planned.total

    def known(self, covered: int) -> int:
        """The unscaled count of all known parts of a prompt whose last episode is ``covered``."""
        return _known(self.frame, self.costs, self.blocks, covered)


def view_of(
    frame: Frame,
    costs: Mapping[int, Costs],
    *,
    errors: tuple[int, ...],
    scale: Scale,
    counter: str,
    blocks: Blocks,
    settings: ContextSettings,
    backend_window: int | None,
) -> View:
    """Assemble the prompt as sent and as planned, and measure it.

    Args:
        backend_window: The window as the model's own server states it, or None.
    """
    scaled = {name: (text, scale.tokens(tokens)) for name, (text, tokens) in blocks.items()}
    remainder = _remainder(frame, costs, blocks, scale, counter)

    def laid_out(*, sent: bool) -> Prompt:
        return assemble(frame, costs, scale=scale, blocks=scaled, remainder=remainder, sent=sent)

    sent = laid_out(sent=True)
    waiting = any(row.sent_rung != row.rung for row in frame.rows)
    planned = laid_out(sent=False) if waiting else sent
    window = window_size(settings.window, max(frame.largest_context, sent.total), backend_window)
    return View(
        frame=frame,
        errors=errors,
        scale=scale,
        counter=counter,
        blocks=blocks,
        costs=costs,
        sent=sent,
        planned=planned,
        total=_fill(frame, sent, scale),
        budget=budget_of(settings, window),
    )


def blocks_of(frame: Frame, anchors: tuple[str, int], folds: tuple[str, int]) -> Blocks:
    """The parts that are no timeline: what was submitted, the anchors, the folds' summaries."""
    given = {part.name: (part.content, part.tokens) for part in frame.parts}
    return {**given, PINNED_ANCHORS: anchors, FOLD_SUMMARIES: folds}


def _remainder(
    frame: Frame, costs: Mapping[int, Costs], blocks: Blocks, scale: Scale, counter: str
) -> int | None:
    """What the newest report measured beyond the parts that are known of its prompt.

    It is the difference to the parts as they are scaled now, so that the total is the measured
    one to the token; what has changed since the report is left to the parts themselves.
    """
    row = frame.usage
    if row is None or row.local_count is None or row.counter != counter:
        return None
    submitted_since = sum(
        part.tokens for part in frame.parts if part.created_at > row.usage.created_at
    )
    now = _known(frame, costs, blocks, row.after_seq)
    changed = now - submitted_since - row.local_count
    return (
        row.usage.context_tokens
        - _known(frame, costs, blocks, row.after_seq, scale)
        + (scale.tokens(changed) if changed >= 0 else -scale.tokens(-changed))
    )


def _known(
    frame: Frame,
    costs: Mapping[int, Costs],
    blocks: Blocks,
    covered: int,
    scale: Scale | None = None,
) -> int:
    """The count of the known parts as sent, each scaled by itself where ``scale`` is given."""
    factor = scale.factor if scale else 1.0
    total = sum(int(tokens * factor + 0.5) for _, tokens in blocks.values())
    for row in frame.rows:
        if row.seq > covered:
            break
        rung = row.sent_rung
        known = costs.get(row.seq)
        count = known[rung] if known else 0 if rung else row.tokens
        total += int(count * factor + 0.5)
    return total


def _fill(frame: Frame, sent: Prompt, scale: Scale) -> Figure:
    """The window's fill: measured while nothing came after the report, else partly counted."""
    if frame.usage is None or sent.head[0].tokens is None:
        return scale.figure(sent.total)
    since = sent.total - frame.usage.usage.context_tokens
    if since == 0:
        return Figure(sent.total, Basis.MEASURED)
    if scale.basis is not Basis.CALIBRATED or scale.error is None:
        return Figure(sent.total, Basis.ESTIMATED)
    # Only what came after the report is uncertain.
    error = round(abs(since) * scale.error / max(1, sent.total), 4)
    return Figure(sent.total, Basis.CALIBRATED, error)
