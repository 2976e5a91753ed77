"""How numbers, money and ages read. Every screen formats through this module.

A figure carries its mark: none for measured or counted, ``≈`` for calibrated or estimated,
``→`` for predicted, ``?`` for unknown. An unknown figure is never written as 0.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, tzinfo

from sakur4_core.clock import parse_stamp
from sakur4_core.models import Figure

from sakur4_tui.glyphs import UNICODE, Glyphs

MINUTE, HOUR, DAY = 60, 3600, 86_400


def tokens(value: float) -> str:
    """A count of tokens in at most six characters: ``412``, ``9.1k``, ``142.3k``, ``1.2M``."""
    sign, size = ("-" if value < 0 else ""), abs(value)
    if size < 999.5:
        return f"{sign}{size:.0f}"
    if size < 999_950:
        return f"{sign}{size / 1000:.1f}k"
    return f"{sign}{size / 1_000_000:.1f}M"


def round_tokens(value: float) -> str:
    """The same without a needless fraction, for limits: ``200k``, ``1M``."""
    return tokens(value).replace(".0k", "k").replace(".0M", "M")


def count(value: float) -> str:
    """A whole number with its thousands parted: ``9,120``."""
    return f"{value:,.0f}"


def money(value: float) -> str:
    """Dollars to the cent; what is less than a cent says so."""
    if 0 < abs(value) < 0.005:
        return "<$0.01"
    return f"{'-' if value < 0 else ''}${abs(value):,.2f}"


def percent(share: float) -> str:
    """A share as whole per cent, with one decimal below ten."""
    value = share * 100
    if 0 < abs(value) < 0.05:
        return "<0.1%"
    return f"{value:.1f}%" if 0 < abs(value) < 9.95 else f"{value:.0f}%"


def whole_percent(share: float) -> str:
    """A share as whole per cent."""
    return f"{share * 100:.0f}%"


def figure(value: Figure, glyphs: Glyphs = UNICODE, form: Callable[[float], str] = tokens) -> str:
    """A figure with its mark; only the mark where the value is not known."""
    if value.value is None:
        return "?"
    return f"{glyphs.marks[value.basis]}{form(value.value)}"


def signed(value: float) -> str:
    """A contribution: ``+1.2`` or ``-3.0``."""
    return f"{'-' if value < 0 else '+'}{abs(value):.1f}"


def clock_time(stamp: str, zone: tzinfo | None) -> str:
    """The time of day of a stored moment, in ``zone`` (None: the machine's own)."""
    moment = moment_of(stamp)
    return moment.astimezone(zone).strftime("%H:%M:%S") if moment else "--:--:--"


def waited(stamp: str, now: datetime) -> str:
    """How long something has waited: ``0:14``, ``2 h``, ``3 d``."""
    return _span(_seconds(stamp, now), lambda s: f"{s // 60}:{s % 60:02}")


def age(stamp: str, now: datetime) -> str:
    """How long ago something happened, in words: ``just now``, ``2 min ago``."""
    seconds = _seconds(stamp, now)
    if 0 <= seconds < 5:
        return "just now"
    text = _span(seconds, lambda s: f"{s} s" if s < MINUTE else f"{s // MINUTE} min")
    return f"{text} ago" if seconds >= 0 else "?"


def moment_of(stamp: str) -> datetime | None:
    """The moment a stored time names, or None where it is no time."""
    try:
        return parse_stamp(stamp)
    except ValueError:
        return None


def _seconds(stamp: str, now: datetime) -> int:
    moment = moment_of(stamp)
    return int((now - moment).total_seconds()) if moment else -1


def _span(seconds: int, short: Callable[[int], str]) -> str:
    if seconds < 0:
        return "?"
    if seconds < HOUR:
        return short(seconds)
    return f"{seconds // HOUR} h" if seconds < DAY else f"{seconds // DAY} d"
