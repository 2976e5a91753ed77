"""How fast a folder is indexed and asked, beside its peers. Prints one JSON document.

    python tests/bench/index.py FOLDER [--rounds N]

The folder is a git work tree; nothing is written into it but one comment, which is taken back.
Seconds of wall time and of processor time, medians of N rounds; megabytes are 10^6 bytes of
files and 2^20 of memory. On a loaded machine only the processor's seconds compare. Peers:
tree-sitter's parse alone in one process, universal-ctags and aider's RepoMap where installed.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sakur4_core.cortex.discovery import discover
from sakur4_core.cortex.languages import by_name, language_of
from sakur4_core.engine import Engine

BUDGET = 1_024
DEPTH = 6
QUERY = "parse the options of a request"
LIMIT_BYTES = 2_000_000
AIDER = """
import resource, sys, time
from aider.io import InputOutput
from aider.models import Model
from aider.repomap import RepoMap
import json
root, files = sys.argv[1], json.load(sys.stdin)
begun, used = time.perf_counter(), time.process_time()
RepoMap(1024, root, Model("gpt-4o"), InputOutput(yes=True)).get_repo_map([], files)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"wall_s": time.perf_counter() - begun,
                  "cpu_s": time.process_time() - used, "peak_mb": peak}))
"""


def used() -> float:
    """Processor seconds of this process and of its ended children."""
    total = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        total += usage.ru_utime + usage.ru_stime
    return total


def parse_alone(root: Path) -> dict[str, float]:
    """Read first, then parse every file of a grammar in one process."""
    from tree_sitter import Parser
    from tree_sitter_language_pack import get_language

    texts = []
    for path, found in discover(root).files.items():
        language = language_of(path)
        parsed = language is not None and language.grammar and found.size <= LIMIT_BYTES
        if language is not None and parsed and not found.link:
            texts.append((language.name, Path(found.place).read_bytes()))
    parsers = {
        name: Parser(get_language(by_name(name).grammar))  # type: ignore[arg-type]
        for name in {name for name, _ in texts}
    }
    begun, before = time.perf_counter(), used()
    for name, data in texts:
        parsers[name].parse(data)
    return {
        "wall_s": time.perf_counter() - begun,
        "cpu_s": used() - before,
        "source_mb": sum(len(data) for _, data in texts) / 1e6,
        "files": len(texts),
    }


async def cold(root: Path, store: Path) -> dict[str, float]:
    """Index into a new store."""
    async with Engine.open(root, store=store) as engine:
        begun, before = time.perf_counter(), used()
        report = await engine.index()
        wall, cpu = time.perf_counter() - begun, used() - before
        source = await engine.workspace.database.read(
            lambda db: db.execute(
                "SELECT sum(size) FROM file WHERE status IN ('parsed', 'degraded')"
            ).fetchone()[0]
        )
    return {
        "wall_s": wall,
        "cpu_s": cpu,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "peak_worker_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
        "store_mb": store.stat().st_size / 1e6,
        "store_per_source": store.stat().st_size / max(source or 0, 1),
        "files": report.files,
        "facts": report.facts,
        "edges": report.edges,
    }


async def first_map(root: Path, store: Path) -> dict[str, float]:
    """A new process's first map, from after its libraries were imported."""
    begun, before = time.perf_counter(), used()
    async with Engine.open(root, store=store) as engine:
        await engine.repo_map(BUDGET)
        return {"wall_s": time.perf_counter() - begun, "cpu_s": used() - before}


async def warm(root: Path, store: Path) -> dict[str, dict[str, float]]:
    """What an engine that is open answers: nothing changed, one file changed, map, impact."""
    found: dict[str, dict[str, float]] = {}
    async with Engine.open(root, store=store) as engine:

        async def timed(name: str, work: Callable[[], Any]) -> None:
            begun, before = time.perf_counter(), used()
            await work()
            found[name] = {"wall_s": time.perf_counter() - begun, "cpu_s": used() - before}

        # As one that watches: with a process to parse in, and with recall's own index built.
        await engine.cortex._indexer.parsers.keep()
        await engine.repo_map(BUDGET)
        await engine.recall(QUERY)
        await timed("nothing_changed", engine.index)
        await timed("map", lambda: engine.repo_map(BUDGET))
        await timed("map_by_query", lambda: engine.repo_map(BUDGET, query=QUERY))
        path, name = await _most_used(engine)
        await timed("impact", lambda: engine.impact(name, DEPTH))
        place = root / path
        text = place.read_bytes()
        try:
            place.write_bytes(text + b"\n")
            await timed("one_changed", lambda: _seen(engine, path, name))
        finally:
            place.write_bytes(text)
    return found


