"""How fast the memory is with a large store; prints one JSON document.

Every figure is the median of several runs. Beside each stands the same work done by plain
``sqlite3`` on a copy of the same store in the same run (the peer), so that a ratio can be
compared between machines and a slow disk is not taken for a slow engine. ``cpu_ms`` is
processor time, which other programs on the machine disturb less than they do the wall clock.

    python tests/bench/memory.py            100,000 episodes, some minutes
    python tests/bench/memory.py --quick    small sizes, a few seconds; shows that it works
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from sakur4_core.clock import RandomIds, SystemClock
from sakur4_core.context.tokens import LocalCounter
from sakur4_core.engine import Engine
from sakur4_core.errors import Sakur4Error
from sakur4_core.memory import chain
from sakur4_core.memory.episodes import append
from sakur4_core.memory.ledger import extract, natural_id
from sakur4_core.memory.sessions import ensure_session
from sakur4_core.models import Fact, Role
from sakur4_core.paths import Home
from sakur4_core.store import episodes as episode_sql
from sakur4_core.store import ledger as ledger_sql
from sakur4_core.store.database import Transaction
from sakur4_core.words import search_text

sys.path.insert(0, str(Path(__file__).parent))
from turns import Talk, Turn

BULK = 1_000
POOL = 3_000


@dataclass(frozen=True, slots=True)
class Size:
    """How much to do; ``turns`` is the number of different ones that a writer has."""

    episodes: int
    commits: int
    writers: int
    seconds: float
    turns: int
    runs: int


FULL = Size(episodes=100_000, commits=600, writers=8, seconds=8.0, turns=400, runs=3)
QUICK = Size(episodes=300, commits=30, writers=2, seconds=0.5, turns=30, runs=1)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A turn with all that a commit works out before its transaction."""

    turn: Turn
    tokens: int
    words: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """The folders of one benchmark run."""

    folder: Path

    @property
    def project(self) -> Path:
        return self.folder / "project"

    @property
    def store(self) -> Path:
        return self.folder / "store.db"

    @property
    def home(self) -> Home:
        return Home(self.folder / "home", self.folder / "home")

    def copy(self, name: str) -> Path:
        """A copy of the closed store."""
        target = self.folder / name
        shutil.copyfile(self.store, target)
        return target


def prepare(turn: Turn, counter: LocalCounter) -> Prepared:
    """Work out the tokens, words and facts of a turn."""
    facts: tuple[Fact, ...] = ()
    if turn.role == "tool":
        facts = extract(turn.content, session_id="s", call="c").facts
    return Prepared(turn, counter.count(turn.content), search_text(turn.content), facts)


# -- the store -----------------------------------------------------------------------------


async def fill(place: Place, episodes: int) -> None:
    """Put ``episodes`` turns into the store through the commit's own functions, in bulk."""
    counter, talk = LocalCounter(), Talk(seed=1)
    pool = [prepare(talk.turn(), counter) for _ in range(min(POOL, episodes))]
    ids = RandomIds(SystemClock())
    async with Engine.open(place.project, home=place.home, store=place.store) as engine:
        for start in range(0, episodes, BULK):
            rows = [
                (f"fill-{start // BULK // 5}", ids.new("ep"), pool[number % len(pool)], number)
                for number in range(start, min(start + BULK, episodes))
            ]
            await engine.workspace.database.write(lambda tx, rows=rows: _bulk(tx, rows))


def _bulk(tx: Transaction, rows: list[tuple[str, str, Prepared, int]]) -> None:
    key = chain.store_key(tx)
    for session, episode_id, made, number in rows:
        ensure_session(tx, session, harness="bench")
        append(
            tx,
            episode_sql.NewEpisode(
                episode_id=episode_id,
                session_id=session,
                role=Role(made.turn.role),
                content=made.turn.content,
                tool_name=made.turn.tool_name,
                tool_call_id=None,
                token_count=made.tokens,
                origin="bench",
                idempotency_key=None,
                content_hash=chain.content_hash(key, made.turn.content),
                search_text=made.words,
            ),
        )
        ledger_sql.insert_tool_facts(tx, _own(made.facts, f"{session}/{number}"))


