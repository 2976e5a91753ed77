"""Forked and spawned Codex threads begin with a copy of their parent's history.

The copy is often stamped anew, so time tells little. In this order: the child's own history begins
at the first turn id that the parent does not have; without turn ids, where its lines stop being
the parent's; with no parent to compare, after the burst of the file's first second. Without a
sign of a copy every line is the child's own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sakur4_core.harness.lines import mapping, text

_TURN_STARTS = ("turn_context", "task_started", "turn_started")
# The parent's own first line stands near the beginning of a copy.
HEAD_LINES = 64
# Lines alike at the beginning that make a copy where no turn has an id.
ALIKE = 2

Entries = Iterable[dict[str, Any]]
"""The lines of a rollout, parsed."""


@dataclass(frozen=True, slots=True)
class ParentHistory:
    """What of a parent's rollout tells a copy: turn ids, and marks of its lines without times."""

    turn_ids: frozenset[str]
    bodies: tuple[bytes, ...]


class ForkGate:
    """Decides line by line, from the second on, whether a line belongs to the parent.

    Args:
        parent: The parent's history, None where it is missing.
        copied: Whether the file shows a sign of a copy.
    """

    def __init__(self, parent: ParentHistory | None = None, *, copied: bool = False) -> None:
        self._parent = parent
        self._copying = copied
        self._second = ""
        self._place = 0

    def state(self) -> dict[str, Any]:
        """Where the copy stands; the parent is found again."""
        return {"copying": self._copying, "second": self._second, "place": self._place}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where a gate of that state stopped."""
        self._copying = bool(state.get("copying"))
        self._second = text(state.get("second")) or ""
        self._place = int(state.get("place") or 0)

    def opened(self, timestamp: str | None) -> None:
        """Note when the file's own first line was written."""
        self._second = max(self._second, _second(timestamp))

    def is_copy(self, kind: str, payload: dict[str, Any], timestamp: str | None) -> bool:
        """Whether this line is a copy of the parent's."""
        if self._copying:
            self._copying = self._continues(kind, payload, timestamp)
        return self._copying

    def _continues(self, kind: str, payload: dict[str, Any], timestamp: str | None) -> bool:
        if kind == "session_meta":
            self.opened(timestamp)
            return True
        if self._parent is not None and self._parent.turn_ids:
            turn = turn_id(kind, payload)
            return turn is None or turn in self._parent.turn_ids
        if self._parent is not None:
            place, self._place = self._place, self._place + 1
            bodies = self._parent.bodies
            return place < len(bodies) and bodies[place] == body(kind, payload)
        return _second(timestamp) <= self._second


def gate_of(entries: Entries, parent_of: Callable[[str], Entries | None]) -> ForkGate:
    """The gate of a rollout.

    Args:
        entries: Its lines; only the first are read.
        parent_of: The lines of another session's rollout, None where it is missing.
    """
    head = list(islice(entries, HEAD_LINES))
    metas = [mapping(entry.get("payload")) for entry in head if _is_meta(entry)]
    if not metas:
        return ForkGate()
    own = metas[0]
    parent_id = text(own.get("forked_from_id")) or spawned_by(own)
    other = any(text(meta.get("id")) != text(own.get("id")) for meta in metas[1:])
    found = None if parent_id is None else parent_of(parent_id)
    if found is None:
        return ForkGate(copied=other)
    parent = history(found)
    copied = other or text(own.get("forked_from_id")) is not None or _begins_like(head, parent)
    return ForkGate(parent, copied=copied)


def spawned_by(meta: dict[str, Any]) -> str | None:
    """The thread that a subagent's first line names as its parent."""
    subagent = mapping(mapping(meta.get("source")).get("subagent"))
    return text(mapping(subagent.get("thread_spawn")).get("parent_thread_id"))


def turn_id(kind: str, payload: dict[str, Any]) -> str | None:
    """The turn that a line begins, or None."""
    name = str(payload.get("type")) if kind == "event_msg" else kind
    return text(payload.get("turn_id")) if name in _TURN_STARTS else None


def body(kind: str, payload: dict[str, Any]) -> bytes:
    """A mark of a line without its time, for comparison."""
    said = json.dumps([kind, payload], sort_keys=True)
    return hashlib.blake2b(said.encode(), digest_size=8).digest()


def history(entries: Entries) -> ParentHistory:
    """What a parent's lines tell."""
    turns: set[str] = set()
    bodies: list[bytes] = []
    for kind, payload in _bodies(entries):
        turn = turn_id(kind, payload)
        if turn is not None:
            turns.add(turn)
        bodies.append(body(kind, payload))
    return ParentHistory(frozenset(turns), tuple(bodies))


def _begins_like(head: list[dict[str, Any]], parent: ParentHistory) -> bool:
    lines = list(_bodies(head))
    first = next((turn for line in lines if (turn := turn_id(*line)) is not None), None)
    if first is not None:
        return first in parent.turn_ids
    marks = tuple(body(*line) for line in lines[:ALIKE])
    return len(marks) == ALIKE and marks == parent.bodies[:ALIKE]


def _bodies(entries: Entries) -> Iterator[tuple[str, dict[str, Any]]]:
    """Kind and payload of each line but the first lines of sessions."""
    for entry in entries:
        if not _is_meta(entry) and isinstance(entry.get("payload"), dict):
            yield str(entry.get("type")), entry["payload"]


def _is_meta(entry: dict[str, Any]) -> bool:
    return entry.get("type") == "session_meta"


def _second(timestamp: str | None) -> str:
    return "" if timestamp is None else timestamp[:19]
