"""Receipts, tiers and plans of a real store."""

from __future__ import annotations

import json

import pytest
from context_bench import COUNTER, Bench, Benches, Turn, conversation
from sakur4_core.context.prompt import OTHER
from sakur4_core.context.receipt import DIFFERENCE
from sakur4_core.context.receipt_json import from_body, to_body
from sakur4_core.errors import InvalidInput, NotFound
from sakur4_core.events import RECEIPT_STORED, USAGE_RECORDED
from sakur4_core.models import NOT_KNOWN, Basis, Pressure, Receipt, Tier, Verdict, to_json


def parts(receipt: Receipt) -> dict[str, float | None]:
    return {part.name: part.tokens.value for part in receipt.parts}


def check_sum(receipt: Receipt) -> None:
    assert sum(value for value in parts(receipt).values() if value is not None) == (
        receipt.total.value
    )
    for part in receipt.parts:
        if part.detail:
            assert sum(inner.tokens.value or 0 for inner in part.detail) == part.tokens.value


async def test_without_usage_the_parts_are_what_is_known(bench: Bench) -> None:
    await bench.fill(conversation(3))
    receipt = await bench.window.receipt("s1")
    check_sum(receipt)
    found = parts(receipt)
    assert found["system_prompt"] is found["tool_schemas"] is found[OTHER] is None
    detail = next(part for part in receipt.parts if part.name == "raw_recent_history").detail
    assert [part.name for part in detail] == ["user", "assistant", "tool:Read"]
    assert receipt.total.basis is Basis.ESTIMATED
    assert receipt.price == receipt.session_price == NOT_KNOWN
    assert receipt.cache.verdict is Verdict.UNKNOWN
    assert (receipt.counter, receipt.backend) == ("o200k_base", "none")


async def test_with_usage_the_total_is_measured_and_the_rest_is_other(bench: Bench) -> None:
    await bench.fill([*conversation(2), Turn("user", "Go on.")])
    known = (await bench.window.receipt("s1")).total.value or 0
    await bench.window.record_usage(
        session_id="s1", prompt_tokens=int(known) + 5_000, completion_tokens=10, model="gpt-5",
        provider="openai", cache_read_tokens=0,
    )  # fmt: skip
    receipt = await bench.window.receipt("s1")
    check_sum(receipt)
    assert parts(receipt)[OTHER] == 5_000
    assert (receipt.total.value, receipt.total.basis) == (known + 5_000, Basis.MEASURED)
    assert receipt.cache.verdict is Verdict.COLD
    assert receipt.price.value is not None
    await bench.fill([Turn("assistant", "Done, the limit is seven.")])
    after = await bench.window.receipt("s1")
    check_sum(after)
    assert parts(after)[OTHER] == 5_000
    assert after.total.basis is Basis.ESTIMATED
    assert await bench.events(USAGE_RECORDED) == 1


async def test_the_answer_committed_before_its_report_is_not_part_of_the_prompt(
    bench: Bench,
) -> None:
    await bench.fill([Turn("user", "Hello there.")])
    known = int((await bench.window.receipt("s1")).total.value or 0)
    await bench.fill([Turn("assistant", "Good day.")])
    await bench.window.record_usage(session_id="s1", prompt_tokens=known + 100)
    receipt = await bench.window.receipt("s1")
    check_sum(receipt)
    assert parts(receipt)[OTHER] == 100
    assert receipt.total.value == known + 100 + COUNTER.count("Good day.")


async def test_a_negative_remainder_has_a_signed_row_of_its_own(bench: Bench) -> None:
    await bench.fill([*conversation(2), Turn("user", "Go on.")])
    known = int((await bench.window.receipt("s1")).total.value or 0)
    await bench.window.record_usage(session_id="s1", prompt_tokens=known - 300)
    receipt = await bench.window.receipt("s1")
    check_sum(receipt)
    assert parts(receipt)[DIFFERENCE] == -300
    assert OTHER not in parts(receipt)
    assert receipt.total.value == known - 300


