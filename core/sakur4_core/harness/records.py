"""What a harness's transcript says, whatever its format: a stream of typed records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from sakur4_core.models import Role


class Kind(StrEnum):
    """What a turn is; each is kept, not all stand in the model's window."""

    TEXT = "text"
    THINKING = "thinking"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    SUMMARY = "summary"
    INJECTED = "injected"


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its number from 1, the offset behind it, and its bytes without the end."""

    number: int
    end: int
    data: bytes


@dataclass(frozen=True, slots=True)
class SessionSeen:
    """A conversation, with what became known of it."""

    session_id: str
    harness: str
    parent_session: str | None = None
    cwd: str | None = None
    model: str | None = None
    branch: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One message, call or result.

    Attributes:
        key: Its identity across files, forks and resumed sessions; what stands behind a ``#``
            is its place within a line.
        typed: Whether a person typed it, on a main thread.
        sidechain: Whether it belongs to a subagent.
        node: Its place in the harness's own graph of messages, where it has one.
    """

    key: str
    session_id: str
    role: Role
    kind: Kind
    content: str
    tool_name: str | None = None
    tool_call_id: str | None = None
    typed: bool = False
    sidechain: bool = False
    node: str | None = None
    timestamp: str | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A line's place in the graph of messages; what the last leaf reaches is in the window.

    Attributes:
        leaf: Whether the conversation goes on from here, if it is the last that does.
        message: The API message that the line is a part of; its lines stand and fall together.
        origin: The key of the turns that a fork copied here, where it is a copy.
        answers: Whether it holds results of tools.
        kept: Nodes before a compaction that stayed in the window.
        segment: The first and the last of an unbroken chain of such nodes.
    """

    node: str
    session_id: str
    parent: str | None
    leaf: bool
    message: str | None = None
    origin: str | None = None
    answers: bool = False
    kept: tuple[str, ...] = ()
    segment: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Spend:
    """One API call's tokens, as its harness reports them. None: not said.

    ``context_tokens`` is what the call sent: cached and uncached input, and written cache.
    Rows of one ``key`` are the same call; each field's maximum counts.
    """

    key: str
    session_id: str
    input_tokens: int | None
    cache_creation_tokens: int | None
    cache_read_tokens: int | None
    output_tokens: int | None
    context_tokens: int | None
    sidechain: bool = False
    model: str | None = None
    provider: str | None = None
    window: int | None = None
    input_has_cache: bool = False
    timestamp: str | None = None


@dataclass(frozen=True, slots=True)
class Compacted:
    """The history before this place was replaced.

    Attributes:
        tail: The node from which on the history stayed, if some of it did.
    """

    key: str
    session_id: str
    trigger: str | None = None
    pre_tokens: int | None = None
    sidechain: bool = False
    tail: str | None = None


@dataclass(frozen=True, slots=True)
class RolledBack:
    """The last turns that a user began were taken out of the window again."""

    key: str
    session_id: str
    turns: int


@dataclass(frozen=True, slots=True)
class Unknown:
    """A line of a type this program does not know; kept as it is."""

    key: str
    name: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Skipped:
    """A line that could not be read; ``file`` is named where there are several."""

    line: int
    reason: str
    file: str | None = None


Record = SessionSeen | Turn | Node | Spend | Compacted | RolledBack | Unknown | Skipped


class LineReader(Protocol):
    """Reads one growing file line by line."""

    def read(self, line: Line) -> Iterator[Record]:
        """The records of one line."""
        ...

    def state(self) -> dict[str, Any]:
        """What it must know to go on behind this line, bounded and JSON-clean."""
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where a reader of that state stopped."""
        ...
