"""What changed in the work tree: told by the system, or looked for where it cannot tell."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from pathlib import Path

# A burst of changes is one batch: it ends when nothing came for a step, at the latest after the
# whole wait.
STEP_MS = 50
LONGEST_WAIT_MS = 1_600
# How soon after a new watch began it is looked at what happened before.
SETTLE_MS = 500
POLL_S = 2.0
# Larger batches (a branch switch) are one pass over everything.
MANY = 300
# How often folders may vanish while they are being watched, before that is given up.
ATTEMPTS = 5
RULES = (".gitignore", ".git/info/exclude")
RULES_FOLDER = ".git/info"
INNER = frozenset({".git", ".hg", ".svn"})

Change = frozenset[str] | None
"""Relative paths, or None: look everywhere."""


class WatchLost(Exception):
    """The system does not tell of changes; the message says why."""


async def native_changes(root: Path, folders: Callable[[], list[str]]) -> AsyncIterator[Change]:
    """Batches of changed paths as the system reports them.

    Only the project's own folders are watched, each by itself, for an ignored tree may be larger
    than all the others together. A new folder begins a new watch.

    Args:
        folders: Tells which folders these are now, relative to the root.

    Raises:
        WatchLost: It cannot, or can no longer.
    """
    seen: set[str] = set()
    for _ in range(ATTEMPTS):
        try:
            while True:
                watched = frozenset(await asyncio.to_thread(folders))
                async with aclosing(_batches(root, watched)) as batches:
                    # What happened before this watch began, nobody told.
                    await anext(batches)
                    yield None
                    async for paths in batches:
                        if paths:
                            yield _change(paths)
                        # One that is no folder of the project is looked at once only.
                        new = await asyncio.to_thread(_new_folders, root, paths - watched - seen)
                        if new:
                            seen |= new
                            break
                    else:
                        raise WatchLost("the watch ended")
        except FileNotFoundError:
            # A folder went while the watch began.
            continue
        except StopAsyncIteration as ended:
            raise WatchLost("the watch ended") from ended
        except (OSError, RuntimeError) as error:
            raise WatchLost(_plain(error)) from error
    raise WatchLost("folders come and go too quickly")


async def _batches(root: Path, watched: frozenset[str]) -> AsyncGenerator[frozenset[str], None]:
    """What changed in these folders; nothing, now and then."""
    from watchfiles import Change as Kind
    from watchfiles import awatch

    inner = str(root) + os.sep

    def concerns(_: Kind, path: str) -> bool:
        relative = path.removeprefix(inner)
        return relative in RULES or not INNER.intersection(Path(relative).parts)

    places = [root / folder for folder in sorted(watched)]
    if (root / RULES_FOLDER).is_dir():
        places.append(root / RULES_FOLDER)
    async for batch in awatch(
        *places,
        watch_filter=concerns,
        debounce=LONGEST_WAIT_MS,
        step=STEP_MS,
        rust_timeout=SETTLE_MS,
        yield_on_timeout=True,
        recursive=False,
        ignore_permission_denied=True,
    ):
        yield frozenset(path.removeprefix(inner).replace(os.sep, "/") for _, path in batch)


async def polled_changes() -> AsyncIterator[Change]:
    """A reminder to look everywhere, every ``POLL_S``."""
    while True:
        await asyncio.sleep(POLL_S)
        yield None


def _change(paths: frozenset[str]) -> Change:
    rules = any(path.endswith(".gitignore") or path in RULES for path in paths)
    return None if rules or len(paths) > MANY else paths


def _new_folders(root: Path, paths: frozenset[str]) -> frozenset[str]:
    return frozenset(path for path in paths if Path(root, path).is_dir())


def _plain(error: Exception) -> str:
    text = str(error).lower()
    if "space left" in text or "too many" in text or "limit" in text:
        return "the system is out of file watches"
    return f"the system refused: {type(error).__name__}"
