"""Compactions, plans that take effect, the prefix ledger, and what makes a prefix last."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

import pytest
from sakur4_core.cache.prefix import Sent, resume_at
from sakur4_core.clock import FakeClock
from sakur4_core.context.auto_plan import STEP
from sakur4_core.engine import Engine
from sakur4_core.errors import Expired, InvalidInput, NotFound
from sakur4_core.events import PART_SUBMITTED, PLAN_ENFORCED, WINDOW_COMPACTED
from sakur4_core.models import InWindow, Pressure, ProposalStatus, Role, Tier, Verdict
from sakur4_core.settings import ContextSettings, Settings

SESSION = "s-1"
WINDOW = 3_000
SMALL = Settings(context=ContextSettings(window=WINDOW, reserve_output=0, backend="none"))

Opener = Callable[..., AbstractAsyncContextManager[Engine]]


async def work(engine: Engine, turns: int, start: int = 0) -> None:
    """Turns of a request, a call and a result."""
    for turn in range(start, start + turns):
        call = f"c{turn}"
        await engine.commit_episode("user", f"step {turn}: look at it", session_id=SESSION)
        await engine.commit_episode(
            "assistant", f"Read table_{turn}", session_id=SESSION, tool_name="Read",
            tool_call_id=call,
        )  # fmt: skip
        await engine.commit_episode(
            "tool",
            "\n".join(f"row {turn} {n} of the table" for n in range(50)),
            session_id=SESSION,
            tool_name="Read",
            tool_call_id=call,
        )


@pytest.fixture
async def small(open_engine: Opener, clock: FakeClock) -> AsyncIterator[Engine]:
    async with open_engine(settings=SMALL, clock=clock) as opened:
        yield opened


async def kinds(engine: Engine) -> list[str]:
    return [event.kind for event in await engine.recent_events(500)]


async def test_a_compaction_takes_what_came_before_out_of_the_window(small: Engine) -> None:
    await work(small, 4)
    await small.record_usage(session_id=SESSION, prompt_tokens=2_500)
    assert await small.window.record_compaction(SESSION, "auto", 2_500, after_seq=9) == 9
    states = {e.seq: e.in_window for e in await small.episodes.page(SESSION, limit=50)}
    assert [seq for seq, state in states.items() if state is InWindow.NO] == [*range(9, 0, -1)]
    receipt = await small.receipt(SESSION)
    assert (receipt.compactions, (receipt.total.value or 0) < 1_000) == (1, True)
    event = next(e for e in await small.recent_events(9) if e.kind == WINDOW_COMPACTED)
    assert dict(event.detail) == {
        "trigger": "auto", "pre_tokens": 2_500, "after_seq": 9, "episodes": 9,
    }  # fmt: skip
    with pytest.raises(NotFound):
        await small.window.record_compaction("nobody")
    with pytest.raises(InvalidInput):
        await small.window.record_compaction(SESSION, "a\nb")


async def test_field_defect_27_a_constraint_is_in_the_prompt_after_a_compaction(
    small: Engine,
) -> None:
    await small.pin("Never edit generated migrations.", kind="safety_constraint")
    await work(small, 4)
    await small.window.record_compaction(SESSION, "manual")
    prompt = await small.window.assemble(SESSION)
    assert prompt.timeline == ()
    assert "Never edit generated migrations." in prompt.text


async def test_a_compaction_puts_a_plan_in_effect_of_which_nothing_is_left(small: Engine) -> None:
    await work(small, 7)
    proposal = await small.plan_eviction(SESSION)
    assert proposal.plan is not None
    await small.proposals.approve(proposal.proposal_id)
    first = min(item.seq for item in proposal.plan.items)
    await small.window.record_compaction(SESSION, after_seq=first)
    assert (await small.proposals.get(proposal.proposal_id)).effect == "advised"
    await small.window.record_compaction(SESSION)
    assert (await small.proposals.get(proposal.proposal_id)).effect == "compaction"
    assert PLAN_ENFORCED in await kinds(small)


async def test_an_advised_plan_is_noted_until_it_is_enforced(small: Engine) -> None:
    await work(small, 7)
    before = await small.receipt(SESSION)
    proposal = await small.plan_eviction(SESSION)
    with pytest.raises(InvalidInput):
        await small.proposals.mark_enforced(proposal.proposal_id, "proxy")
    applied = await small.proposals.approve(proposal.proposal_id)
    assert applied.plan is not None
    waiting = await small.receipt(SESSION)
    assert waiting.total == before.total
    freed = (applied.plan.tokens_freed.value or 0) / 1_000
    assert f"A plan of {freed:.1f}k tokens is approved but not in effect yet." in waiting.notes
    assert (await small.proposals.mark_enforced(proposal.proposal_id, "proxy")).effect == "proxy"
    again = await small.proposals.mark_enforced(proposal.proposal_id, "hook")
    assert again.effect == "proxy"
    assert (await kinds(small)).count(PLAN_ENFORCED) == 1
    sent = await small.receipt(SESSION)
    assert sent.total.value == applied.plan.savings_curve[-1]
    assert not any("not in effect" in note for note in sent.notes)


async def test_between_two_plans_the_rendered_prefix_is_byte_identical(small: Engine) -> None:
    await work(small, 7)
    proposal = await small.plan_eviction(SESSION)
    await small.proposals.approve(proposal.proposal_id)
    before = (await small.window.assemble(SESSION)).text
    for turn in range(7, 11):
        await work(small, 1, turn)
        now = (await small.window.assemble(SESSION)).text
        assert now.startswith(before)
        before = now


async def test_field_defect_28_the_evicted_text_comes_back_word_for_word(small: Engine) -> None:
    await work(small, 7)
    before = {e.seq: e.content for e in await small.episodes.page(SESSION, limit=99)}
    text = (await small.window.assemble(SESSION)).text
    proposal = await small.plan_eviction(SESSION)
    assert proposal.plan is not None
    await small.proposals.approve(proposal.proposal_id)
    moved = next(item for item in proposal.plan.items if item.role is Role.TOOL)
    assert (await small.window.assemble(SESSION)).text != text
    assert (await small.episodes.get(moved.seq)).content == before[moved.seq]
    rendered = await small.render_item(moved.episode_id, moved.to_tier)
    assert f"recall(#{moved.seq})" in rendered
    assert len(rendered) < len(before[moved.seq])
    assert await small.render_item(moved.episode_id, Tier.LIVE) == before[moved.seq]
    await small.proposals.undo(proposal.proposal_id)
    assert (await small.window.assemble(SESSION)).text == text
    with pytest.raises(NotFound):
        await small.render_item("ep_nothing", Tier.LIVE)


async def test_a_submitted_part_is_an_event_only_where_it_changed(small: Engine) -> None:
    await work(small, 1)
    for text in ("You are careful.", "You are careful.", "You are quick."):
        await small.window.submit_prompt_part(SESSION, "system_prompt", text)
    assert (await kinds(small)).count(PART_SUBMITTED) == 2


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ("system", "the system prompt changed"),
        ("model", "the model was switched"),
        ("plan", "an eviction plan took effect"),
        ("compaction", "compaction"),
        ("pause", "the cache entry expired: more than an hour passed"),
    ],
)
async def test_the_ledger_says_what_broke_the_prefix_and_what_that_cost(
    small: Engine, clock: FakeClock, change: str, cause: str
) -> None:
    await work(small, 7)
    await small.window.submit_prompt_part(SESSION, "system_prompt", "You are careful.")
    model, used = "claude-sonnet-4-5", {"provider": "anthropic", "cache_write_tokens": 0}
    await small.record_usage(
        session_id=SESSION, prompt_tokens=10, cache_read_tokens=2_500, model=model, **used
    )
    clock.advance(1)
    if change == "system":
        await small.window.submit_prompt_part(SESSION, "system_prompt", "You are quick.")
    elif change == "model":
        model = "claude-opus-4-1"
    elif change == "plan":
        proposal = await small.plan_eviction(SESSION)
        await small.proposals.approve(proposal.proposal_id)
        await small.proposals.mark_enforced(proposal.proposal_id, "proxy")
    elif change == "compaction":
        await small.window.record_compaction(SESSION, after_seq=12)
    else:
        clock.advance(4_000)
    await work(small, 1, 7)
    await small.record_usage(
        session_id=SESSION, prompt_tokens=2_600, cache_read_tokens=0, model=model, **used
    )
    cache = (await small.receipt(SESSION)).cache
    assert (cache.verdict, cache.cause) == (Verdict.FULL_RE_PREFILL, cause)
    assert cache.price.value is not None and cache.price.value > 0


def test_the_longest_common_prefix() -> None:
    one = Sent((("other", "", 100), ("system_prompt", "a", 50)), ((1, 0, 10), (2, 0, 20)))
    longer = Sent(one.blocks, (*one.rows, (3, 0, 30)))
    masked = Sent(one.blocks, ((1, 0, 10), (2, 1, 5), (3, 0, 30)))
    other = Sent((("other", "", 100), ("system_prompt", "b", 40)), one.rows)
    assert longer.shared_with(one) == (180, None)
    assert masked.shared_with(longer) == (160, "history")
    assert one.shared_with(longer) == (180, "history")
    assert other.shared_with(one) == (100, "system_prompt")
    assert Sent.from_text(longer.to_text()) == longer


def test_a_cache_resumes_at_a_checkpoint_or_anywhere() -> None:
    assert resume_at(2_000, None) == 2_000
    assert resume_at(2_100, (1_024, 2_048, 3_072)) == 2_048
    assert resume_at(1_000, (1_024, 2_048)) == 0
    assert resume_at(1_000, ()) == 0


async def test_field_defect_27_an_error_that_nothing_resolved_stays(small: Engine) -> None:
    async def run(call: str, text: str, command: str = "make check") -> int:
        await small.commit_episode(
            "assistant", command, session_id=SESSION, tool_name="Bash", tool_call_id=call
        )
        done = await small.commit_episode(
            "tool", text, session_id=SESSION, tool_name="Bash", tool_call_id=call
        )
        return done.seq

    await small.commit_episode("user", "Fix the tests.", session_id=SESSION)
    filler = "\n".join(f"line {n}" for n in range(15))
    failed = await run("t1", f"{filler}\nFAILED tests/test_a.py::test_x - boom\n1 failed in 0.10s")
    other = await run("t2", f"{filler}\nExit code 2", "make docs")
    await work(small, 6)

    async def moved() -> set[int]:
        plan = await small.preview_plan(SESSION, target=0.1)
        return {item.seq for item in plan.items}

    assert not {failed, other} & await moved()
    await run("t3", "PASSED tests/test_a.py::test_x\n1 passed in 0.10s", "pytest")
    await run("t4", "built", "make docs")
    await work(small, 1, 6)
    assert {failed, other} <= await moved()


async def test_a_plan_proposes_itself_once_and_after_a_rejection_not_too_soon(
    small: Engine,
) -> None:
    check = small.auto_plan.check
    await work(small, 2)
    assert await check(SESSION) is None
    turn = 2
    while (await small.receipt(SESSION)).pressure is not Pressure.COMPACTING:
        await work(small, 1, turn)
        turn += 1
    proposal = await check(SESSION)
    assert proposal is not None and proposal.asked_by == "engine"
    assert await check(SESSION) is None
    await small.proposals.reject(proposal.proposal_id, "not now")
    assert await check(SESSION) is None
    at = (await small.receipt(SESSION)).total.value or 0
    while ((await small.receipt(SESSION)).total.value or 0) < at + STEP * WINDOW:
        assert await check(SESSION) is None
        await work(small, 1, turn)
        turn += 1
    again = await check(SESSION)
    assert again is not None
    applied = await small.proposals.approve(again.proposal_id)
    assert applied.status is ProposalStatus.APPLIED
    assert await check(SESSION) is None


async def test_a_serving_process_proposes_without_being_asked(open_engine: Opener) -> None:
    async with open_engine(settings=SMALL, kind="serve") as engine:
        async with engine.events.subscribe() as events:
            await work(engine, 10)
            async for event in events:
                if event.kind == "proposal.stored":
                    break
        assert [p.asked_by for p in await engine.proposals.pending()] == ["engine"]


async def test_field_defect_22_pressure_and_fill_never_disagree(small: Engine) -> None:
    for turn in range(10):
        await work(small, 1, turn)
        receipt = await small.receipt(SESSION)
        plan = await small.preview_plan(SESSION)
        assert receipt.pressure is plan.pressure
        over = (receipt.total.value or 0) >= (receipt.trigger_tokens or 0)
        assert (receipt.pressure is Pressure.COMPACTING) is over
        assert sum(part.tokens.value or 0 for part in receipt.parts) == receipt.total.value


async def test_field_defect_26_a_plan_of_a_session_that_moved_on_is_refused(
    small: Engine,
) -> None:
    await work(small, 7)
    proposal = await small.plan_eviction(SESSION)
    await small.window.record_compaction(SESSION)
    with pytest.raises(Expired, match="changed; it expired"):
        await small.proposals.approve(proposal.proposal_id)
