"""Measure recall's speed on a store that load.py filled.

    python tests/bench/recall/speed.py STORE_FOLDER [QUERIES]

Prints JSON: how long the index takes to build, the first query of a fresh process, and p50 and
p95 of many.
"""

from __future__ import annotations

import asyncio
import json
import random
import resource
import sys
import time
from pathlib import Path

from figures import quantile
from load import FILES, VOCABULARY, Talk
from sakur4_core.engine import Engine
from sakur4_core.paths import Home

QUERIES = 300


def queries(count: int) -> list[str]:
    """Questions of four to nine words, and names of functions between them."""
    chance, talk = random.Random(7), Talk(1)
    found = []
    for number in range(count):
        if number % 10 == 9:
            file = chance.randrange(FILES)
            found.append(f"m{file}_{talk.words[file]}_{chance.randrange(25)}")
            continue
        words = [
            talk.words[int(VOCABULARY ** chance.random()) - 1] for _ in range(chance.randint(4, 9))
        ]
        found.append(f"what did we say about {' '.join(words)}?")
    return found


async def main() -> None:
    """Measure the store that the arguments name."""
    folder = Path(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else QUERIES
    figures: dict[str, float] = {}
    async with Engine.open(folder / "project", home=Home(folder / "home", folder / "home")) as e:
        started = time.perf_counter()
        answer = await e.recall("what did we say about the start", k=10)
        figures["first_query_s"] = round(time.perf_counter() - started, 3)
        waited = []
        while any("being built" in note or "prepared" in note for note in answer.notes):
            await asyncio.sleep(0.1)
            asked = time.perf_counter()
            answer = await e.recall("what did we say about the start", k=10)
            waited.append((time.perf_counter() - asked) * 1_000)
        figures["built_after_s"] = round(time.perf_counter() - started, 1)
        if waited:
            figures["longest_query_while_building_ms"] = round(max(waited), 1)
        took, cpu = [], []
        for text in queries(count):
            asked, spent = time.perf_counter(), time.process_time()
            await e.recall(text, k=10)
            took.append((time.perf_counter() - asked) * 1_000)
            cpu.append((time.process_time() - spent) * 1_000)
        for name, values in (("wall", took), ("cpu", cpu)):
            figures[f"p50_{name}_ms"] = round(quantile(values, 0.5), 1)
            figures[f"p95_{name}_ms"] = round(quantile(values, 0.95), 1)
        figures["max_wall_ms"] = round(max(took), 1)
    figures["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    asyncio.run(main())
