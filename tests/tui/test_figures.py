"""How numbers read: their marks, their rounding, and never nought for unknown."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from sakur4_core.models import NOT_KNOWN, Basis, Figure

from sakur4_tui import figures
from sakur4_tui.glyphs import ASCII

NOW = datetime(2026, 3, 4, 10, 42, 14, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (412, "412"), (999, "999"), (999.6, "1.0k"), (1_000, "1.0k"),
        (9_120, "9.1k"), (142_300, "142.3k"), (999_949, "999.9k"), (999_950, "1.0M"),
        (1_240_000, "1.2M"), (-31_500, "-31.5k"),
    ],
)  # fmt: skip
def test_tokens(value: float, text: str) -> None:
    assert figures.tokens(value) == text


@pytest.mark.parametrize(
    ("basis", "text", "ascii_text"),
    [
        (Basis.MEASURED, "9.1k", "9.1k"), (Basis.COUNTED, "9.1k", "9.1k"),
        (Basis.CALIBRATED, "≈9.1k", "~9.1k"), (Basis.ESTIMATED, "≈9.1k", "~9.1k"),
        (Basis.PREDICTED, "→9.1k", "->9.1k"),
    ],
)  # fmt: skip
def test_a_figure_says_how_it_is_known(basis: Basis, text: str, ascii_text: str) -> None:
    assert figures.figure(Figure(9_120, basis)) == text
    assert figures.figure(Figure(9_120, basis), ASCII) == ascii_text


def test_unknown_is_a_question_mark() -> None:
    assert figures.figure(NOT_KNOWN) == "?"
    assert figures.figure(NOT_KNOWN, form=figures.money) == "?"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "$0.00"), (0.001, "<$0.01"), (1.84, "$1.84"), (-0.16, "-$0.16"), (1234.5, "$1,234.50")],
)
def test_money(value: float, text: str) -> None:
    assert figures.money(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0%"), (0.0001, "<0.1%"), (0.003, "0.3%"), (0.0994, "9.9%"), (0.71, "71%"), (1, "100%")],
)
def test_percent(share: float, text: str) -> None:
    assert figures.percent(share) == text


@pytest.mark.parametrize(
    ("stamp", "waited", "age"),
    [
        ("2026-03-04T10:42:00.000000Z", "0:14", "14 s ago"),
        ("2026-03-04T10:42:13.000000Z", "0:01", "just now"),
        ("2026-03-04T10:40:00.000000Z", "2:14", "2 min ago"),
        ("2026-03-04T08:10:00.000000Z", "2 h", "2 h ago"),
        ("2026-03-01T08:10:00.000000Z", "3 d", "3 d ago"),
        ("2026-03-05T08:10:00.000000Z", "?", "?"),
        ("yesterday", "?", "?"),
    ],
)
def test_spans(stamp: str, waited: str, age: str) -> None:
    assert figures.waited(stamp, NOW) == waited
    assert figures.age(stamp, NOW) == age


def test_a_time_is_shown_in_the_zone_asked_for() -> None:
    stamp = "2026-03-04T23:30:00.000000Z"
    assert figures.clock_time(stamp, UTC) == "23:30:00"
    assert figures.clock_time(stamp, timezone(timedelta(hours=2))) == "01:30:00"
    assert figures.clock_time("never", UTC) == "--:--:--"