def _own(facts: tuple[Fact, ...], scope: str) -> Iterator[Fact]:
    """The facts as another call's."""
    for number, fact in enumerate(facts):
        yield replace(fact, fact_id=natural_id(scope, number), scope=scope)


# -- one writer ------------------------------------------------------------------------------


async def commit_latency(place: Place, size: Size) -> dict[str, Any]:
    """Milliseconds of one commit in a large store, and the processor time it takes."""
    walls: list[list[float]] = []
    cpus: list[float] = []
    async with Engine.open(place.project, home=place.home, store=place.store) as engine:
        await engine.commit_episode("system", "The counter loads now.", session_id="bench")
        for run in range(size.runs):
            talk = Talk(seed=100 + run)
            turns = [talk.turn() for _ in range(size.commits)]
            spans, cpu = [], time.process_time()
            for turn in turns:
                began = time.perf_counter()
                await _commit(engine, turn, f"bench-{run}")
                spans.append((time.perf_counter() - began) * 1_000)
            cpus.append((time.process_time() - cpu) * 1_000 / len(turns))
            walls.append(spans)
    return {**_percentiles(walls), "cpu_ms": round(median(cpus), 3)}


async def _commit(engine: Engine, turn: Turn, session: str) -> None:
    await engine.commit_episode(
        turn.role, turn.content, session_id=session, tool_name=turn.tool_name
    )


def peer_latency(store: Path, size: Size) -> dict[str, Any]:
    """The same rows, prepared ahead, by plain ``sqlite3`` and one thread."""
    counter, walls, cpus = LocalCounter(), [], []
    db = _plain(store)
    for run in range(size.runs):
        talk = Talk(seed=100 + run)
        made = [prepare(talk.turn(), counter) for _ in range(size.commits)]
        spans, cpu = [], time.process_time()
        for number, turn in enumerate(made):
            began = time.perf_counter()
            _plain_commit(db, turn, f"bench-{run}", f"peer-{run}-{number}")
            spans.append((time.perf_counter() - began) * 1_000)
        cpus.append((time.process_time() - cpu) * 1_000 / len(made))
        walls.append(spans)
    db.close()
    return {**_percentiles(walls), "cpu_ms": round(median(cpus), 3)}


def _plain(store: Path) -> sqlite3.Connection:
    db = sqlite3.connect(store, isolation_level=None, timeout=30)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    return db


def _plain_commit(db: sqlite3.Connection, made: Prepared, session: str, name: str) -> None:
    """What a commit writes, row for row, without what it checks and works out."""
    now = "2026-01-02T10:00:00.000000Z"
    db.execute("BEGIN IMMEDIATE")
    db.execute(
        "INSERT INTO session (session_id, harness, created_at, last_seen_at) VALUES (?, 'p', ?, ?)"
        " ON CONFLICT (session_id) DO NOTHING",
        (session, now, now),
    )
    seq = db.execute(
        "INSERT INTO episode (episode_id, session_id, turn, role, content, tool_name, token_count,"
        " origin, created_at, content_hash, chain_hash)"
        " VALUES (?, ?, 1, ?, ?, ?, ?, 'p', ?, ?, ?)",
        (
            name,
            session,
            made.turn.role,
            made.turn.content,
            made.turn.tool_name,
            made.tokens,
            now,
            "0" * 64,
            "0" * 64,
        ),
    ).lastrowid
    db.execute("INSERT INTO episode_state (seq) VALUES (?)", (seq,))
    db.execute("INSERT INTO episode_fts (rowid, text) VALUES (?, ?)", (seq, made.words))
    db.executemany(
        "INSERT INTO fact (fact_id, kind, qualified_name, value, source, scope)"
        " VALUES (?, ?, ?, ?, 'tool-output', ?)",
        [
            (f"{name}-{number}", fact.kind, fact.qualified_name, fact.value, name)
            for number, fact in enumerate(made.facts)
        ],
    )
    db.execute(
        "INSERT INTO event (kind, created_at, actor, session_id, subject, detail)"
        " VALUES ('episode.committed', ?, 'agent', ?, ?, ?)",
        (now, session, name, json.dumps({"preview": made.turn.content[:80]})),
    )
    db.execute("COMMIT")


