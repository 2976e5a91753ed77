"""What this system said itself is kept, and learnt nothing from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sakur4_core.engine import Engine
from sakur4_core.memory.anchors import render
from sakur4_core.memory.own_words import is_own_tool, without_own
from sakur4_core.models import Recall
from sakur4_core.recall.render import rendered

SESSION = "s-1"


async def test_field_defect_08_recalled_text_is_not_recalled_again(engine: Engine) -> None:
    said = await engine.commit_episode("user", "the zebra gate opens at noon", session_id=SESSION)
    answer = await engine.recall("zebra gate", session_id=SESSION)
    text = f"I looked it up.\n{rendered(answer)}\nNow the walrus."
    copied = await engine.commit_episode("assistant", text, session_id=SESSION)
    again = await engine.recall("zebra gate", session_id=SESSION)
    assert _by_words(again) == [said.seq]
    assert _by_words(await engine.recall("walrus")) == [copied.seq]
    assert (await engine.episodes.get(copied.seq)).content == text


def _by_words(recall: Recall) -> list[int | None]:
    """The turns found by a word of their own, not only as the context of another."""
    return [hit.seq for hit in recall.hits if "lexical" in hit.retrievers]


async def test_a_result_of_our_own_tool_yields_no_facts_and_no_words(engine: Engine) -> None:
    committed = await engine.commit_episode(
        "tool", '{"zebra": 1}', session_id=SESSION, tool_name="mcp__sakur4__memory_recall"
    )
    assert committed.facts_extracted == 0
    assert all(hit.seq != committed.seq for hit in (await engine.recall("zebra")).hits)


async def test_injected_anchors_do_not_propose_themselves(engine: Engine) -> None:
    await engine.pin("Never edit the lock file.")
    block = render(await engine.anchors())
    for _ in range(2):
        committed = await engine.commit_episode("user", block, session_id=SESSION)
        assert committed.anchor_proposal is None


async def test_an_injected_map_is_not_indexed(engine: Engine) -> None:
    text = (await engine.repo_map(2_000)).text
    assert without_own(f"before\n{text}\n").strip() == "before"


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("mcp__sakur4__memory_recall", True),
        ("sakur4_status", True),
        ("mcp__plugin_x_sakur4__memory_pin", True),
        ("sakur4.memory_recall", True),
        ("Read", False),
        ("notsakur4thing", False),
        (None, False),
    ],
)
def test_our_tools_are_known_by_name(name: str | None, own: bool) -> None:
    assert is_own_tool(name) is own


@given(st.text())
def test_other_text_is_left_as_it_is(text: str) -> None:
    assert without_own(text) == text
