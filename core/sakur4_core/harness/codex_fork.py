"""Forked and spawned Codex threads begin with a copy of their parent's history.

The copy is often stamped anew, so time tells little. In this order: the child's own history begins
at the first turn id that the parent does not have; without turn ids, where its lines stop being
the parent's; with no parent to compare, after the burst of the file's first second. Without a
sign of a copy (see :func:`shows_copy`) every line is the child's own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sakur4_core.harness.lines import text

_TURN_STARTS = ("turn_context", "task_started", "turn_started")


@dataclass(frozen=True, slots=True)
class ParentHistory:
    """What of a parent's rollout tells a copy: its turn ids, and its lines without their times."""

    turn_ids: frozenset[str]
    bodies: tuple[str, ...]


class ForkGate:
    """Decides line by line, from the second on, whether a line belongs to the parent.

    Args:
        parent: The parent's history, None where it is missing.
        copied: Whether the file shows a sign of a copy (see :func:`shows_copy`).
    """

    def __init__(self, parent: ParentHistory | None = None, *, copied: bool = False) -> None:
        self._parent = parent
        self._copying = copied
        self._first_second: str | None = None
        self._bodies: Iterator[str] = iter(parent.bodies if parent is not None else ())

    def opened(self, timestamp: str | None) -> None:
        """Note when the file's own first line was written."""
        self._first_second = _second(timestamp)

    def is_copy(self, kind: str, payload: dict[str, Any], timestamp: str | None) -> bool:
        """Whether this line is a copy of the parent's."""
        if self._copying:
            self._copying = self._continues(kind, payload, timestamp)
        return self._copying

    def _continues(self, kind: str, payload: dict[str, Any], timestamp: str | None) -> bool:
        if kind == "session_meta":
            self._first_second = _second(timestamp) or self._first_second
            return True
        if self._parent is not None and self._parent.turn_ids:
            turn = turn_id(kind, payload)
            return turn is None or turn in self._parent.turn_ids
        if self._parent is not None:
            return next(self._bodies, None) == body(kind, payload)
        return _second(timestamp) == self._first_second


def turn_id(kind: str, payload: dict[str, Any]) -> str | None:
    """The turn that a line begins, or None."""
    name = str(payload.get("type")) if kind == "event_msg" else kind
    return text(payload.get("turn_id")) if name in _TURN_STARTS else None


def body(kind: str, payload: dict[str, Any]) -> str:
    """A line without its time, for comparison."""
    return json.dumps([kind, payload], sort_keys=True, ensure_ascii=False)


def history(entries: Iterable[dict[str, Any]]) -> ParentHistory:
    """What a parent's lines tell (its own first ``session_meta`` left out)."""
    turns: set[str] = set()
    bodies: list[str] = []
    for entry in entries:
        kind, payload = str(entry.get("type")), entry.get("payload")
        if not isinstance(payload, dict) or kind == "session_meta":
            continue
        turn = turn_id(kind, payload)
        if turn is not None:
            turns.add(turn)
        bodies.append(body(kind, payload))
    return ParentHistory(frozenset(turns), tuple(bodies))


def shows_copy(entries: Iterable[dict[str, Any]], *, has_parent: bool) -> bool:
    """Whether a file's lines show that it begins with a copy of its parent's history.

    Args:
        has_parent: Whether the parent's rollout is there to compare with. A fork that names its
            parent is a copy then; without it, only the parent's own first line is a sign.
    """
    own: str | None = None
    for entry in entries:
        payload = entry.get("payload")
        if entry.get("type") != "session_meta" or not isinstance(payload, dict):
            continue
        if own is None:
            own = text(payload.get("id")) or ""
            if has_parent and text(payload.get("forked_from_id")):
                return True
        elif text(payload.get("id")) != own:
            return True
    return False


def _second(timestamp: str | None) -> str | None:
    return None if timestamp is None else timestamp[:19]
