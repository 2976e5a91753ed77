"""What white space and punctuation mean in a language, for the normal form."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

# Bytes that no source text holds stand for what the syntax tree says.
MARK = b"\x01"
BLOCK_START, BLOCK_END = b"\x02", b"\x03"
ENDED = b"\x04"
SOFT_OPEN, SOFT_CLOSE = b"\x05", b"\x06"
LINE = b"\x07"
KEPT_COMMA = b"\x08"
STRING_START, STRING_END = b"\x0e", b"\x0f"
FILL = b"\0"
GAP = b"\x10"

Pairs = tuple[tuple[bytes, bytes], ...]

TRAILING_COMMAS: Pairs = ((b",)", b")"), (b",]", b"]"), (b",}", b"}"))

_OPENERS, _CLOSERS = b"([{" + SOFT_OPEN, b")]}" + SOFT_CLOSE
_BRACKETS = bytes.maketrans(_OPENERS + _CLOSERS, b"(" * 4 + b")" * 4)
_NEITHER = bytes(byte for byte in range(256) if byte not in b"\n" + _OPENERS + _CLOSERS)
_TO_LINE = bytes.maketrans(b"\n;", LINE * 2)
# Where Go's scanner puts a semicolon at the end of a line. The new line comes first, so that the
# search can leap from one to the next.
_ENDS_STATEMENT = re.compile(
    rb"""\n(?:(?<=[\w\x80-\xff)\]}"'`\x01\x06]\n)|(?<=\+\+\n)|(?<=--\n))"""
)


def lines_are_space(source: bytes) -> bytes:
    """A new line means no more than a space."""
    return source


def lines_end_statements(source: bytes) -> bytes:
    """A new line outside of brackets ends a statement, as in Python."""
    source = source.replace(b"\\\n", b" ").replace(b"\\\r\n", b" ")
    lines = filter(bytes.strip, _with_brackets_on_one_line(source))
    return b"\n".join(lines).translate(_TO_LINE)


def lines_end_in_semicolons(source: bytes) -> bytes:
    """A new line after a token that can end a statement is a semicolon, as in Go."""
    lines = filter(None, map(bytes.strip, source.split(b"\n")))
    return _ENDS_STATEMENT.sub(b";", b"\n".join(lines))


def _with_brackets_on_one_line(source: bytes) -> list[bytes]:
    """The lines; those that an open bracket holds together are one."""
    skeleton = source.translate(_BRACKETS, _NEITHER)
    while b"()" in skeleton:
        skeleton = skeleton.replace(b"()", b"")
    lines, joined = source.split(b"\n"), []
    depth, written, opened = 0, 0, 0
    for index, brackets in enumerate(skeleton.split(b"\n")):
        if not brackets:
            continue
        before, depth = depth, max(0, depth + 2 * brackets.count(b"(") - len(brackets))
        if not before and depth:
            opened = index
        elif before and not depth:
            joined += lines[written:opened]
            joined.append(b" ".join(lines[opened : index + 1]))
            written = index + 1
    return joined + lines[written:]


@dataclass(frozen=True, slots=True)
class NormalRules:
    """How a text folds once comments are gone and strings are sealed.

    Attributes:
        layout: Turns new lines that mean something into what they mean.
        quotes: Matches what opens a string whose quotes are a matter of style; group 1 is its
            prefix. None where the kind of quote matters.
        pairs: What is replaced by what, in this order, after white space is gone.
    """

    layout: Callable[[bytes], bytes] = lines_are_space
    quotes: re.Pattern[bytes] | None = None
    pairs: Pairs = TRAILING_COMMAS


PLAIN_RULES = NormalRules()
