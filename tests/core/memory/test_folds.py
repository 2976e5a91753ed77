"""Folds: out of the prompt, never out of reach."""

from __future__ import annotations

import pytest
from sakur4_core.engine import Engine
from sakur4_core.errors import InvalidInput, NotFound

SESSION = "s-1"
TRACE = "a long look at the retry table\n" * 60


async def test_turns_of_a_fold_leave_the_prompt_when_it_closes(engine: Engine) -> None:
    await engine.commit_episode("user", "find the limit", session_id=SESSION)
    fold = await engine.fold("search", "find the limit", session_id=SESSION)
    await engine.commit_episode("tool", TRACE, session_id=SESSION, tool_name="Bash")
    await engine.commit_episode("assistant", "seven", session_id="s-2")
    during = (await engine.receipt(SESSION)).total.value
    closed = await engine.unfold(fold.fold_id, "the limit is seven")
    await engine.commit_episode("user", "good", session_id=SESSION)
    after = (await engine.receipt(SESSION)).total.value
    assert closed.status == "closed"
    assert len(closed.episodes) == 1
    assert closed.tokens_reclaimed > 300
    assert during is not None
    assert after is not None
    assert after < during - 300


async def test_the_trace_is_recalled_word_for_word(engine: Engine) -> None:
    fold = await engine.fold("search", "find the limit", session_id=SESSION)
    await engine.commit_episode("tool", TRACE, session_id=SESSION)
    await engine.unfold(fold.fold_id, "the limit is seven")
    again, episodes = await engine.recall_fold(fold.fold_id)
    assert [episode.content for episode in episodes] == [TRACE]
    assert again.summary == "the limit is seven"
    hits = (await engine.recall("retry table", session_id=SESSION)).hits
    assert any(hit.seq == episodes[0].seq for hit in hits)


async def test_the_summary_goes_stale_with_its_turns(engine: Engine) -> None:
    fold = await engine.fold("search", "find the limit", session_id=SESSION)
    turn = await engine.commit_episode("assistant", "it is five", session_id=SESSION)
    await engine.unfold(fold.fold_id, "the limit is five")
    await engine.commit_episode(
        "user", "it is seven", session_id=SESSION, corrects=turn.episode_id
    )
    assert (await engine.staleness()).stale_count == 1


async def test_folds_nest(engine: Engine) -> None:
    outer = await engine.fold("outer", "g", session_id=SESSION)
    await engine.commit_episode("assistant", "one", session_id=SESSION)
    inner = await engine.fold("inner", "g", session_id=SESSION)
    await engine.commit_episode("assistant", "two", session_id=SESSION)
    await engine.unfold(inner.fold_id, "done inside")
    await engine.commit_episode("assistant", "three", session_id=SESSION)
    closed = await engine.unfold(outer.fold_id, "done")
    contents = [episode.content for episode in (await engine.recall_fold(outer.fold_id))[1]]
    assert contents == ["one", "three"]
    assert closed.status == "closed"


async def test_bad_calls_say_so(engine: Engine) -> None:
    with pytest.raises(NotFound):
        await engine.unfold("fo_missing", "x")
    with pytest.raises(NotFound):
        await engine.recall_fold("fo_missing")
    with pytest.raises(InvalidInput):
        await engine.fold("", "g", session_id=SESSION)
    fold = await engine.fold("d", "g", session_id=SESSION)
    await engine.unfold(fold.fold_id, "x")
    with pytest.raises(InvalidInput, match="closed"):
        await engine.unfold(fold.fold_id, "again")
