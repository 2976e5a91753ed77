"""Sentences of code work: prose by its full stops, everything else by its lines.

A summary is made of whole units of its source, so a unit must be readable alone: a file name, a
version or a code span is never cut, and neither is a line of code or of a tool's output. Every
pattern is possessive or bounded, and each place is looked at a fixed number of times: the time is
linear in the length, whatever the text holds.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

# Longer units are minified code, encoded data or lists: nothing that a summary could quote.
MOST_CHARS: Final = 400
# Text is wrapped at 60 to 100 columns; a shorter line ends because what it says has ended.
WRAPPED_CHARS: Final = 55

_LINE: Final = re.compile(r"[^\r\n]++")
_FENCE: Final = re.compile(r"[ \t]{0,8}(`{3,}+|~{3,}+)")
_TICKS: Final = re.compile(r"`++")
_STOP: Final = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’»)\]*_]*+(?=\s)|(?<![。！？｡])[。！？｡]++[」』）】”’\"')]*+"
)
# What a cut of an over-long sentence may follow.
_CLAUSE: Final = re.compile(r"[;,:—–](?=\s)|[；，、]")
# Where a line starts so, it begins something of its own: a list, a heading, a quotation, a table.
_OPENS: Final = re.compile(r"\s*+(?:[-*+•>#|=]|\d{1,3}[.)]\s|[`\"'(]{2})")
_LISTED: Final = re.compile(r"\s*+(?:[-*+•]\s|#{1,6}\s|>\s?|\d{1,3}[.)]\s|[a-z][.)]\s)\s*+")
# `file.py:12:` of a search, `  12<tab>` of a file that was read, a diff's headers, a prompt, logs.
_REPORT: Final = re.compile(
    r"[\w./\\-]{1,200}:\d{1,7}:|\s*+\d{1,7}[\t→|]|\t| {4}|@@|diff --git|[$%]\s"
    r"|\[?\d{4}-\d\d-\d\d[T ]"
)
_WORD: Final = re.compile(
    r"(?<!\S)[\"'(*_“‘]{0,3}[^\W\d_]+(?:['’-][^\W\d_]+){0,4}[\W_]{0,4}(?!\S)"
)
_SCRIPT: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LAST: Final = re.compile(r"[\w.]{1,12}\.\Z")

# Never the end of a sentence; the last word of one only before a capital; only before a number.
_WITHIN: Final = frozenset(
    """
    e.g. i.e. eg. ie. vs. cf. dr. mr. mrs. ms. prof. st. approx. resp. viz. incl. excl.
    """.split()  # noqa: SIM905
)
_MAY_END: Final = frozenset(
    """
    etc. al. inc. ltd. co. corp. jr. sr. a.m. p.m. min. max. dept.
    """.split()  # noqa: SIM905
)
_NUMBERED: Final = frozenset(
    """
    no. nr. fig. sec. vol. p. pp. ch. art. ver. v. eq.
    """.split()  # noqa: SIM905
)
_CONTINUED: Final = re.compile(
    r"(?:,|\b(?:a|an|the|of|to|at|in|on|by|for|and|or|is|are|with|that))\Z"
)


class Sentence(NamedTuple):
    """A unit of a text; ``text == source[start:end]``, without white space at its ends."""

    text: str
    start: int
    end: int


def split(text: str) -> list[Sentence]:
    """The units of ``text`` in order, none longer than ``MOST_CHARS``.

    Prose is split at its full stops, also where it is wrapped over several lines. A line of a
    fence, a list, a heading or a tool's output begins and ends a unit. What is too long and has
    no clause to be cut at is left out; nothing else but white space is.
    """
    found: list[Sentence] = []
    for start, end, prose in _blocks(text):
        for left, right in _cuts(text, start, end) if prose else ((start, end),):
            found.extend(_fitting(text, left, right, prose))
    return found


def is_prose(line: str) -> bool:
    """Whether a line is written for people: words for the most part, and not a tool's prefix."""
    if _REPORT.match(line):
        return False
    head = line[:MOST_CHARS]
    if len(_SCRIPT.findall(head)) > len(head) // 3:
        return True
    parts = head.split()
    return len(_WORD.findall(head)) * 2 > len(parts)


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Lines as ``(start, end, prose)``; lines of wrapped prose together."""
    # The block's start, the start of its last line, and its end.
    held: tuple[int, int, int] | None = None
    fence = ""
    for match in _LINE.finditer(text):
        start, end = match.span()
        mark = _FENCE.match(text, start, min(end, start + 200))
        in_fence = bool(fence)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        prose = not in_fence and mark is None and is_prose(text[start : start + MOST_CHARS])
        if held is not None:
            if prose and _goes_on(text, held[1], held[2], start):
                held = held[0], start, end
                continue
            yield held[0], held[2], True
        held = (start, start, end) if prose else None
        if not prose:
            yield start, end, False
    if held is not None:
        yield held[0], held[2], True


def _goes_on(text: str, start: int, end: int, following: int) -> bool:
    """Whether a line of prose ends only because it was wrapped."""
    if text.count("\n", end, following) > 1 or text[end:following].count("\r") > 1:
        return False
    tail = text[max(start, end - 20) : end].rstrip()
    if end - start < WRAPPED_CHARS or not tail or tail[-1] in ".!?…:;。！？":
        return False
    head = text[following : following + 20]
    if _OPENS.match(head):
        return False
    first = head.lstrip()[:1]
    return not first.isupper() or _CONTINUED.search(tail) is not None


def _cuts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Prose at its full stops, but for those within code spans and abbreviations."""
    spans = _code_spans(text, start, end)
    starts = [left for left, _ in spans]
    marker = _LISTED.match(text, start, end)
    at = start
    for match in _STOP.finditer(text, marker.end() if marker else start, end):
        place = bisect_right(starts, match.start()) - 1
        if place >= 0 and match.start() < spans[place][1]:
            continue
        if match[0][0] in "。！？｡" or _ends(text, at, match):
            yield at, match.end()
            at = match.end()
    yield at, end


