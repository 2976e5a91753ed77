"""How long hooks hold Claude Code up, and how soon a line it wrote is known. One JSON document.

    python tests/bench/beside_harness.py

Milliseconds, medians and the worst of ``ROUNDS``. ``interpreter`` is Python starting with nothing
to do, in the same run. ``seen`` is from the line standing in the transcript to its event, with the
follower as the interface runs it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from sakur4_core.engine import Engine
from sakur4_core.events import EPISODE_COMMITTED

sys.path.insert(0, str(Path(__file__).parents[1]))
from core.harness.claude_writer import SESSION, Writer, project_folder

ROUNDS = 15
TURNS = 2_000
STARTED_S = 1.0
EVENTS = {
    "SessionStart": ("startup", "resume", "compact"),
    "UserPromptSubmit": ("",),
    "PreCompact": ("",),
    "PostToolUse": ("",),
    "Stop": ("",),
}


def main() -> None:
    """Measure in a home of its own, and print."""
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder) / "home", Path(folder) / "project"
        project.mkdir()
        os.environ |= {"HOME": str(home), "SAKUR4_HOME": str(home / "sakur4")}
        os.environ.pop("CLAUDE_CONFIG_DIR", None)
        figures: dict[str, object] = {"rounds": ROUNDS, "turns": TURNS}
        figures["interpreter"] = timed(lambda: run([sys.executable, "-c", ""], b""))
        figures["no_store"] = every_event(project)
        store = asyncio.run(filled(project))
        figures["store"] = every_event(project)
        with writing(store):
            # Nobody can propose here until the writer is done: a pause lets them start and wait.
            figures["busy_store"] = every_event(project, after=lambda: time.sleep(STARTED_S))
        settle()
        figures["seen"] = asyncio.run(seen(project, home))
        print(json.dumps(figures, indent=1))


def settle() -> None:
    """Wait for the plans that PreCompact has proposed by processes that nobody waits for."""
    # One that has ended and that nobody reaped has no command line any more.
    while any(
        "--propose" in (one.info["cmdline"] or ()) for one in psutil.process_iter(["cmdline"])
    ):
        time.sleep(0.02)


def every_event(project: Path, after: Callable[[], None] = settle) -> dict[str, dict[str, float]]:
    """Every event with every source."""
    return {
        f"{event} {source}".strip(): timed(
            lambda e=event, s=source: call(project, e, s), after if event == "PreCompact" else None
        )
        for event, sources in EVENTS.items()
        for source in sources
    }


def call(project: Path, event: str, source: str) -> None:
    """One hook call, as the harness makes it."""
    said = {"hook_event_name": event, "session_id": SESSION, "cwd": str(project), "source": source}
    command = [sys.executable, "-m", "sakur4_tui", "hook", "claude-code", event]
    run(command, json.dumps(said).encode())


def run(command: list[str], given: bytes) -> None:
    """Run to the end; a failure ends the benchmark."""
    subprocess.run(command, input=given, stdout=subprocess.DEVNULL, check=True)


def timed(work: Callable[[], None], after: Callable[[], None] | None = None) -> dict[str, float]:
    """Milliseconds of each run."""
    spent = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        spent.append((time.perf_counter() - started) * 1000)
        if after is not None:
            after()
    return summary(spent)


def summary(spent: list[float]) -> dict[str, float]:
    """The median and the worst."""
    return {"median": round(statistics.median(spent), 1), "worst": round(max(spent), 1)}


async def filled(project: Path) -> Path:
    """A store with a session and pinned rules; its file."""
    async with Engine.open(project) as engine:
        for number in range(20):
            await engine.pin(f"Rule {number}: keep the order of table {number}.")
        for number in range(TURNS):
            role = ("user", "assistant", "tool")[number % 3]
            text = f"turn {number}: the queue's limit is {number}. " * 8
            await engine.commit_episode(role, text, session_id=SESSION)
        return engine.workspace.place.file


@contextmanager
def writing(store: Path) -> Iterator[None]:
    """Another process's open write transaction."""
    writer = sqlite3.connect(store, isolation_level=None)
    try:
        writer.execute("BEGIN IMMEDIATE")
        yield
    finally:
        writer.close()


async def seen(project: Path, home: Path) -> dict[str, float]:
    """From a written line to its event, with pauses as a harness makes them."""
    session = "11111111-2222-4333-8444-555555555555"
    writer = Writer(project, session)
    file = project_folder(home, project) / f"{session}.jsonl"
    spent = []
    async with (
        Engine.open(project, kind="serve") as engine,
        engine.events.subscribe() as events,
    ):
        for number in range(ROUNDS + 1):
            writer.says(f"question {number}")
            with file.open("ab") as stream:
                stream.write(writer.lines[-1])
            started = time.perf_counter()
            async with asyncio.timeout(30):
                while (await events.get()).kind != EPISODE_COMMITTED:
                    pass
            spent.append((time.perf_counter() - started) * 1000)
    # The first finds a file that is new, which is looked for less often.
    return {"first": round(spent[0], 1), **summary(spent[1:])}


if __name__ == "__main__":
    main()
