"""The live index: saved and loaded, never trusted blindly, scoped, and the same everywhere."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from recall_memory import Memory, open_memory
from sakur4_core.clock import FakeClock
from sakur4_core.paths import Home, identify
from sakur4_core.recall import live
from sakur4_core.recall.builder import build
from sakur4_core.recall.request import Narrowing
from sakur4_core.recall.snapshot import FILE, load
from sakur4_core.recall.turn_search import CONTEXT, LEXICAL, Recipe

TOPICS = ("the harbour at dawn", "retry limits of the queue", "a recipe for plum cake")


async def talk(memory: Memory, turns: int, session_id: str = "s1") -> None:
    for number in range(turns):
        await memory.say(f"Turn {number} on {TOPICS[number % 3]}", session_id=session_id)


async def answer(memory: Memory, query: str, **more: object) -> list[tuple[str, float]]:
    recall = await memory.recaller.recall(query, k=10, **more)  # type: ignore[arg-type]
    return [(hit.id, hit.score) for hit in recall.hits]


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process saves however little it adds."""
    monkeypatch.setattr(live, "SAVED_AT_END", 1)


async def test_the_index_is_saved_at_the_end_and_answers_alike_when_loaded(
    memory: Memory, project: Path, home: Home, eager: None
) -> None:
    await talk(memory, 40)
    before = await answer(memory, "queue retries")
    await memory.recaller.close()
    assert (memory.workspace.place.views / FILE).exists()
    other = await open_memory(identify(project, home), home, FakeClock())
    assert await answer(other, "queue retries") == before
    await other.recaller.close()
    await other.workspace.database.close()


async def test_field_defect_11_a_read_right_after_a_write_sees_it(
    memory: Memory, eager: None
) -> None:
    await talk(memory, 10)
    await memory.recaller.close()
    for number in range(5):
        said = await memory.say(f"the zeppelin{number} landed")
        assert (await answer(memory, f"zeppelin{number}"))[0][0] == said.episode_id


async def test_a_damaged_view_is_rebuilt(memory: Memory, eager: None) -> None:
    await talk(memory, 20)
    before = await answer(memory, "plum cake")
    await memory.recaller.close()
    file = memory.workspace.place.views / FILE
    file.write_bytes(file.read_bytes()[:-100])
    fresh = type(memory.recaller)(memory.workspace, memory.disk)
    assert load(memory.workspace.place.views, embedded=True) is None
    memory.recaller = fresh
    assert await answer(memory, "plum cake") == before


async def test_the_process_that_builds_makes_the_same_view(memory: Memory) -> None:
    await talk(memory, 70)
    before = await answer(memory, "the harbour")
    place = memory.workspace.place
    assert await asyncio.to_thread(build, place.file, place.views, embedded=True) == 0
    memory.recaller = type(memory.recaller)(memory.workspace, memory.disk)
    assert await answer(memory, "the harbour") == before


async def test_turns_are_found_while_the_index_is_built_and_that_is_said(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "INLINE", 5)
    await talk(memory, 30)
    first = await memory.recaller.recall("plum cake")
    assert first.hits
    assert first.lexical_only
    assert any("being built" in note for note in first.notes)
    async with asyncio.timeout(60):
        while (await memory.recaller.recall("plum cake")).lexical_only:
            await asyncio.sleep(0.02)


async def test_field_defect_02_a_quiet_session_ranks_as_if_it_were_alone(
    memory: Memory,
) -> None:
    words = {"session_id": "quiet", "recipe": Recipe((LEXICAL, CONTEXT))}
    await talk(memory, 12, "quiet")
    alone = await answer(memory, "harbour queue", **words)
    await talk(memory, 1_200, "busy")
    assert await answer(memory, "harbour queue", **words) == alone
    # With vectors, whose weights the whole store teaches, it is still full of its own.
    assert len(await answer(memory, "harbour queue", session_id="quiet")) == 10


async def test_roles_tools_tiers_and_times_narrow_before_any_limit(memory: Memory) -> None:
    first = await memory.say("the queue is full", role="tool", tool_name="Bash")
    await memory.execute("UPDATE episode_state SET tier = 'archived'")
    await talk(memory, 250)
    for narrowing in (
        Narrowing(roles=["tool"]),
        Narrowing(tools=["Bash"]),
        Narrowing(tiers=["archived"]),
    ):
        found = await answer(memory, "queue", narrowing=narrowing)
        assert [hit for hit, _ in found] == [first.episode_id], narrowing
    assert await answer(memory, "queue", narrowing=Narrowing(since="2999-01-01T00:00:00Z")) == []


async def test_a_hundred_copies_are_one_hit(memory: Memory) -> None:
    """Field defect 8: what was said again is not recalled again and again."""
    text = "the nightly job copies the ledger to the other host before six"
    for _ in range(30):
        await memory.say(text)
    recall = await memory.recaller.recall("nightly job ledger")
    assert len(recall.hits) == 1
    assert any("say the same" in note for note in recall.notes)


async def test_neighbours_come_with_a_turn_when_asked_for(memory: Memory) -> None:
    said = [await memory.say(text) for text in ("before it", "the zebra gate", "after it")]
    recall = await memory.recaller.recall("zebra", neighbours=1)
    assert recall.hits[0].neighbours == (said[0].episode_id, said[2].episode_id)


async def test_a_summary_is_found_by_the_turn_it_rests_on(memory: Memory) -> None:
    said = await memory.say("the zebra gate opens at noon")
    entry = await memory.atlas.put("Opening hours", [("episode", said.episode_id)], origin="api")
    hits = {hit.id: hit for hit in (await memory.recaller.recall("zebra")).hits}
    assert hits[entry.atlas_id].retrievers == ("graph",)
    assert hits[entry.atlas_id].reasons


async def test_fifty_repeats_are_the_same(memory: Memory) -> None:
    await talk(memory, 60)
    answers = [await answer(memory, "queue at dawn") for _ in range(50)]
    assert all(one == answers[0] for one in answers)


async def test_a_process_that_another_follows_for_does_not_ask_at_each_commit(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(live, "FOLLOWED_FROM", 1)
    monkeypatch.setattr(live, "WAITING", 10)
    monkeypatch.setattr(live, "QUIET_S", 0.01)
    monkeypatch.setattr(live.Live, "_alone", lambda self: asked.append(1))
    for number in range(60):
        await memory.say(f"turn {number}")
        memory.recaller.turn_committed()
        await asyncio.sleep(0)
    assert len(asked) <= 20


PIECES = (
    "queue", '"', "AND", "NEAR(", "*", "\0", "\ud800", "🙂", "接続", "the", "a_b.c/d", "Ａ",
    "§" * 9, "x" * 300, "{}", "-", "2023-99-99", "May", "'; DROP", "\u202e", "\n",
)  # fmt: skip


async def ask_wildly(memory: Memory, count: int) -> None:
    chance = random.Random(11)
    for _ in range(count):
        query = " ".join(chance.choices(PIECES, k=chance.randint(0, 12)))
        await memory.recaller.recall(query, k=5)


async def test_hostile_queries_are_queries(memory: Memory) -> None:
    await talk(memory, 30)
    await ask_wildly(memory, 150)
    await memory.recaller.recall("word " * 20_000)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_ten_thousand_hostile_queries_are_queries(memory: Memory) -> None:
    await talk(memory, 300)
    await ask_wildly(memory, 10_000)
