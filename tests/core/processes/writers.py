"""Writers that are killed: forks 8 a run, kills each at a random moment, then the next run.

Run as a script. The engine is imported once and before any thread starts, so that a fork is
safe and costs milliseconds instead of an interpreter's start. Each writer notes what the engine
acknowledged in a file of its own: `<key> <episode id>`, one write each, after the commit. A
writer begins where its notes end, so it tries again what it cannot know to be stored.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time
import traceback
from itertools import count
from pathlib import Path

from sakur4_core.engine import Engine
from sakur4_core.paths import Home

LIFE_S = (0.05, 0.7)
"""Seconds a writer lives: from before its store is open to some tens of commits later."""


class Words:
    """A counter without a vocabulary to load."""

    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())

    async def measure(self, text: str) -> int:
        return self.count(text)


def text(key: str) -> tuple[str, str]:
    """The role and the content under a key: every third a tool's result with facts."""
    number = int(key.rpartition("-")[2])
    if number % 3 == 0:
        return "tool", f'{{"key": "{key}", "ok": true, "rows": [{number}, {number + 1}]}}'
    return "assistant", f"{key} changes checkUser in the session. " * (1 + number % 40)


def acknowledged(notes: Path) -> list[tuple[str, str]]:
    """The keys and ids in a writer's notes."""
    if not notes.exists():
        return []
    return [tuple(line.split(" ", 1)) for line in notes.read_text().splitlines()]  # type: ignore[misc]


async def write(folder: Path, name: str, last: int | None = None) -> None:
    """Commit one turn after another for ever, or up to number ``last``."""
    notes = folder / f"{name}.notes"
    done = len(acknowledged(notes))
    home = Home(folder / "home", folder / "home")
    descriptor = os.open(notes, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
    async with Engine.open(folder / "project", home=home, counter=Words()) as engine:
        for number in count(done):
            if last is not None and number > last:
                return
            key = f"{name}-{number}"
            role, content = text(key)
            committed = await engine.commit_episode(
                role, content, session_id=name, idempotency_key=key
            )
            os.write(descriptor, f"{key} {committed.episode_id}\n".encode())


def run(folder: Path, writers: int, chance: random.Random) -> None:
    """Start ``writers``, and kill each at a moment of its own."""
    moments = []
    for number in range(writers):
        child = os.fork()
        if child == 0:
            try:
                asyncio.run(write(folder, f"w{number}"))
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        moments.append((time.monotonic() + chance.uniform(*LIFE_S), child))
    for moment, child in sorted(moments):
        time.sleep(max(0.0, moment - time.monotonic()))
        os.kill(child, signal.SIGKILL)
    for _, child in moments:
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            sys.exit("a writer ended before it was killed")


def main() -> None:
    folder, runs, writers, seed = Path(sys.argv[1]), *map(int, sys.argv[2:5])
    chance = random.Random(seed)
    for _ in range(runs):
        run(folder, writers, chance)


if __name__ == "__main__":
    main()