def _percentiles(runs: list[list[float]]) -> dict[str, Any]:
    """The median over the runs of each run's percentiles."""

    def share(spans: list[float], part: float) -> float:
        return sorted(spans)[min(len(spans) - 1, int(len(spans) * part))]

    return {
        "p50_ms": round(median(share(run, 0.5) for run in runs), 3),
        "p95_ms": round(median(share(run, 0.95) for run in runs), 3),
        "max_ms": round(max(max(run) for run in runs), 3),
    }


# -- many writers ----------------------------------------------------------------------------


def many_writers(place: Place, store: Path, kind: str, size: Size) -> dict[str, Any]:
    """Commits a second of several processes that start together."""
    rates, cpus, errors = [], [], 0
    for run in range(size.runs):
        arguments = [kind, str(place.folder), str(store), str(size.seconds), str(size.turns)]
        processes = [
            subprocess.Popen(
                [sys.executable, __file__, "--worker", *arguments, f"{run}-{number}"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for number in range(size.writers)
        ]
        for process in processes:
            assert process.stdout is not None
            process.stdout.readline()
        # All are warm; the end of its standard input tells each to start.
        for process in processes:
            assert process.stdin is not None
            process.stdin.close()
        reports = [json.loads(process.stdout.read()) for process in processes if process.stdout]
        for process in processes:
            process.wait()
        commits = sum(report["commits"] for report in reports)
        rates.append(commits / size.seconds)
        cpus.append(sum(report["cpu_s"] for report in reports) * 1_000 / max(1, commits))
        errors += sum(report["errors"] for report in reports)
    return {
        "per_s": round(median(rates), 1),
        "runs": [round(rate, 1) for rate in rates],
        "cpu_ms": round(median(cpus), 3),
        "errors": errors,
    }


def worker(kind: str, folder: str, store: str, seconds: str, turns: str, name: str) -> None:
    """One writer of :func:`many_writers`: commit for ``seconds`` once its input ends."""
    talk = Talk(seed=int.from_bytes(name.encode(), "big"))
    made = [talk.turn() for _ in range(int(turns))]
    if kind == "peer":
        report = _peer_worker(Path(store), name, made, float(seconds))
    else:
        report = asyncio.run(
            _engine_worker(Place(Path(folder)), Path(store), name, made, float(seconds))
        )
    sys.stdout.write(json.dumps(report))


def _wait_for_start() -> None:
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.read()


async def _engine_worker(
    place: Place, store: Path, name: str, turns: list[Turn], seconds: float
) -> dict[str, float]:
    commits = errors = 0
    async with Engine.open(place.project, home=place.home, store=store) as engine:
        await engine.workspace.counter.measure("The counter loads now.")
        await asyncio.to_thread(_wait_for_start)
        cpu, until = time.process_time(), time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                await _commit(engine, turns[commits % len(turns)], f"w-{name}")
                commits += 1
            except Sakur4Error:
                errors += 1
        cpu = time.process_time() - cpu
    return {"commits": commits, "errors": errors, "cpu_s": cpu}


def _peer_worker(store: Path, name: str, turns: list[Turn], seconds: float) -> dict[str, float]:
    commits = errors = 0
    counter = LocalCounter()
    made = [prepare(turn, counter) for turn in turns]
    db = _plain(store)
    _wait_for_start()
    cpu, until = time.process_time(), time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            _plain_commit(db, made[commits % len(made)], f"w-{name}", f"{name}-{commits}")
            commits += 1
        except sqlite3.Error:
            errors += 1
            if db.in_transaction:
                db.execute("ROLLBACK")
    cpu = time.process_time() - cpu
    db.close()
    return {"commits": commits, "errors": errors, "cpu_s": cpu}


# -- opening and idling ------------------------------------------------------------------------


async def opening(place: Place, size: Size) -> dict[str, Any]:
    """Milliseconds from ``Engine.open`` to an engine that answers, and plain sqlite3's."""
    spans, peers = [], []
    for _ in range(max(5, size.runs)):
        began = time.perf_counter()
        async with Engine.open(place.project, home=place.home, store=place.store) as engine:
            spans.append((time.perf_counter() - began) * 1_000)
            await engine.episodes.page(limit=1)
        began = time.perf_counter()
        db = _plain(place.store)
        db.execute("SELECT max(seq) FROM episode").fetchone()
        peers.append((time.perf_counter() - began) * 1_000)
        db.close()
    return {"ms": round(median(spans), 1), "peer_ms": round(median(peers), 1)}


def idle(place: Place) -> dict[str, float]:
    """Resident megabytes of a process that only holds an engine, step by step."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            IDLE_SCRIPT,
            str(place.project),
            str(place.store),
            str(place.folder / "home"),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


IDLE_SCRIPT = """
import asyncio, json, os, sys
import psutil

def rss():
    return round(psutil.Process(os.getpid()).memory_info().rss / 1e6, 1)

steps = {"interpreter_mb": rss()}
from pathlib import Path
from sakur4_core.engine import Engine
from sakur4_core.paths import Home
steps["imported_mb"] = rss()

async def main():
    project, store, home = map(Path, sys.argv[1:])
    async with Engine.open(project, home=Home(home, home), store=store) as engine:
        await engine.recent_events(10)
        steps["idle_mb"] = rss()
        await engine.commit_episode("assistant", "one", session_id="idle")
        steps["after_first_commit_mb"] = rss()
        steps["numpy_loaded"] = "numpy" in sys.modules
    return steps

print(json.dumps(asyncio.run(main())))
"""


# -- all of it ---------------------------------------------------------------------------------


def measure(size: Size, folder: Path) -> dict[str, Any]:
    """Run every measurement in ``folder``."""
    place = Place(folder)
    place.project.mkdir(exist_ok=True)
    if not place.store.exists():
        asyncio.run(fill(place, size.episodes))
    peer_store = place.copy("peer.db")
    load = os.getloadavg()[0]
    opened = asyncio.run(opening(place, size))
    commit = asyncio.run(commit_latency(place, size))
    commit["peer"] = peer_latency(peer_store, size)
    commit["ratio_p50"] = round(commit["p50_ms"] / commit["peer"]["p50_ms"], 2)
    writers = many_writers(place, place.store, "engine", size)
    writers["processes"] = size.writers
    writers["peer"] = many_writers(place, peer_store, "peer", size)
    writers["ratio"] = round(writers["per_s"] / max(0.1, writers["peer"]["per_s"]), 2)
    return {
        "machine": {
            "cpus": os.cpu_count(),
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            "load_before": round(load, 1),
        },
        "episodes": size.episodes,
        "store_mb": round(place.store.stat().st_size / 1e6, 1),
        "commit": commit,
        "writers": writers,
        "open": opened,
        "idle": idle(place),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, a few seconds")
    parser.add_argument("--folder", type=Path, help="keep the store there and use it again")
    parser.add_argument("--worker", nargs="+", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.worker:
        worker(*chosen.worker)
        return
    size = QUICK if chosen.quick else FULL
    if chosen.folder:
        chosen.folder.mkdir(parents=True, exist_ok=True)
        report = measure(size, chosen.folder)
    else:
        with tempfile.TemporaryDirectory(prefix="sakur4-bench-") as folder:
            report = measure(size, Path(folder))
    sys.stdout.write(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
