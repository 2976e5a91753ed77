"""Secrets of several lines: what is marked as private, and private keys."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import zip_longest

from sakur4_core.memory.redaction.span import Span

# An escaped bracket stands in a shadow as often as its escape has letters.
_LT, _GT = r"(?<!<)(?:<|<{4}|<{6})", r"(?:>{6}|>{4}|>)"
_TAG = re.compile(rf"{_LT}(?P<end>/)?private(?:\s[^<>\n]{{0,80}})?{_GT}")

_BEGIN = re.compile(r"-{4,5} ?BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_END = re.compile(r"-{4,5} ?END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_PUTTY = re.compile(r"Private-Lines: \d+[ \t]*\n")
# Key material: a run that no name in a program looks like.
_MATERIAL = re.compile(r"(?=[A-Za-z]{0,80}[0-9+/])[A-Za-z0-9+/]{16,}|[A-Za-z+/]{32,}")
# Enough for the headers of an encrypted key between its first line and its material.
HEADERS = 400
LONGEST_KEY = 65_536
# A line of a key as tools show it: numbered, quoted, behind the mark of a diff or a comment.
_EMPTY = re.compile(r"[^A-Za-z0-9]*")
_SAME_LINE = re.compile(
    r"(?:[^A-Za-z0-9+/=\n]{1,8}(?:\d{1,6}[^A-Za-z0-9+/=\n]{1,8})?[A-Za-z0-9+/=]{16,}+)+"
    r"(?:[^A-Za-z0-9+/=\n]{1,8}(?:\d{1,6}[^A-Za-z0-9+/=\n]{1,8})?[A-Za-z0-9+/=]{1,15}\Z)?"
)
_LINE = re.compile(
    r"[^A-Za-z0-9\n]{1,16}[A-Za-z0-9+/=]{16,}(?:[^A-Za-z0-9+/=\n]{1,8}[A-Za-z0-9+/=]{16,})*"
    r"(?:[^A-Za-z0-9+/=\n]{1,8}[A-Za-z0-9+/=]{1,15}\Z)?"
)
_LINE = re.compile(
    r"[^A-Za-z0-9\n]{0,16}(?:\d{1,6}[^A-Za-z0-9\n/+]{1,8})?"
    r"(?:[A-Za-z0-9+/=]{16,}|[A-Z][\w-]{2,30}: [^\n]{0,200}|[A-Za-z0-9+/=]{0,16})"
    r"[^A-Za-z0-9\n]{0,8}(?:\n|\Z)"
)


def find(text: str, lower: str) -> Iterator[Span]:
    """What stands between private tags, and private keys, whole or cut off."""
    if "private" not in lower:
        return
    if "private>" in lower or "<private" in lower:
        yield from _private(lower)
    if "PRIVATE KEY" in text:
        yield from _keys(text)
    if "Private-Lines: " in text:
        yield from _putty(text)


def _putty(text: str) -> Iterator[Span]:
    end = 0
    for match in _PUTTY.finditer(text):
        if match.start() >= end and (end := _lines_after(text, match.end())) > match.end():
            yield Span(match.start(), end, "private-key")


def _private(lower: str) -> Iterator[Span]:
    """From a tag to the one that closes it, or to the end where none does; tags may nest."""
    depth, start = 0, 0
    for tag in _TAG.finditer(lower):
        if tag["end"] is None:
            start = tag.start() if depth == 0 else start
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                yield Span(start, tag.end(), "private")
    if depth:
        yield Span(start, len(lower), "private")


def _keys(text: str) -> Iterator[Span]:
    begins = list(_BEGIN.finditer(text))
    ends = list(_END.finditer(text))
    starts = [end.start() for end in ends]
    done = 0
    for begin, following in zip_longest(begins, begins[1:]):
        limit = len(text) if following is None else following.start()
        place = bisect_left(starts, begin.end())
        last = ends[place] if place < len(ends) and starts[place] < limit else None
        if end := _key_end(text, begin.end(), last):
            done = end
            yield Span(begin.start(), end, "private-key")
    for last in ends:
        line = text.rfind("\n", 0, last.start()) + 1
        if last.start() >= done and (start := _lines_before(text, line)) < line:
            yield Span(start, last.end(), "private-key")


def _key_end(text: str, start: int, last: re.Match[str] | None) -> int | None:
    """Where the key that begins before ``start`` ends; None where no material follows.

    Args:
        last: The closing line that comes before any other key.
    """
    if last and last.start() - start <= LONGEST_KEY:
        near = min(last.start(), start + HEADERS)
        return last.end() if _MATERIAL.search(text, start, near) else None
    end = _lines_after(text, start)
    return end if _MATERIAL.search(text, start, end) else None


def _lines_after(text: str, start: int) -> int:
    """The end of the key's lines after ``start``: those of material, and one shorter last."""
    at = end = start
    within = False
    if same := _SAME_LINE.match(text, start):
        at = end = same.end()
    while at < len(text) and (line := _LINE.match(text, at)):
        if not _EMPTY.fullmatch(line[0]):
            before, within = within, bool(_MATERIAL.search(line[0]))
            end = line.end() if within or before else end
        at = line.end()
    return end


def _lines_before(text: str, end: int) -> int:
    """The start of the key's lines before ``end``: one shorter at most, then material."""
    at = found = end
    shorter = False
    while at > 0:
        previous = text.rfind("\n", 0, at - 1) + 1
        line = _LINE.match(text, previous, at)
        if line is None:
            break
        if _MATERIAL.search(line[0]):
            found = previous
        elif not _EMPTY.fullmatch(line[0]):
            if shorter or found < end:
                break
            shorter = True
        at = previous
    return found
