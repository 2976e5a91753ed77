"""The map, symbols and their candidates."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sakur4_core.cortex.asking import Query
from sakur4_core.cortex.cortex import Cortex
from sakur4_core.engine import Engine
from sakur4_core.errors import InvalidInput
from sakur4_core.events import INDEX_UPDATED


async def large(write: Any) -> None:
    write(
        {
            f"app/part{n}.py": "\n\n".join(
                f"class Part{n}x{k}:\n    def act_{k}(self, value: int = {k}) -> int:\n"
                f"        secret_body = value + {k}\n        return secret_body\n"
                for k in range(12)
            )
            for n in range(20)
        }
    )


async def test_a_map_is_dated_covered_and_the_same_twice(cortex: Cortex) -> None:
    one, other = await cortex.repo_map(800), await cortex.repo_map(800)
    assert one == other
    header, *_, footer = one.text.splitlines()
    assert header == "# Map of project, indexed 2026-01-02T10:00:00.000000Z"
    assert footer.startswith("# Files: 2 parsed, 0 skipped, 0 failed")
    assert "  8: def check_user(email: str) -> bool" in one.text
    assert one.coverage == {"parsed": 2}


async def test_a_budget_too_small_says_so(cortex: Cortex) -> None:
    answer = await cortex.repo_map(5)
    assert answer.text.startswith("A map needs ")
    assert answer.shown == ()
    assert len(answer.files) == 2
    with pytest.raises(InvalidInput):
        await cortex.repo_map(0)


async def test_query_focus_and_centrality_rank(cortex: Cortex, write: Any) -> None:
    await large(write)
    write(
        {
            "tests/test_auth.py": (
                "from src.auth import check_user\n\n\ndef test_it():\n    check_user('a')\n"
            )
        }
    )
    plain = await cortex.repo_map(400)
    assert plain.files[0].path == "src/auth.py"
    asked = await cortex.repo_map(400, query="Part7x3.act_3 returns the wrong value")
    assert asked.files[0].path == "app/part7.py"
    assert "Part7x3" in asked.text
    focused = await cortex.repo_map(400, focus=("app/part9.py",))
    assert focused.shown[0] == "app/part9.py"
    folder = await cortex.repo_map(400, focus=("./src/",))
    assert {file.path for file in folder.files[:2]} == {"src/api.py", "src/auth.py"}
    assert sum(part.amount for part in asked.files[0].reasons) == pytest.approx(
        asked.files[0].score, abs=1e-4
    )
    users = [file.path for file in (await cortex.repo_map(400, query="check user")).files]
    assert users.index("src/auth.py") < users.index("tests/test_auth.py")


@pytest.mark.parametrize(
    "query", ['"', "a AND (b", "NEAR(x)", "path:x", "* - ^", "\0", "ü 漢字", " "]
)
async def test_any_query_is_answered(cortex: Cortex, query: str) -> None:
    assert (await cortex.repo_map(300, query=query)).files


async def test_hostile_names_stay_on_their_line(cortex: Cortex, project: Path) -> None:
    (project / "a\n# Map of \x1b[31m.py").write_text("def odd(): ...\n")
    answer = await cortex.repo_map(2000)
    assert "\x1b" not in answer.text
    assert sum(line.startswith("# Map of") for line in answer.text.splitlines()) == 1


def test_queries_know_names() -> None:
    query = Query.of("Fix parseReply and check_user in the Parser")
    assert [name for name, _ in query.names] == ["parseReply", "check_user", "Parser"]
    words = {word.text for word in query.words}
    assert {"reply", "user", "parsereply"} <= words and not {"the", "fix"} & words


@pytest.mark.parametrize(
    "name",
    [
        "expire",
        "Session.expire",
        "auth.Session.expire",
        "src.auth.Session.expire",
        "src/auth.py:Session.expire",
        "auth.py:expire",
    ],
)
async def test_a_symbol_is_found_by_any_end_of_its_name(cortex: Cortex, name: str) -> None:
    answer = await cortex.symbol(name)
    assert [hit.qualified_name for hit in answer.symbols] == ["Session.expire"]
    hit = answer.symbols[0]
    assert hit.verified
    assert (hit.file, hit.line_start, hit.line_end) == ("src/auth.py", 4, 5)
    assert hit.source.splitlines()[0] == "    4      def expire(self, now: float) -> bool:"


async def test_an_answer_is_never_out_of_date(cortex: Cortex, write: Any) -> None:
    await cortex.index()
    write(
        {
            "src/auth.py": (
                "# moved down\n\n\ndef check_user(email: bytes) -> bool:\n    return True\n"
            )
        }
    )
    hit = (await cortex.symbol("check_user")).symbols[0]
    assert hit.line_start == 4
    assert "email: bytes" in hit.source


@pytest.mark.parametrize("name", ["chek_user", "CheckUser", "check", "Session.expires"])
async def test_a_wrong_name_gives_candidates(cortex: Cortex, name: str) -> None:
    answer = await cortex.symbol(name)
    assert not answer.found and answer.note
    assert set(answer.candidates) & {"check_user", "Session.expire"}
    impact = await cortex.impact(name, 2)
    assert not impact.found and impact.candidates == answer.candidates


async def test_bad_arguments_are_refused(cortex: Cortex) -> None:
    for name in ("", "  ", "x" * 501):
        with pytest.raises(InvalidInput):
            await cortex.symbol(name)
    for depth in (0, 33):
        with pytest.raises(InvalidInput):
            await cortex.impact("login", depth)


async def test_code_facts_can_anchor_a_summary_that_goes_stale(
    engine: Engine, cortex: Cortex, write: Any
) -> None:
    hit = (await cortex.symbol("check_user")).symbols[0]
    await engine.put_summary("Users are checked by e-mail.", [("fact", hit.fact_id)])
    assert (await engine.staleness()).stale_count == 0
    write({"src/auth.py": "def check_user(email: str) -> bool:\n    return False\n"})
    await cortex.index()
    assert (await engine.staleness()).stale_count == 1


async def test_an_update_is_an_event(engine: Engine, cortex: Cortex) -> None:
    async with engine.events.subscribe() as events:
        await cortex.index()
        event = await events.get()
        while event.kind != INDEX_UPDATED:
            event = await events.get()
    assert event.detail["paths"] == ["src/api.py", "src/auth.py"]
    assert event.detail["symbols"] > 4
    assert event.detail["ms"] == 0


def test_importing_the_cortex_is_cheap() -> None:
    heavy = "{'numpy', 'tree_sitter', 'tree_sitter_language_pack', 'watchfiles', 'pathspec'}"
    code = f"import sys, sakur4_core.cortex.cortex; sys.exit(bool({heavy} & set(sys.modules)))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
