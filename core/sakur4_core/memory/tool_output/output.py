"""A tool's output as the parsers read it: bounded, without colours, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

# What is read of a text: its head and its tail. A result's verdict stands at its end, the
# evidence of what it is mostly at its start. Four times what harnesses let a tool return
# (25,000 tokens are about 100,000 characters), and well under a second for the worst of texts.
HEAD_CHARS = 300_000
TAIL_CHARS = 100_000
SCAN_CHARS = HEAD_CHARS + TAIL_CHARS
# Beyond this a line is no message that a person was meant to read.
MAX_LINE = 2_000

_ANSI = re.compile(
    r"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b\n]*+(?:\x07|\x1b\\)?|[()][0-9A-B]|[=>@-Z\\^_])"
)
# What a carriage return overwrites on a terminal: the earlier states of a progress line.
_OVERWRITTEN = re.compile(r"(?m)^[^\n]*\r(?=[^\r\n])")


@dataclass(frozen=True, slots=True)
class Output:
    """The part of a text that is read.

    Attributes:
        raw: Its lines as they are, for formats that fill a text as a whole.
        lines: The same lines, each at most ``MAX_LINE`` characters long.
        text: ``lines`` as one text.
        head: How many lines stand before the gap where ``omitted`` characters are left out.
    """

    raw: tuple[str, ...]
    lines: tuple[str, ...]
    text: str
    head: int
    omitted: int = 0

    @property
    def document(self) -> str:
        """The text up to the gap, its lines uncut."""
        return "\n".join(self.raw[: self.head]).strip()

    def without(self, ranges: Iterable[range]) -> Output:
        """The same output with these lines blank, so that places of lines stay."""
        gone = {index for span in ranges for index in span}
        if not gone:
            return self
        raw = _blank(self.raw, gone)
        lines = raw if self.raw is self.lines else _blank(self.lines, gone)
        return Output(raw, lines, "\n".join(lines), self.head, self.omitted)


def read(text: str) -> Output:
    """What the parsers see of ``text``."""
    if len(text) <= SCAN_CHARS:
        return _output(_lines(text), None, 0)
    head = _lines(text[:HEAD_CHARS])
    # The tail begins at a line's start; where it has none it says nothing.
    tail = _lines(text[-TAIL_CHARS:])[1:]
    return _output(head + tail, len(head), len(text) - SCAN_CHARS)


def _output(raw: list[str], head: int | None, omitted: int) -> Output:
    lines = [line[:MAX_LINE] for line in raw]
    if head is not None:
        # The line that the gap cuts through would be read as something it is not.
        lines[head - 1] = ""
    text = "\n".join(lines)
    kept = tuple(raw)
    same = lines == raw
    return Output(kept, kept if same else tuple(lines), text, head or len(raw), omitted)


def _lines(text: str) -> list[str]:
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "\r" in text:
        text = _OVERWRITTEN.sub("", text.replace("\r\n", "\n")).replace("\r", "")
    return text.split("\n")


def _blank(lines: tuple[str, ...], gone: set[int]) -> tuple[str, ...]:
    return tuple("" if index in gone else line for index, line in enumerate(lines))
