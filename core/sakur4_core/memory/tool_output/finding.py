"""What a parser of tool output is, and what it returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sakur4_core.memory.tool_output.output import Output
from sakur4_core.models import FactKind

# A fact serves to find and to check a result, not to replace it: the turn keeps the whole.
MAX_VALUE = 500
MAX_NAME = 300
# Facts of one parser; with several parsers in one text the ledger's own bound applies too.
MAX_FINDINGS = 300


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact before it has an id: its kind, its name within the result, and its value."""

    kind: FactKind
    name: str
    value: str
    file_path: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """What was seen in a text.

    Attributes:
        parser: The parser's name; names of several are joined with ``+``.
        summary: One line.
        beyond: How many findings were counted and not kept.
        claimed: Lines (0-based ranges) that belong to this parser alone: those that read
            after it do not see them.
    """

    parser: str
    summary: str
    findings: tuple[Finding, ...]
    beyond: int = 0
    claimed: tuple[range, ...] = ()


@dataclass(frozen=True, slots=True)
class Parser:
    """A parser with the cheap part of its evidence.

    Attributes:
        hints: A text that holds none of these cannot be claimed, so it is not read at all;
            empty where the parser's own first look is as cheap.
    """

    hints: tuple[str, ...]
    read: Callable[[Output], Parsed | None]

    def parse(self, output: Output) -> Parsed | None:
        """What this parser sees in ``output``; None without positive evidence."""
        if not self.hints:
            return self.read(output)
        text = output.text
        # A plain loop: for a short text, a generator costs more than the search.
        for hint in self.hints:
            if hint in text:
                return self.read(output)
        return None


class Findings:
    """The findings of one parser, in order; beyond the bound they are only counted."""

    def __init__(self, limit: int = MAX_FINDINGS) -> None:
        self._limit = limit
        self._kept: list[Finding] = []
        self.total = 0

    @property
    def full(self) -> bool:
        """Whether a further finding would only be counted."""
        return len(self._kept) >= self._limit

    def add(
        self,
        kind: FactKind,
        name: str,
        value: str,
        path: str | None = None,
        line: int | str | None = None,
    ) -> None:
        """Keep one finding within its bounds. ``line`` has at most nine digits."""
        self.total += 1
        if not self.full:
            number = None if line is None else int(line)
            where = None if path is None else clip(path, MAX_NAME)
            self._kept.append(Finding(kind, clip(name, MAX_NAME), clip(value), where, number))

    def parsed(self, parser: str, summary: str, claimed: Sequence[range] = ()) -> Parsed:
        """The result, with what was kept of it."""
        beyond = self.total - len(self._kept)
        return Parsed(parser, clip(summary), tuple(self._kept), beyond, tuple(claimed))


def clip(value: str, limit: int = MAX_VALUE) -> str:
    """A value within its bound, the cut marked."""
    return value if len(value) <= limit else value[: limit - 1] + "…"


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the plural where it needs one."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
