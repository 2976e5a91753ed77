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
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from sakur4_core.engine import Engine
from sakur4_core.paths import Home

# One writer in four dies at a moment of its first 0.3 s, mostly while it opens the store; the
# others within 20 ms of an acknowledgement, somewhere in the commits that follow it.
DIE_OPENING = 0.25
OPENING_S = 0.3
AFTER_S = 0.02
COMMITS = 5
PATIENCE_S = 60.0


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


@dataclass
class Doomed:
    """A writer, and when it is killed: ``delay`` seconds after its ``enough``th note."""

    child: int
    notes: Path
    enough: int
    delay: float
    moment: float | None = None

    def is_due(self) -> bool:
        now = time.monotonic()
        if self.moment is None and _lines(self.notes) >= self.enough:
            self.moment = now + self.delay
        return self.moment is not None and now >= self.moment


def _lines(notes: Path) -> int:
    return notes.read_bytes().count(b"\n") if notes.exists() else 0


def run(folder: Path, writers: int, chance: random.Random) -> None:
    """Start ``writers``, and kill each at a moment of its own."""
    alive = [_start(folder, f"w{number}", chance) for number in range(writers)]
    deadline = time.monotonic() + PATIENCE_S
    while alive:
        for writer in [writer for writer in alive if writer.is_due()]:
            os.kill(writer.child, signal.SIGKILL)
            _, status = os.waitpid(writer.child, 0)
            if not os.WIFSIGNALED(status):
                sys.exit("a writer ended before it was killed")
            alive.remove(writer)
        if time.monotonic() > deadline:
            sys.exit("a writer got nowhere")
        time.sleep(0.003)


def _start(folder: Path, name: str, chance: random.Random) -> Doomed:
    notes = folder / f"{name}.notes"
    commits = 0 if chance.random() < DIE_OPENING else chance.randint(1, COMMITS)
    delay = chance.uniform(0, AFTER_S if commits else OPENING_S)
    enough = _lines(notes) + commits
    child = os.fork()
    if child == 0:
        try:
            asyncio.run(write(folder, name))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    return Doomed(child, notes, enough, delay)


def main() -> None:
    folder, runs, writers, seed = Path(sys.argv[1]), *map(int, sys.argv[2:5])
    chance = random.Random(seed)
    for _ in range(runs):
        run(folder, writers, chance)


if __name__ == "__main__":
    main()
