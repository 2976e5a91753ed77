"""What a detector returns, and how findings that overlap become one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Span(NamedTuple):
    """A secret's place in a text, and its type."""

    start: int
    end: int
    type: str


def merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, none touching another's letters; the longer one names the type."""
    result: list[Span] = []
    for span in sorted(spans, key=lambda found: (found.start, -found.end, found.type)):
        if not result or span.start >= result[-1].end:
            result.append(span)
            continue
        last = result[-1]
        longer = span if span.end - span.start > last.end - last.start else last
        result[-1] = Span(last.start, max(last.end, span.end), longer.type)
    return result


def covered(text: str, spans: Iterable[Span]) -> str:
    """``text`` with a placeholder in the place of each span; spans are as :func:`merged`."""
    parts: list[str] = []
    at = 0
    for start, end, kind in spans:
        parts += (text[at:start], f"[redacted:{kind}]")
        at = end
    return "".join((*parts, text[at:]))
