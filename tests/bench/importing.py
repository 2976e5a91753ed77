"""How fast a Claude Code transcript is imported, and that memory does not grow with its size.

Prints one JSON document. Each import is a process of its own that takes a made-up file
(``claude_file.py``) into a fresh store; figures are medians. ``cpu_s`` is what one core would
need, ``grown_mb`` what was resident at most after a piece beyond what was before the first.
``floor`` is what no importer can leave out, done by nobody but the libraries on the same file and
the same rows: JSON, tokens and plain ``sqlite3``. ``yardstick_ms`` is a million additions before
and after: on another machine, or beside other work, it is the ratios that count.

    python tests/bench/importing.py            20 MB and 100 MB, some minutes
    python tests/bench/importing.py --quick    1 MB and 3 MB, some seconds
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import psutil
from sakur4_core.context.tokens import LocalCounter
from sakur4_core.engine import Engine
from sakur4_core.paths import Home
from sakur4_core.store.connection import configure
from sakur4_core.store.database import prepare_file

sys.path.insert(0, str(Path(__file__).parent))
from claude_file import Session

MB = 1_000_000
RUNS = 5
AT_ONCE = 2_000
# In an order that keeps references; the words of episodes come from the transcript itself.
TABLES = ("session", "episode", "episode_state", "fact", "event", "usage")
TRACES = ("harness_node", "harness_turn", "harness_spend")


def make(file: Path, size: int) -> None:
    """Write a transcript of ``size`` bytes."""
    with file.open("wb") as stream:
        stream.writelines(Session().lines(size))


async def run(file: Path, folder: Path) -> dict[str, float]:
    """Import ``file`` into a fresh store in ``folder``, with the vocabulary loaded before."""
    (folder / "project").mkdir(parents=True)
    home = Home(folder / "home", folder / "home")
    async with Engine.open(folder / "project", home=home, store=folder / "s.db") as engine:
        began = time.perf_counter()
        await engine.workspace.counter.measure("The vocabulary loads now.")
        load, resident = time.perf_counter() - began, [_resident()]
        began, cpu = time.perf_counter(), time.process_time()
        imported = await engine.importer.run(
            file, progress=lambda *_: resident.append(_resident())
        )
        return {
            "s": time.perf_counter() - began,
            "cpu_s": time.process_time() - cpu,
            "load_s": load,
            "peak_mb": max(resident),
            "grown_mb": max(resident) - resident[0],
            "episodes": imported.new_episodes,
        }


def _resident() -> float:
    return psutil.Process().memory_info().rss / MB


def floor(file: Path, store: Path, target: Path) -> dict[str, float]:
    """CPU seconds of what an import cannot leave out, each by the library that does it."""
    rows = sqlite3.connect(store)
    contents = [row[0] for row in rows.execute("SELECT content FROM episode ORDER BY seq")]
    taken = {name: rows.execute(f"SELECT * FROM {name}").fetchall() for name in TABLES + TRACES}
    rows.close()
    counter = LocalCounter()
    counter.count("")
    prepare_file(target)
    db = sqlite3.connect(target, isolation_level=None)
    configure(db, read_only=False)

    def parse() -> None:
        with file.open("rb") as lines:
            for line in lines:
                json.loads(line)

    def write() -> None:
        for name, values in taken.items():
            marks = ", ".join("?" * len(values[0]))
            _fill(db, f"INSERT INTO {name} VALUES ({marks})", values)
        _fill(db, "INSERT INTO episode_fts (rowid, text) VALUES (?, ?)", [*enumerate(contents, 1)])

    figures = {
        "json_s": _cpu(parse),
        "tokens_s": _cpu(lambda: [counter.count(content) for content in contents]),
        "sqlite_s": _cpu(write),
    }
    db.close()
    return {**figures, "cpu_s": sum(figures.values())}


def _fill(db: sqlite3.Connection, statement: str, rows: Sequence[Sequence[object]]) -> None:
    """Insert rows in transactions about as large as an import's."""
    for start in range(0, len(rows), AT_ONCE):
        db.execute("BEGIN IMMEDIATE")
        db.executemany(statement, rows[start : start + AT_ONCE])
        db.execute("COMMIT")


def _cpu(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def measure(folder: Path, size: int, runs: int) -> dict[str, Any]:
    """Import a file of ``size`` bytes ``runs`` times, each time by a new process."""
    file = folder / f"{size}.jsonl"
    make(file, size)
    made, reports, floors = file.stat().st_size / MB, [], []
    for number in range(runs):
        place = folder / f"{size}-{number}"
        command = [sys.executable, __file__, "--run", str(file), str(place)]
        reports.append(json.loads(subprocess.run(command, capture_output=True, check=True).stdout))
        floors.append(floor(file, place / "s.db", place / "floor.db"))
    figures = {key: median(report[key] for report in reports) for key in reports[0]}
    least = {key: round(median(one[key] for one in floors), 3) for key in floors[0]}
    return {
        "mb": round(made, 1),
        **{key: round(value, 2) for key, value in figures.items()},
        "mb_per_s": round(made / figures["s"], 2),
        "mb_per_cpu_s": round(made / figures["cpu_s"], 2),
        "floor": least,
        "ratio": round(figures["cpu_s"] / least["cpu_s"], 2),
    }


def yardstick() -> float:
    """Milliseconds of a million additions."""
    return round(1_000 * median(_cpu(lambda: sum(range(1_000_000))) for _ in range(5)), 1)


def main() -> None:
    """Measure two sizes, or do one import of them."""
    if "--run" in sys.argv:
        print(json.dumps(asyncio.run(run(Path(sys.argv[2]), Path(sys.argv[3])))))
        return
    small, large, runs = (1, 3, 1) if "--quick" in sys.argv else (20, 100, RUNS)
    with tempfile.TemporaryDirectory(prefix="sakur4-bench-") as name:
        folder = Path(name)
        report = {
            "yardstick_ms": yardstick(),
            "small": measure(folder, small * MB, runs),
            "large": measure(folder, large * MB, 1),
            "yardstick_after_ms": yardstick(),
        }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
