"""Facts of tool results in the store: each result keeps its own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from sakur4_core.engine import Engine
from sakur4_core.memory.ledger import extract, tool_scope
from sakur4_core.store import ledger as sql

SHAPE = '{{"status": "{}", "count": {}}}'


async def stored(engine: Engine, session_id: str, call: str) -> dict[str, str | None]:
    scope = tool_scope(session_id, call)
    facts = await engine.workspace.database.read(lambda db: sql.of_scope(db, scope))
    return {fact.qualified_name: fact.value for fact in facts}


async def test_field_defect_09_results_of_one_shape_do_not_overwrite_each_other(
    engine: Engine,
) -> None:
    for number, (session, call) in enumerate([("s1", "c1"), ("s1", "c2"), ("s2", "c1")]):
        committed = await engine.commit_episode(
            "tool", SHAPE.format(call, number), session_id=session, tool_call_id=call
        )
        assert committed.facts_extracted == 2
        assert committed.parser == "json"
    assert await stored(engine, "s1", "c1") == {"$.status": 'string "c1"', "$.count": "number 0"}
    assert await stored(engine, "s1", "c2") == {"$.status": 'string "c2"', "$.count": "number 1"}
    assert await stored(engine, "s2", "c1") == {"$.status": 'string "c1"', "$.count": "number 2"}


async def test_results_without_a_call_id_are_told_apart_too(engine: Engine) -> None:
    first = await engine.commit_episode("tool", SHAPE.format("a", 1), session_id="s")
    second = await engine.commit_episode("tool", SHAPE.format("a", 2), session_id="s")
    assert (await stored(engine, "s", first.episode_id))["$.count"] == "number 1"
    assert (await stored(engine, "s", second.episode_id))["$.count"] == "number 2"


async def test_one_call_committed_twice_counts_only_what_is_new(engine: Engine) -> None:
    for expected in (2, 0):
        committed = await engine.commit_episode(
            "tool", SHAPE.format("a", 1), session_id="s", tool_call_id="c"
        )
        assert committed.facts_extracted == expected


async def test_only_tool_results_have_facts(engine: Engine) -> None:
    committed = await engine.commit_episode("user", SHAPE.format("a", 1), session_id="s")
    assert committed.facts_extracted == 0


async def test_prose_says_that_it_has_no_structure(engine: Engine) -> None:
    committed = await engine.commit_episode("tool", "Nothing to see.", session_id="s")
    assert (committed.parser, committed.symbolic_summary) == ("none", "no structure detected")


async def test_every_kind_of_fact_passes_the_schema(engine: Engine) -> None:
    texts = [
        "Exit code 1\n1 failed in 0.10s",
        "HTTP/1.1 200 OK\nA: b\n\n[1]",
        "id,name\n1,a\n2,b\n",
        "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n",
        "a.c:1:1: error: b",
        'Traceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: 1\n',
        "## main\n M a.py\n",
        "src/a.py:1:x\n",
    ]
    for text in texts:
        committed = await engine.commit_episode("tool", text, session_id="s")
        assert committed.facts_extracted > 0, text


async def test_a_redacted_results_facts_can_be_removed(engine: Engine) -> None:
    await engine.commit_episode("tool", SHAPE.format("a", 1), session_id="s", tool_call_id="c")
    scope = tool_scope("s", "c")
    await engine.workspace.database.write(lambda tx: sql.delete_scope(tx, scope))
    assert await stored(engine, "s", "c") == {}


@given(st.tuples(st.text(), st.text()), st.tuples(st.text(), st.text()))
def test_scopes_differ_where_session_or_call_do(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    assert (tool_scope(*one) == tool_scope(*other)) == (one == other)


def test_equal_lines_in_one_result_are_separate_facts() -> None:
    text = "a.c:1:1: error: b\na.c:1:1: error: b\n"
    first, second = extract(text, session_id="s", call="c").facts
    assert first.fact_id != second.fact_id
    assert first == extract(text, session_id="s", call="c").facts[0]