def _ends(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether the full stop of ``match`` ends the sentence that begins at ``start``."""
    following = text[match.end() : match.end() + 8].lstrip()[:1]
    if match[0][0] != "." or len(match[0].rstrip("\"'”’»)]*_")) > 1:
        return not (match[0][0] in ".…" and following.islower())
    tail = text[max(start, match.start() - 12) : match.start() + 1]
    last = _LAST.search(tail)
    if last is None:
        return True
    word = last[0].casefold()
    if word in _WITHIN:
        return False
    if word in _MAY_END:
        return not (following.islower() or following.isdigit())
    if word in _NUMBERED:
        return not following.isdigit()
    # An initial: one letter alone, or behind other such (J. R. Smith, U.S. law).
    letter = word[-2:-1].isalpha() and (len(word) == 2 or word[-3] == ".")
    return not (letter and (following.isalpha() or following.isdigit()))


def _code_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans between runs of as many backticks, each run closed by the next one like it."""
    runs = [match.span() for match in _TICKS.finditer(text, start, end)]
    later: dict[int, int] = {}
    closes = [-1] * len(runs)
    for place in range(len(runs) - 1, -1, -1):
        length = runs[place][1] - runs[place][0]
        closes[place] = later.get(length, -1)
        later[length] = place
    spans, place = [], 0
    while place < len(runs):
        if closes[place] >= 0:
            spans.append((runs[place][0], runs[closes[place]][1]))
            place = closes[place]
        place += 1
    return spans


def _fitting(text: str, start: int, end: int, prose: bool) -> Iterator[Sentence]:
    """The unit, or the pieces of it that are short enough to be one."""
    for left, right in _shorter(text, start, end) if prose else ((start, end),):
        inner = text[left:right]
        stripped = inner.strip()
        if stripped and len(stripped) <= MOST_CHARS:
            first = left + len(inner) - len(inner.lstrip())
            yield Sentence(stripped, first, first + len(stripped))


def _shorter(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Over-long prose at the last clause, or end of a line, of every ``MOST_CHARS``."""
    while end - start > MOST_CHARS:
        limit = start + MOST_CHARS
        cut = text.rfind("\n", start + 1, limit) + 1
        if not cut:
            cut = max((m.end() for m in _CLAUSE.finditer(text, start, limit)), default=0)
        if not cut:
            break
        yield start, cut
        start = cut
    yield start, end