async def test_field_defect_29_the_last_report_of_a_message_wins(bench: Bench) -> None:
    await bench.fill([Turn("user", "Hello there.")])
    for tokens in (500, 800, 650):
        await bench.window.record_usage(
            session_id="s1", prompt_tokens=tokens, completion_tokens=1, message_id="m1",
            model="gpt-5", provider="openai",
        )  # fmt: skip
    receipt = await bench.window.receipt("s1")
    assert receipt.total.value == 650
    assert receipt.session_price == receipt.price


async def test_a_report_from_before_a_compaction_does_not_describe_the_window(
    bench: Bench,
) -> None:
    await bench.fill([*conversation(2), Turn("user", "Go on.")])
    await bench.window.record_usage(session_id="s1", prompt_tokens=90_000)
    assert await bench.window.record_compaction("s1", "auto", 90_000, after_seq=6) == 6
    receipt = await bench.window.receipt("s1")
    check_sum(receipt)
    assert receipt.compactions == 1
    assert (receipt.total.value or 0) < 2_000
    tiers = await bench.window.tiers("s1")
    assert tiers.left_window == 6
    assert sum(count.episodes for count in tiers.counts) == 2


async def test_submitted_parts_are_counted_and_no_longer_other(bench: Bench) -> None:
    await bench.fill([Turn("user", "Hello there.")])
    known = int((await bench.window.receipt("s1")).total.value or 0)
    await bench.window.record_usage(session_id="s1", prompt_tokens=known + 400)
    bench.clock.advance(1)
    text = "You are a careful agent. " * 20
    await bench.window.submit_prompt_part("s1", "system_prompt", text)
    receipt = await bench.window.receipt("s1")
    check_sum(receipt)
    assert parts(receipt)["system_prompt"] == COUNTER.count(text)
    assert receipt.total.value == known + 400
    assert parts(receipt)["tool_schemas"] is None
    with pytest.raises(InvalidInput):
        await bench.window.submit_prompt_part("s1", "other", "x")


async def test_our_own_answers_are_our_own_overhead(bench: Bench) -> None:
    await bench.fill(
        [
            Turn("user", "What did we say?"),
            Turn("tool", "evidence " * 50, "mcp__sakur4__memory_recall", "c1"),
            Turn("tool", "map " * 50, "code.get_repo_map", "c2"),
        ]
    )
    receipt = await bench.window.receipt("s1")
    check_sum(receipt)
    found = parts(receipt)
    assert found["retrieved_memory"] and found["repo_map"]
    assert receipt.overhead.value == found["retrieved_memory"] + found["repo_map"]
    assert [part.name for part in receipt.per_tool] == [
        "mcp__sakur4__memory_recall",
        "code.get_repo_map",
    ]


async def test_one_receipt_a_turn_written_only_when_it_changed(bench: Bench) -> None:
    await bench.fill([Turn("user", "One.")])
    first = await bench.window.receipt("s1")
    assert await bench.window.receipt("s1") == first
    assert await bench.events(RECEIPT_STORED) == 1
    await bench.fill([Turn("assistant", "Two.")])
    changed = await bench.window.receipt("s1")
    assert changed.receipt_id == first.receipt_id
    await bench.fill([Turn("user", "Three.")])
    second = await bench.window.receipt("s1")
    assert await bench.window.receipts("s1") == (second, changed)
    assert from_body(second.receipt_id, second.created_at, to_body(second)) == second
    json.dumps(to_json(second))


async def test_field_defect_25_a_plan_reaches_its_target_and_tells_its_price(bench: Bench) -> None:
    await bench.fill(conversation(18), model="claude-sonnet-4-5")
    plan = await bench.window.plan("s1")
    assert plan.pressure is Pressure.COMPACTING
    assert plan.reaches_target
    assert plan.target_tokens == 9_000
    assert 8_000 <= plan.savings_curve[-1] <= 9_000
    assert plan.price.basis is Basis.PREDICTED and plan.price.value
    assert plan.break_even_turns is not None and plan.break_even_turns > 0
    assert (plan.prefix_kept.value or 0) + (plan.tokens_to_prefill.value or 0) == (
        plan.savings_curve[-1]
    )
    assert await bench.window.plan("s1") == plan


