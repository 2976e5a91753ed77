"""Messages of a rollout, each told once.

Codex writes a message twice, as an item and as an event; some versions write one of the two. An
item can have several parts where each is an event of its own, and can say more than its event (a
picture, what an editor added).
"""

from __future__ import annotations

import hashlib
from collections import deque
from dataclasses import dataclass
from typing import Any

from sakur4_core.harness.lines import items

# An item and its event stand near each other; more are never waited for.
WAITING = 64


@dataclass(frozen=True, slots=True)
class _Told:
    """A message that waits for its other form; the words of one from before are not kept."""

    mark: str
    words: str = ""


class Words:
    """Tells whether a message was told before by its other form."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[_Told]] = {}

    def state(self) -> dict[str, list[str]]:
        """Marks of what waits for its other form: nothing that was said leaves with them."""
        return {
            name: [told.mark for told in waiting]
            for name, waiting in self._waiting.items()
            if waiting
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on with what waited."""
        self._waiting = {
            name: deque((_Told(str(mark)) for mark in items(marks)), WAITING)
            for name, marks in state.items()
        }

    def item_is_new(self, role: str, parts: list[str]) -> bool:
        """Whether an item of these text parts was not told by its events."""
        told = [_told(words) for part in parts if (words := fold(part))]
        whole = _told(" ".join(one.words for one in told))
        events = self._of("event", role)
        if _take(events, [whole]) or (len(told) > 1 and _take(events, told)):
            return False
        self._of("item", role).extend([whole, *told] if len(told) > 1 else [whole])
        return True

    def event_is_new(self, role: str, said: str) -> bool:
        """Whether an event's message was not told by its item."""
        told = _told(fold(said))
        waiting = self._of("item", role)
        if _take(waiting, [told]):
            return False
        # A user's item may hold more than was typed, around it.
        if role == "user" and waiting and told.words in waiting[-1].words:
            waiting.pop()
            return False
        self._of("event", role).append(told)
        return True

    def _of(self, form: str, role: str) -> deque[_Told]:
        return self._waiting.setdefault(f"{form} {role}", deque(maxlen=WAITING))


def fold(text: str) -> str:
    """A text with its white space folded and cut, for comparison."""
    return " ".join(text.split())[:2_000]


def _told(words: str) -> _Told:
    return _Told(
        hashlib.blake2b(words.encode("utf-8", "replace"), digest_size=9).hexdigest(), words
    )


def _take(waiting: deque[_Told], wanted: list[_Told]) -> bool:
    """Take what is wanted out of what waits, if all of it does."""
    marks = {one.mark: one for one in waiting}
    found = [marks[told.mark] for told in wanted if told.mark in marks]
    if not wanted or len(found) < len(wanted):
        return False
    for one in dict.fromkeys(found):
        waiting.remove(one)
    return True
