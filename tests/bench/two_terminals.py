"""How soon a person sees what an agent does, and an agent what the person decided.

A real terminal (tmux) shows the interface; the SDK's client drives a server of its own. Prints
one JSON document of seconds, medians and worst of ``ROUNDS``. Reading the screen takes up to
``look_s`` of each figure.

    python tests/bench/two_terminals.py
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
from tests.end_to_end.test_two_terminals import SESSION, agent, call, fill, say  # noqa: E402
from tests.end_to_end.tmux import Screen, terminal  # noqa: E402

ROUNDS = 7
BOUND_S = 30.0


async def appears(screen: Screen, text: str) -> None:
    """Wait until ``text`` stands on the screen."""
    async with asyncio.timeout(BOUND_S):
        while text not in await asyncio.to_thread(screen.text):
            await asyncio.sleep(0.005)


async def measure(project: Path) -> dict[str, Any]:
    """Turns that appear, then plans that are approved."""
    shown, decided, looks = [], [], []
    program = [sys.executable, "-m", "sakur4_tui", "--project", str(project)]
    async with terminal(program) as screen, agent(project) as client:
        await screen.shows("Nothing waits")
        await say(client, "user", "the first turn loads the tokenizer")
        for number in range(ROUNDS):
            asked = time.perf_counter()
            await asyncio.to_thread(screen.text)
            looks.append(time.perf_counter() - asked)
            await say(client, "user", f"zebra{number} stands here")
            committed = time.perf_counter()
            await appears(screen, f"zebra{number}")
            shown.append(time.perf_counter() - committed)
        for _ in range(ROUNDS):
            await fill(client)
            asking = asyncio.create_task(
                call(client, "context_plan_eviction", session_id=SESSION, apply=True)
            )
            await appears(screen, "1 wait")
            pressed = time.perf_counter()
            screen.keys("3", "a")
            answer = await asking
            decided.append(time.perf_counter() - pressed)
            assert answer["status"] == "applied", answer
            await screen.shows("Nothing waits")
    return {
        "look_s": _figures(looks),
        "turn_shown_s": _figures(shown),
        "decided_s": _figures(decided),
    }


def _figures(spans: list[float]) -> dict[str, float]:
    return {"median": round(median(spans), 3), "worst": round(max(spans), 3)}


def main() -> None:
    """Measure in folders of its own."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        project.mkdir()
        (project / "main.py").write_text("def main() -> None:\n    pass\n")
        os.environ["SAKUR4_HOME"] = str(Path(folder, "home"))
        os.environ["SAKUR4_CONTEXT_WINDOW"] = "4000"
        os.environ["SAKUR4_CONTEXT_RESERVE_OUTPUT"] = "0"
        print(json.dumps({"rounds": ROUNDS, **asyncio.run(measure(project))}, indent=1))


if __name__ == "__main__":
    main()
