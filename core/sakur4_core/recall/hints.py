"""What a question tells about the turn that answers it: who speaks, when, how much is said."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from sakur4_core.recall.dates import Named, named_dates
from sakur4_core.recall.stop_words import STOP_WORDS
from sakur4_core.recall.turn_index import ROLES, TurnIndex

if TYPE_CHECKING:
    from sakur4_core.recall.bm25 import Floats

# Weights beside views whose best scores 1, measured on two sets of conversations.
SPEAKER = 0.75
ASKS = -0.3
LONG = 0.55
DATE = 1.0
# From so many words on a turn says as much as a turn may.
ENOUGH_WORDS = 40
# What happened is often told later: so many days after the date, at half the weight.
TOLD_WITHIN_DAYS = 10
TOLD_LATER = 0.5
# A year alone says little: most of a store lies in one.
YEAR_ALONE = 0.3
# A leading name that fewer turns have is a heading, not a speaker.
FEWEST_TURNS = 3

_WORD = re.compile(r"[^\W_]+")
_ROLE = re.compile(
    r"\b(?:the\s+)?(user|assistant|agent|system|tool)(?:'s)?\s+"
    r"(?:said|say|says|asked|ask|asks|told|tell|wrote|mention\w*|want\w*|suggest\w*|propos\w*|"
    r"answer\w*|repl\w+|report\w*|print\w*|return\w*|output|request\w*|decid\w*|prefer\w*)"
    r"|\b(?:did|does|has)\s+the\s+(user|assistant|agent|system|tool)\b",
    re.IGNORECASE,
)
_AS_ROLE = {"agent": "assistant"}


def hints(index: TurnIndex, query: str, places: Any) -> dict[str, Floats]:
    """For each hint that the query gives, what it adds to the score of each of some turns."""
    import numpy as np

    turns = index.turns
    words = np.log1p(turns["words"][places]) / math.log(ENOUGH_WORDS)
    found: dict[str, Floats] = {
        "asks": ASKS * turns["asks"][places].astype(np.float32),
        "length": (LONG * np.minimum(1, words)).astype(np.float32),
    }
    named = _named(index, query, places)
    if named is not None:
        found["speaker"] = SPEAKER * named.astype(np.float32)
    dates = named_dates(query)
    if dates:
        days = (turns["minute"][places] // (24 * 60)).astype("M8[D]")
        near = np.max([_nearness(date, days) for date in dates], axis=0)
        found["date"] = (DATE * near).astype(np.float32)
    return found


def _named(index: TurnIndex, query: str, places: Any) -> Any:
    """Which turns are of a speaker, a tool or a role that the query names; None for none."""
    import numpy as np

    turns = index.turns
    asked = {word.lower() for word in _WORD.findall(query)}
    common = np.bincount(turns["speaker"], minlength=len(index.speakers.names))
    speakers = [
        number
        for number, name in enumerate(index.speakers.names)
        if name and common[number] >= FEWEST_TURNS and _mentioned(name, asked)
    ]
    tools = [
        number for number, name in enumerate(index.tools.names) if name and name.lower() in asked
    ]
    roles = {name.lower() for match in _ROLE.findall(query) for name in match if name}
    numbers = [ROLES.index(_AS_ROLE.get(name, name)) for name in sorted(roles)]
    if not (speakers or tools or numbers):
        return None
    by_speaker = np.isin(turns["speaker"][places], speakers)
    by_tool = np.isin(turns["tool"][places], tools)
    return by_speaker | by_tool | np.isin(turns["role"][places], numbers)


def _mentioned(name: str, asked: set[str]) -> bool:
    """Whether a query has a word of a speaker's name."""
    return any(word in asked for word in _WORD.findall(name) if word not in STOP_WORDS)


def _nearness(date: Named, days: Any) -> Any:
    """1 on the date as far as it is named, less in the days after it."""
    import numpy as np

    months = days.astype("M8[M]")
    held = np.ones(len(days), dtype=bool)
    if date.year is not None:
        held &= days.astype("M8[Y]").astype(int) + 1970 == date.year
    if date.month is None:
        return held * YEAR_ALONE
    if date.day is not None:
        held &= (days - months).astype(int) + 1 == date.day
    held &= months.astype(int) % 12 + 1 == date.month
    return np.maximum(held, TOLD_LATER * _told_later(date, days))


def _told_later(date: Named, days: Any) -> Any:
    """Whether a day lies shortly after the last one that a date means."""
    import numpy as np

    assert date.month is not None
    later = np.zeros(len(days), dtype=bool)
    years = {date.year} if date.year else set(days.astype("M8[Y]").astype(int) + 1970)
    for year in sorted(years):
        month = np.datetime64(f"{year:04d}-{date.month:02d}", "M")
        last = (month + 1).astype("M8[D]") - 1
        if date.day is not None:
            last = min(month.astype("M8[D]") + (date.day - 1), last)
        since = (days - last).astype(int)
        later |= (since > 0) & (since <= TOLD_WITHIN_DAYS)
    return later
