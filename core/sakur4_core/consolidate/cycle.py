"""One cycle: what it may still do, what it has done, and why it did not do the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from sakur4_core.events import DREAM_PROGRESSED
from sakur4_core.store import dream as sql
from sakur4_core.store.database import Transaction

COMMITTED = "Somebody is at work; the rest waits for the next quiet time."


class Interrupted(Exception):
    """The cycle ends between two items; the message says why."""


class Outcome(NamedTuple):
    """What became of an item: how many things were done, or why none was."""

    done: int = 0
    skipped: str | None = None


Check = Callable[[Transaction], None]
"""Raises :class:`Interrupted` inside an item's transaction, before anything is written."""


class Step(Protocol):
    """One kind of upkeep.

    Attributes:
        doing: What is shown while it runs: ``promoting``.
        count: The field of the report that it counts in.
    """

    doing: str
    count: str

    async def due(self, limit: int) -> list[str]:
        """Ids of what is due, the most urgent first, ``limit`` at most."""
        ...

    async def do(self, item: str, check: Check) -> Outcome:
        """Work on one item, written in one transaction that begins with ``check``."""
        ...


@dataclass(slots=True)
class Cycle:
    """What one cycle has done so far.

    Attributes:
        began: The newest thing that somebody had done when it began.
        busy: Tells why the model's server may be at work, or None.
        total: Items that were due when it began.
        told: Whether its progress was told to anybody.
    """

    began: sql.Activity | None
    busy: Callable[[], Awaitable[str | None]]
    total: int = 0
    taken: int = 0
    told: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)

    async def take(self, step: Step, item: str) -> None:
        """Work on one item of a step.

        Raises:
            Interrupted: Somebody is at work; nothing of the item was written.
        """
        reason = await self.busy()
        if reason is not None:
            raise Interrupted(f"Not idle: {reason}.")

        def check(tx: Transaction) -> None:
            if sql.last_activity(tx.db) != self.began:
                raise Interrupted(COMMITTED)
            self.told = True
            tx.emit(
                DREAM_PROGRESSED,
                actor="dream",
                detail={"doing": step.doing, "done": self.taken, "total": self.total},
            )

        outcome = await step.do(item, check)
        self.taken += 1
        self.counts[step.count] += outcome.done
        if outcome.skipped is not None:
            self.skipped[outcome.skipped] += 1
