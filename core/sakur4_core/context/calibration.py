"""How a model's own tokens relate to the local count, learned from what providers report.

A report is ``factor * local + offset``: the offset is what a prompt holds beyond the parts that
are known here (system prompt, tool schemas, a compaction's summary), and is the same for all
reports of one session between two compactions. So the factor is the slope between two such
reports, and the median of the slopes is not moved by a few wrong ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sakur4_core.context.tokens import has_own_tokenizer
from sakur4_core.models import Basis, Figure
from sakur4_core.store.usage import Report

# Fewer slopes, or slopes over less text, say more of the framing of messages than of the text.
SLOPES_AT_LEAST: Final = 4
SPAN_AT_LEAST: Final = 200
# Each report is compared with the ones up to this far before it.
REACH: Final = 8
# No tokenizer of a language model lies outside; a slope that does is no measurement of one.
FACTORS: Final = (0.4, 3.0)
# What rounding and the framing of messages leave open at best.
LEAST_ERROR: Final = 0.005


@dataclass(frozen=True, slots=True)
class Scale:
    """Turns local counts into tokens of the session's model.

    Attributes:
        error: Half-width of the factor's relative error, or None where it is not known.
    """

    factor: float
    basis: Basis
    error: float | None = None

    def tokens(self, count: float) -> int:
        """A local count in the model's tokens, whole."""
        return int(count * self.factor + 0.5)

    def figure(self, tokens: float) -> Figure:
        """Tokens that are scaled already, as a figure."""
        return Figure(tokens, self.basis, self.error)


def scale_of(model: str | None, reports: Sequence[Report], *, exact: bool = False) -> Scale:
    """The scale of a model.

    Args:
        reports: What was reported for the model, oldest first.
        exact: Whether the local count is by the model's own tokenizer, asked of its server.
    """
    if exact:
        return Scale(1.0, Basis.COUNTED)
    slopes = sorted(_slopes(reports))
    if len(slopes) < SLOPES_AT_LEAST:
        own = has_own_tokenizer(model)
        return Scale(1.0, Basis.COUNTED if own else Basis.ESTIMATED)
    factor = _weighted(slopes, 0.5)
    spread = _weighted(slopes, 0.75) - _weighted(slopes, 0.25)
    error = max(LEAST_ERROR, spread / 2 / factor)
    return Scale(round(factor, 4), Basis.CALIBRATED, round(error, 4))


def _slopes(reports: Sequence[Report]) -> list[tuple[float, int]]:
    """The slope between each two near reports of one epoch, and the text that it spans."""
    epochs: dict[tuple[str, int], list[Report]] = {}
    for report in reports:
        epochs.setdefault((report.session_id, report.epoch), []).append(report)
    slopes: list[tuple[float, int]] = []
    for rows in epochs.values():
        for later in range(1, len(rows)):
            for earlier in range(max(0, later - REACH), later):
                span = rows[later].local - rows[earlier].local
                if abs(span) >= SPAN_AT_LEAST:
                    slope = (rows[later].measured - rows[earlier].measured) / span
                    if FACTORS[0] <= slope <= FACTORS[1]:
                        slopes.append((slope, abs(span)))
    return slopes


def _weighted(slopes: Sequence[tuple[float, int]], share: float) -> float:
    """The slope below which ``share`` of the spanned text lies; ``slopes`` are in order."""
    wanted = sum(span for _, span in slopes) * share
    below = itertools.accumulate(span for _, span in slopes)
    return next(
        slope for (slope, _), reached in zip(slopes, below, strict=True) if reached >= wanted
    )
