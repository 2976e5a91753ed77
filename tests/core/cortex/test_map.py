"""Maps: a prefix of larger ones, never over the budget, the same for the same tree."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from sakur4_core.cortex.cortex import Cortex
from sakur4_core.cortex.map_order import SIGNATURES, Entry
from sakur4_core.cortex.repo_map import Frame, draw
from sakur4_core.engine import Engine
from sakur4_core.models import RankedFile

QUERIES = (None, "fetch page from store", "Part3 act", "nothing of that kind exists", "x\ny z")


def project_files(parts: int) -> dict[str, str]:
    return {
        f"app/part{n}.py": "\n\n".join(
            f"class Part{n}x{k}:\n    def act_{k}(self, value: int) -> int:\n"
            f"        page = fetch_{k}(value)\n        secret_body = page + {n}\n"
            f"        return secret_body\n"
            for k in range(3)
        )
        for n in range(parts)
    }


def shown(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


async def test_each_budget_shows_a_prefix_of_the_next(
    engine: Engine, cortex: Cortex, write: Any
) -> None:
    write(project_files(54))
    await cortex.index()
    for query in QUERIES:
        for names_only in (False, True):
            await grows(engine, query, names_only)


async def grows(engine: Engine, query: str | None, names_only: bool) -> None:
    before: list[str] = []
    paths: list[str] = []
    for budget in (70, 90, 150, 400, 1024, 2048, 9000):
        answer = await engine.repo_map(budget, query=query, names_only=names_only)
        now = shown(answer.text)
        assert now[: len(before)] == before
        assert list(answer.shown)[: len(paths)] == paths
        assert answer.tokens == engine.workspace.counter.count(answer.text) <= budget
        assert "secret_body" not in answer.text
        before, paths = now, list(answer.shown)
    definitions = sum(line.count("act_") + line.count("Part") for line in before)
    assert len(paths) == 56 and definitions >= 54 * 3


async def test_the_first_definitions_have_signatures(cortex: Cortex, write: Any) -> None:
    write(project_files(4))
    detailed = shown((await cortex.repo_map(900, query="act value")).text)
    assert sum(line.startswith("  ") for line in detailed) == SIGNATURES
    plain = shown((await cortex.repo_map(900, query="act value", names_only=True)).text)
    assert not any(line.startswith("  ") for line in plain)
    assert any("Part0x0(act_0)" in line or "Part0x0" in line for line in plain)


async def test_a_definition_is_found_by_the_words_of_its_body(cortex: Cortex, write: Any) -> None:
    filler = "\n\n".join(f"def other_{n}() -> int:\n    return {n}" for n in range(60))
    write(
        {"big.py": f"{filler}\n\n\ndef opaque() -> str:\n    return zigzag_quartz()\n\n{filler}"}
    )
    text = (await cortex.repo_map(200, query="zigzag quartz")).text
    assert "def opaque() -> str" in shown(text)[1]


SCRIPT = """
import asyncio, sys
from sakur4_core.engine import Engine
async def main():
    async with Engine.open(sys.argv[1], store=":memory:") as engine:
        for query in (None, "fetch the page of Part3x4", "act value secret body"):
            for focus in ((), ("app/part1.py",)):
                answer = await engine.repo_map(1024, query=query, focus=focus)
                body = answer.text.splitlines()[1:]
                print(body, [(f.path, f.score, f.reasons) for f in answer.files])
asyncio.run(main())
"""


async def test_five_hash_seeds_give_the_same_bytes(project: Path, write: Any) -> None:
    write(project_files(8))
    seen = set()
    for seed in ("0", "1", "2", "3", "4"):
        paths = os.pathsep.join(sys.path)
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(project)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths},
            check=True,
            capture_output=True,
        )
        seen.add(done.stdout)
    assert len(seen) == 1


FRAME = Frame("p", "2026-01-02", {"parsed": 3, "binary": 1})
FILES = (RankedFile("a.py", 1.0),)
LINES = st.lists(
    st.tuples(st.sampled_from(["a.py", "b.py"]), st.text("ab, \n", max_size=30)), max_size=25
)


@settings(deadline=None)
@given(LINES, st.integers(1, 400), st.integers(0, 300))
def test_any_entries_fit_any_budget(lines: list[tuple[str, str]], budget: int, more: int) -> None:
    made = [Entry(path, f"{path}: {text}\n", 1) for path, text in lines]
    small = draw(FRAME, FILES, iter(made), budget, len)
    large = draw(FRAME, FILES, iter(made), budget + more, len)
    if small.text.startswith("A map needs"):
        assert small.shown == () and str(budget) in small.text
        return
    assert len(small.text) == small.tokens <= budget
    body = small.text.partition("\n")[2].rpartition("# Files")[0]
    assert large.text.partition("\n")[2].startswith(body)
    assert "3 parsed, 1 skipped (1 binary)" in small.text
