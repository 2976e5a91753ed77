"""What a parser of tool output returns."""

from __future__ import annotations

from dataclasses import dataclass

from sakur4_core.models import FactKind

MAX_VALUE = 500


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
    """A text that a parser claimed, with a summary of one line."""

    parser: str
    summary: str
    findings: tuple[Finding, ...]


def clip(value: str) -> str:
    """A value within its bound, the cut marked."""
    return value if len(value) <= MAX_VALUE else value[: MAX_VALUE - 1] + "…"
