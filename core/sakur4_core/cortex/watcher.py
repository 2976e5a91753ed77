"""What changed in the work tree: told by the system, or looked for where it cannot tell."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

# A burst of changes is one batch: it ends when nothing came for a step, at the latest after the
# whole wait.
STEP_MS = 50
LONGEST_WAIT_MS = 1_600
POLL_S = 2.0
# Larger batches (a branch switch) are one pass over everything.
MANY = 300
RULES = (".gitignore", ".git/info/exclude")
INNER = frozenset({".git", ".hg", ".svn"})

Change = frozenset[str] | None
"""Relative paths, or None: look everywhere."""


class WatchLost(Exception):
    """The system does not tell of changes; the message says why."""


async def native_changes(root: Path) -> AsyncIterator[Change]:
    """Batches of changed paths as the system reports them.

    Raises:
        WatchLost: It cannot, or can no longer.
    """
    from watchfiles import Change as Kind
    from watchfiles import awatch

    inner = str(root) + os.sep

    def concerns(_: Kind, path: str) -> bool:
        relative = path.removeprefix(inner)
        return relative in RULES or not INNER.intersection(Path(relative).parts)

    try:
        async for batch in awatch(
            root,
            watch_filter=concerns,
            debounce=LONGEST_WAIT_MS,
            step=STEP_MS,
            ignore_permission_denied=True,
        ):
            paths = frozenset(path.removeprefix(inner).replace(os.sep, "/") for _, path in batch)
            rules = any(path.endswith(".gitignore") or path in RULES for path in paths)
            yield None if rules or len(paths) > MANY else paths
    except (OSError, RuntimeError) as error:
        raise WatchLost(_plain(error)) from error
    raise WatchLost("the watch ended")


async def polled_changes() -> AsyncIterator[Change]:
    """A reminder to look everywhere, every ``POLL_S``."""
    while True:
        await asyncio.sleep(POLL_S)
        yield None


def _plain(error: Exception) -> str:
    text = str(error).lower()
    if "space left" in text or "too many" in text or "limit" in text:
        return "the system is out of file watches"
    return f"the system refused: {type(error).__name__}"
