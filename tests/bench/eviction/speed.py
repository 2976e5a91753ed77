"""How long a look at a window takes: counting, receipts and plans of 10,000 episodes.

    python tests/bench/eviction/speed.py [--episodes 10000]

Prints one JSON document of milliseconds, medians of five runs. ``yardstick`` is a million
additions in plain Python, before and after: where the two differ, or are far from what the
machine does when it is idle, others disturbed the run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tests" / "core" / "context"))
from context_bench import COUNTER, Benches, conversation  # noqa: E402

RUNS = 5
MEGABYTE = 1_000_000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=10_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = asyncio.run(measure(Path(folder), arguments.episodes))
    print(json.dumps(report, indent=1))


async def measure(folder: Path, episodes: int) -> dict[str, float]:
    """Every figure, in milliseconds."""
    benches = Benches(folder)
    bench = await benches.open(backend="none")
    await bench.fill(conversation(episodes // 3, 8))
    window = bench.window

    async def plan() -> None:
        await window.plan("s1", target=0.3)

    async def after_commit() -> None:
        await bench.fill(conversation(0))
        await window.plan("s1", target=0.3)

    async def receipt() -> None:
        await window.receipt("s1")

    prose, code = _prose(), (ROOT / "core/sakur4_core/context/planner.py").read_text() * 200
    report = {"yardstick": await _median(_yardstick)}
    report["plan_first"] = await _once(plan)
    report["plan"] = await _median(plan)
    report["plan_after_commit"] = await _median(after_commit)
    report["receipt"] = await _median(receipt)
    report["count_1_mb_prose"] = await _median(lambda: COUNTER.measure(prose))
    report["count_1_mb_code"] = await _median(lambda: COUNTER.measure(code[:MEGABYTE]))
    report["yardstick_after"] = await _median(_yardstick)
    await benches.close()
    return report


def _prose() -> str:
    """A megabyte in which hardly a line repeats."""
    chance = random.Random(3)
    words = [
        "".join(chance.choice("aeioulnrstdmk") for _ in range(chance.randint(2, 9)))
        for _ in range(4_000)
    ]
    lines = (" ".join(chance.choices(words, k=12)) for _ in range(16_000))
    return "\n".join(lines)[:MEGABYTE]


async def _yardstick() -> None:
    total = 0
    for number in range(1_000_000):
        total += number


async def _once(work: Callable[[], Awaitable[object]]) -> float:
    started = time.perf_counter()
    await work()
    return round((time.perf_counter() - started) * 1_000, 1)


async def _median(work: Callable[[], Awaitable[object]]) -> float:
    return statistics.median([await _once(work) for _ in range(RUNS)])


if __name__ == "__main__":
    main()
