"""The systems that are held against each other: the engine, and its peers."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import time
from importlib import resources
from pathlib import Path

from sakur4_core.context.tokens import CACHE_VARIABLE
from sakur4_core.cortex.ranking import Query
from sakur4_core.cortex.repo_map import map_of
from sakur4_core.engine import Engine
from sakur4_core.models import RankedFile
from sakur4_core.store import cortex as sql
from sakur4_core.words import search_text
from scores import BUDGETS, Answer

ENGINE, BM25, DAMPED, AIDER = "engine", "bm25", "bm25, tests damped", "aider"

_WORD = re.compile(r"[^\W_]+")
_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|__tests__|docs?|examples?|fixtures|benches|vendor|node_modules)/"
    r"|(?:^|/)(?:test_[^/]*|conftest)\.py$|_test\.(?:py|go)$|\.(?:spec|test)\.[cm]?[jt]sx?$"
)
TEST_FACTOR = 0.3
BODY_ONLY = (0.0, 0.0, 1.0)


async def ask_engine(engine: Engine, query: str) -> Answer:
    """The engine's own ranking and maps."""
    started = time.perf_counter()
    answers = {budget: await engine.repo_map(budget, query=query) for budget in BUDGETS}
    elapsed = (time.perf_counter() - started) / len(answers)
    for budget, answer in answers.items():
        counted = engine.workspace.counter.count(answer.text)
        assert counted == answer.tokens <= budget, (counted, answer.tokens, budget)
    ranking = tuple(file.path for file in answers[BUDGETS[0]].files)
    return Answer(ranking, {b: answer.text for b, answer in answers.items()}, elapsed)


async def ask_bm25(engine: Engine, query: str) -> dict[str, Answer]:
    """BM25 over the contents of files, plain and with tests damped, drawn as the engine draws."""
    words = dict.fromkeys(word.lower() for word in _WORD.findall(search_text(query)))
    expression = " OR ".join(f'"{word}"' for word in words)

    def work(db: sqlite3.Connection) -> dict[str, Answer]:
        plain = sql.match_files(db, expression, BODY_ONLY) if words else {}
        damped = {
            path: value * (TEST_FACTOR if _TEST.search(path) else 1)
            for path, value in plain.items()
        }
        return {
            BM25: _drawn(engine, db, plain, query),
            DAMPED: _drawn(engine, db, damped, query),
        }

    return await engine.workspace.database.read(work)


def _drawn(engine: Engine, db: sqlite3.Connection, found: dict[str, float], query: str) -> Answer:
    order = sorted(found, key=lambda path: (-found[path], path))
    files = [RankedFile(path, found[path]) for path in order]
    texts = {b: map_of(db, files, Query.of(query), b, engine.workspace).text for b in BUDGETS}
    return Answer(tuple(order), texts)


class Aider:
    """aider's RepoMap, in an interpreter that has it; see ``aider_map.py``."""

    def __init__(self, interpreter: Path, tree: Path) -> None:
        script = Path(__file__).with_name("aider_map.py")
        vocabulary = str(resources.files("sakur4_core.context") / "vocabulary")
        self._process = subprocess.Popen(
            [interpreter, script, tree],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, CACHE_VARIABLE: vocabulary},
            text=True,
        )

    def ask(self, query: str, paths: list[str]) -> Answer:
        """Its ranking and its maps of the tree as it stands now."""
        assert self._process.stdin is not None and self._process.stdout is not None
        request = {"query": query, "paths": paths, "budgets": BUDGETS}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        reply = json.loads(self._process.stdout.readline())
        texts = {int(budget): text for budget, text in reply["maps"].items()}
        return Answer(tuple(reply["ranking"]), texts, reply["seconds"])

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