async def _seen(engine: Engine, path: str, name: str) -> None:
    """From the watcher's notice of a change to its place in all answers."""
    await engine.cortex._indexer.index_paths([path], actor="watcher")
    await engine.repo_map(BUDGET, query=name)
    await engine.symbol(name)
    await engine.recall(name)


async def _most_used(engine: Engine) -> tuple[str, str]:
    row = await engine.workspace.database.read(
        lambda db: db.execute(
            "SELECT t.file_path, t.qualified_name FROM code_edge e"
            " JOIN fact t ON t.fact_row = e.target_row WHERE t.kind IN ('function', 'method')"
            " GROUP BY e.target_row ORDER BY count(*) DESC, t.fact_row LIMIT 1"
        ).fetchone()
    )
    return row[0], row[1]


def ctags(root: Path) -> dict[str, float] | None:
    """Universal-ctags' definitions of the same files."""
    program = shutil.which("ctags")
    if program is None:
        return None
    names = "\n".join(path for path in discover(root).files if language_of(path))
    with tempfile.NamedTemporaryFile() as out:
        begun, before = time.perf_counter(), used()
        subprocess.run(
            [program, "-L", "-", "-f", out.name],
            input=names.encode("utf-8", "backslashreplace"),
            cwd=root,
            check=False,
            capture_output=True,
        )
        return {"wall_s": time.perf_counter() - begun, "cpu_s": used() - before}


def aider(root: Path) -> dict[str, float] | None:
    """aider's map of the same files, without its cache and then with it."""
    if importlib.util.find_spec("aider") is None:
        return None
    files = [f.place for path, f in discover(root).files.items() if language_of(path)]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / root.name
        shutil.copytree(root, copy, symlinks=True)
        moved = json.dumps([str(copy / Path(place).relative_to(root)) for place in files])
        runs = [
            json.loads(
                subprocess.run(
                    [sys.executable, "-c", AIDER, str(copy)],
                    input=moved,
                    text=True,
                    check=True,
                    capture_output=True,
                ).stdout.splitlines()[-1]
            )
            for _ in range(2)
        ]
    return {
        f"{name}_{key}": value
        for name, run in zip(("cold", "warm"), runs, strict=True)
        for key, value in run.items()
    }


PARTS: dict[str, Callable[[Path, Path], Any]] = {
    "parse_alone": lambda root, _: parse_alone(root),
    "cold": lambda root, store: asyncio.run(cold(root, store)),
    "first_map": lambda root, store: asyncio.run(first_map(root, store)),
    "warm": lambda root, store: asyncio.run(warm(root, store)),
    "ctags": lambda root, _: ctags(root),
    "aider": lambda root, _: aider(root),
}


def apart(part: str, root: Path, store: Path) -> Any:
    """One part in a process of its own, so that its peak of memory is its own."""
    done = subprocess.run(
        [sys.executable, __file__, str(root), "--part", part, "--store", str(store)],
        check=True,
        stdout=subprocess.PIPE,
    )
    return json.loads(done.stdout)


def median(runs: list[Any]) -> Any:
    """The medians of equal documents, number by number."""
    first = runs[0]
    if isinstance(first, dict):
        return {key: median([run[key] for run in runs]) for key in first}
    return None if first is None else round(statistics.median(runs), 3)


def main() -> None:
    """Measure every part and print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--store", type=Path)
    options = parser.parse_args()
    root = options.folder.resolve()
    if options.part:
        json.dump(PARTS[options.part](root, options.store), sys.stdout)
        return
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SAKUR4_HOME"] = folder
        rounds: dict[str, list[Any]] = {part: [] for part in PARTS}
        for number in range(options.rounds):
            store = Path(folder) / f"{number}.db"
            for part in PARTS:
                rounds[part].append(apart(part, root, store))
    report = {part: median(runs) for part, runs in rounds.items()}
    alone, whole = report["parse_alone"], report["cold"]
    report["cold_per_parse"] = {
        unit: round(whole[unit] / max(alone[unit], 1e-9), 2) for unit in ("wall_s", "cpu_s")
    }
    report["load"] = [round(load, 1), round(os.getloadavg()[0], 1)]
    json.dump(report, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
