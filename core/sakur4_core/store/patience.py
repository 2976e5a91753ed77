"""Waiting for a store that another process is writing to."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Callable
from typing import Final, TypeVar

from sakur4_core.store.faults import is_busy

T = TypeVar("T")

# A transaction takes about a millisecond, so the first waits are shorter than SQLite's own,
# which sleep up to 100 ms while the store stands free. Random, so that processes that were
# refused together do not come back together.
FIRST_WAIT_S: Final = 0.001
LONGEST_WAIT_S: Final = 0.012
GROWTH: Final = 1.5

# The longest that a write waits for others: longer than any transaction of the engine takes,
# shorter than the time after which the harnesses give a tool call up.
LOCK_WAIT_S: Final = 15.0


def patiently(
    attempt: Callable[[], T],
    *,
    limit_s: float = LOCK_WAIT_S,
    go_on: Callable[[], bool] = lambda: True,
) -> T:
    """Call ``attempt`` until another process is no longer in its way; return its result.

    Args:
        limit_s: How long to try, in seconds.
        go_on: Asked before each wait; False ends the waiting early.

    Raises:
        sqlite3.OperationalError: The last refusal, or one that waiting does not mend.
    """
    deadline = time.monotonic() + limit_s
    wait = FIRST_WAIT_S
    while True:
        try:
            return attempt()
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() >= deadline or not go_on():
                raise
        time.sleep(wait * (0.5 + random.random()))
        wait = min(wait * GROWTH, LONGEST_WAIT_S)
