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
from sakur4_core.cortex.asking import Query
from sakur4_core.cortex.matching import match
from sakur4_core.cortex.ranking import Ranking
from sakur4_core.cortex.repo_map import map_of
from sakur4_core.engine import Engine
from sakur4_core.models import RankedFile
from sakur4_core.store.cortex import stretches
from sakur4_core.words import search_text
from scores import BUDGETS, Answer

ENGINE, BM25, DAMPED, AIDER = "engine", "bm25", "bm25, tests damped", "aider"

_WORD = re.compile(r"[^\W_]+")
_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|__tests__|docs?|examples?|fixtures|benches|vendor|node_modules)/"
    r"|(?:^|/)(?:test_[^/]*|conftest)\.py$|_test\.(?:py|go)$|\.(?:spec|test)\.[cm]?[jt]sx?$"
)
TEST_FACTOR = 0.3


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


class Contents:
    """BM25 over the contents of source files, by FTS5 as it stands, one row a file."""

    def __init__(self) -> None:
        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        self._db.execute(
            "CREATE VIRTUAL TABLE words USING fts5"
            " (path UNINDEXED, body, tokenize = 'porter unicode61 remove_diacritics 2')"
        )
        self._held: dict[str, str] = {}

    def hold(self, blobs: dict[str, str], folder: Path) -> None:
        """Hold exactly these files, by path and blob, as they stand in ``folder``."""
        for path in [path for path, blob in self._held.items() if blobs.get(path) != blob]:
            self._db.execute("DELETE FROM words WHERE path = ?", (path,))
            del self._held[path]
        for path, blob in blobs.items():
            place = folder / path
            if path not in self._held and place.is_file() and not place.is_symlink():
                text = search_text(place.read_text("utf-8", errors="replace"))
                self._db.execute("INSERT INTO words VALUES (?, ?)", (path, text))
                self._held[path] = blob

    def ask(self, query: str) -> dict[str, float]:
        """The files that hold any word of the query, with their scores."""
        words = dict.fromkeys(word.lower() for word in _WORD.findall(search_text(query)))
        expression = " OR ".join(f'"{word}"' for word in words)
        rows = self._db.execute(
            "SELECT path, -bm25(words) FROM words WHERE words MATCH ?", (expression,)
        )
        return dict(rows.fetchall()) if words else {}


async def drawn(engine: Engine, query: str, plain: dict[str, float]) -> dict[str, Answer]:
    """BM25's rankings, plain and with tests damped, drawn as the engine draws its own."""
    damped = {
        path: value * (TEST_FACTOR if _TEST.search(path) else 1) for path, value in plain.items()
    }
    return {BM25: await _drawn(engine, query, plain), DAMPED: await _drawn(engine, query, damped)}


async def _drawn(engine: Engine, query: str, found: dict[str, float]) -> Answer:
    order = sorted(found, key=lambda path: (-found[path], path))
    files = tuple(RankedFile(path, found[path]) for path in order)

    def work(db: sqlite3.Connection) -> dict[int, str]:
        asked = Query.of(query)
        ranking = Ranking(files, asked, match(db, asked, stretches(db)))
        return {b: map_of(db, ranking, b, engine.workspace).text for b in BUDGETS}

    return Answer(tuple(order), await engine.workspace.database.read(work))


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