async def test_field_defect_22_receipt_and_plan_agree_on_the_pressure(benches: Benches) -> None:
    bench = await benches.open(window=20_000, reserve_output=1_000)
    for _ in range(20):
        await bench.fill(conversation(1)[1:])
        receipt = await bench.window.receipt("s1")
        plan = await bench.window.plan("s1")
        assert plan.pressure is receipt.pressure
        assert plan.tokens_before.value == receipt.total.value
        over = (receipt.fill.value or 0) >= 0.75
        assert (receipt.pressure is Pressure.COMPACTING) is over


async def test_profiles_keep_more_of_the_prefix_or_choose_more_freely(benches: Benches) -> None:
    kept = {}
    for profile in ("cache-first", "window-first"):
        bench = await benches.open(window=20_000, reserve_output=1_000, profile=profile)
        await bench.fill(conversation(18))
        plan = await bench.window.plan("s1", target=0.5)
        assert plan.reaches_target
        kept[profile] = plan.prefix_kept.value or 0
    assert kept["cache-first"] > kept["window-first"]


async def test_below_the_target_there_is_nothing_to_do_but_a_forecast(bench: Bench) -> None:
    await bench.fill(conversation(4))
    plan = await bench.window.plan("s1")
    assert (plan.items, plan.notes) == ((), ("The window is below its target.",))
    assert (await bench.window.tiers("s1")).next_to_leave
    sooner = await bench.window.plan("s1", target=0.1)
    assert sooner.items and sooner.reaches_target
    for bad in (0, 1, 1.5, -0.1):
        with pytest.raises(InvalidInput):
            await bench.window.plan("s1", target=bad)


async def test_a_plan_that_cannot_reach_its_target_says_why(bench: Bench) -> None:
    await bench.fill([Turn("user", "words " * 18_000)])
    plan = await bench.window.plan("s1")
    assert not plan.reaches_target
    assert "cannot leave" in plan.notes[0]


async def test_a_superseded_episode_leaves_first(bench: Bench) -> None:
    turns = conversation(18)
    turns[29].superseded_by = "ep_000060"
    await bench.fill(turns)
    plan = await bench.window.plan("s1")
    assert [item.seq for item in plan.items[:2]] == [29, 30]
    wrong = next(item for item in plan.items if item.seq == 30)
    assert any(r.name == "superseded" and r.amount == -3.0 for r in wrong.reasons)


async def test_anchors_beyond_their_budget_stop_the_planner(bench: Bench) -> None:
    """Field defect 14."""
    await bench.fill(conversation(18))
    for index in range(4):
        await bench.anchors.pin(f"Rule {index}: " + "never touch the generated files; " * 90)
    plan = await bench.window.plan("s1")
    receipt = await bench.window.receipt("s1")
    assert plan.pressure is receipt.pressure is Pressure.ANCHOR_OVERFLOW
    assert plan.items == ()
    assert "pinned anchors" in plan.notes[0]
    assert "Rule 3" in (await bench.window.assemble("s1")).text


async def test_an_advised_plan_is_planned_but_not_sent(bench: Bench) -> None:
    await bench.fill(conversation(18))
    before = await bench.window.receipt("s1")
    plan = await bench.window.plan("s1")
    undo = json.dumps([[item.seq, item.from_tier, item.to_tier] for item in plan.items])
    for item in plan.items:
        await bench.sql("UPDATE episode_state SET tier = ? WHERE seq = ?", item.to_tier, item.seq)
    await bench.sql(
        "INSERT INTO proposal VALUES ('pr1','eviction','applied','s1','{}','','p','1','2','p','1',"
        "NULL,NULL,'advised',?)",
        undo,
    )
    waiting = await bench.window.receipt("s1")
    assert waiting.total == before.total
    assert waiting.evicted_tokens.value == plan.tokens_freed.value
    assert any("not in effect yet" in note for note in waiting.notes)
    again = await bench.window.plan("s1")
    assert again.items == ()
    assert "not in effect" in again.notes[0]
    assert (await bench.window.assemble("s1")).total == plan.savings_curve[-1]
    await bench.sql("UPDATE proposal SET effect = 'enforced'")
    sent = await bench.window.receipt("s1")
    check_sum(sent)
    assert sent.total.value == plan.savings_curve[-1]


