"""Dates: at the head or the foot of a stored turn, and in a question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_MONTH = "|".join(f"{name}|{name[:3]}" for name in _MONTHS if name != "may") + "|sept|may"
_ISO = r"(?P<y>\d{4})-(?P<m>\d{2})(?:-(?P<d>\d{2}))?(?:[T ](?P<hh>\d{2}):(?P<mm>\d{2}))?"
_DAY_MONTH = (
    rf"(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m2>{_MONTH})\b\.?,?(?: (?P<y2>\d{{4}}))?"
)
_MONTH_DAY = (
    rf"\b(?P<m3>{_MONTH})\b\.? (?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:),?(?: (?P<y3>\d{{4}}))?"
)
_MONTH_YEAR = rf"\b(?P<m4>{_MONTH})\b\.?,? (?P<y4>\d{{4}})"
_ALONE = rf"\b(?:in|of|during|since|by|until|last|this|early|late|mid|mid-)\s?(?P<m5>{_MONTH})\b"
_YEAR = r"\b(?P<y6>(?:19|20)\d{2})\b"
_DATE = re.compile(
    "|".join((_ISO, _DAY_MONTH, _MONTH_YEAR, _MONTH_DAY, _ALONE, _YEAR)), re.IGNORECASE
)
_STAMP = re.compile("|".join((_ISO, _DAY_MONTH, _MONTH_DAY)), re.IGNORECASE)

_DIGIT = re.compile(r"\d")
_AROUND = re.compile(r"[\W\d]*(?:[ap]m)?(?: on)?(?:date|time)?[\W\d]*", re.IGNORECASE)

# A date that a turn was given stands in its first or last characters.
MARGIN = 48


@dataclass(frozen=True, slots=True)
class Named:
    """A date as far as a question names it."""

    year: int | None
    month: int | None
    day: int | None


def named_dates(text: str) -> tuple[Named, ...]:
    """The dates that a question names, distinct, in order."""
    found = (_read(match) for match in _DATE.finditer(text[:2_000]))
    return tuple(dict.fromkeys(date for date in found if date is not None))


def stamped_minute(text: str) -> int | None:
    """Minutes since 1970 of the date that a turn begins or ends with, or None."""
    for at_end, margin in ((False, text[:MARGIN]), (True, text[-MARGIN:])):
        match = _STAMP.search(margin) if _DIGIT.search(margin) else None
        if match is None or not _at_edge(margin, match, at_end):
            continue
        date = _read(match)
        if date is not None and date.year and date.month and date.day:
            hour, minute = int(match["hh"] or 0), int(match["mm"] or 0)
            try:
                moment = datetime(date.year, date.month, date.day, hour, minute, tzinfo=UTC)
            except ValueError:
                continue
            return int(moment.timestamp() // 60)
    return None


@lru_cache(maxsize=256)
def minute_of(created_at: str) -> int:
    """Minutes since 1970 of a time in the store's notation."""
    return int(datetime.fromisoformat(created_at).timestamp() // 60)


def _at_edge(margin: str, match: re.Match[str], at_end: bool) -> bool:
    """Whether nothing but a clock and brackets stands between a date and the text's edge."""
    rest = margin[match.end() :] if at_end else margin[: match.start()]
    return _AROUND.fullmatch(rest) is not None


def _read(match: re.Match[str]) -> Named | None:
    groups = {key: value for key, value in match.groupdict().items() if value is not None}
    year = next((int(value) for key, value in groups.items() if key[0] == "y"), None)
    day = next((int(value) for key, value in groups.items() if key in ("d", "d2", "d3")), None)
    month: int | None = None
    for key, value in groups.items():
        if key[0] == "m" and key != "mm":
            month = int(value) if value.isdigit() else _month(value)
    if (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
        return None
    return Named(year, month, day)


def _month(name: str) -> int:
    start = name[:3].lower()
    return next(place for place, known in enumerate(_MONTHS, 1) if known.startswith(start))