async def test_offsets_are_the_sums_of_what_stands_before(bench: Bench) -> None:
    turns = conversation(6)
    turns[2].tier, turns[5].tier, turns[8].tier = "masked", "referenced", "archived"
    await bench.fill(turns)
    await bench.anchors.pin("Never force-push to main.")
    prompt = await bench.window.assemble("s1")
    offset = 0
    for piece in (*prompt.head, *prompt.timeline, *prompt.tail):
        assert piece.offset == offset
        offset += piece.tokens or 0
    assert offset == prompt.total
    assert prompt.text.index("Never force-push") < prompt.text.index("Please make the limit")
    for slot in prompt.timeline:
        assert slot.tokens == COUNTER.count(slot.text or "")
    assert prompt.timeline[8].tier is Tier.ARCHIVED and prompt.timeline[8].text == ""


async def test_a_redacted_episode_is_counted_anew(bench: Bench) -> None:
    turns = conversation(2)
    turns[2].tier = "masked"
    await bench.fill(turns)
    before = (await bench.window.assemble("s1")).timeline[2]
    await bench.sql("INSERT INTO redaction VALUES (3, '[redacted]', 'leak', 'now')")
    await bench.sql("UPDATE episode SET content = '[redacted]' WHERE seq = 3")
    after = (await bench.window.assemble("s1")).timeline[2]
    assert (after.text, after.tokens < before.tokens) == ("[redacted]", True)


async def test_a_closed_fold_stands_as_its_summary(bench: Bench) -> None:
    await bench.fill(conversation(3))
    whole = await bench.window.receipt("s1")
    await bench.sql(
        "INSERT INTO fold (fold_id, session_id, description, goal, status, summary, first_seq,"
        " created_at) VALUES ('fo1', 's1', 'd', 'g', 'closed', 'The modules read it.', 2, 'now')"
    )
    await bench.sql("UPDATE episode_state SET fold_id = 'fo1' WHERE seq BETWEEN 2 AND 7")
    receipt = await bench.window.receipt("s1")
    check_sum(receipt)
    assert parts(receipt)["fold_summaries"] == COUNTER.count("The modules read it.")
    assert (receipt.total.value or 0) < (whole.total.value or 0)


async def test_other_sessions_do_not_count(bench: Bench) -> None:
    """Field defect 3."""
    await bench.fill(conversation(2))
    alone = await bench.window.receipt("s1")
    await bench.fill(conversation(9), session="s2")
    assert (await bench.window.receipt("s1")).parts == alone.parts


@pytest.mark.parametrize("method", ["receipt", "tiers", "plan", "assemble"])
async def test_an_unknown_session_is_not_found(bench: Bench, method: str) -> None:
    with pytest.raises(NotFound):
        await getattr(bench.window, method)("nobody")
    with pytest.raises(NotFound):
        await bench.window.record_usage(session_id="nobody", prompt_tokens=1)
    with pytest.raises(NotFound):
        await bench.window.submit_prompt_part("nobody", "system_prompt", "x")


async def test_an_empty_session_has_a_receipt(bench: Bench) -> None:
    await bench.fill([])
    receipt = await bench.window.receipt("s1")
    assert receipt.total.value == 0
    assert (await bench.window.plan("s1")).items == ()
    assert (await bench.window.tiers("s1")).next_to_leave == ()


async def test_a_long_session_is_counted_once(benches: Benches) -> None:
    bench = await benches.open()
    await bench.fill(conversation(300, 8))
    first = await bench.window.plan("s1", target=0.05)
    known = len(bench.window._looking._local._known)
    assert first.reaches_target
    assert await bench.window.plan("s1", target=0.05) == first
    assert len(bench.window._looking._local._known) == known
