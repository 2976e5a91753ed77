"""Local counts become a model's tokens: learned from reports, robust, and with their error."""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path

import pytest
from context_bench import Bench, Benches, Turn, conversation
from hypothesis import given, settings
from hypothesis import strategies as st
from sakur4_core.context.calibration import Scale, scale_of
from sakur4_core.models import Basis
from sakur4_core.store.usage import Report

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "fixtures" / "fake_llama"))
from server import tokenize  # noqa: E402

OFFSET = 11_400
MODEL = "another-model"


def reports(factor: float, offset: int, count: int = 12, epoch: int = 0) -> list[Report]:
    locals_ = [1_000 * n + 37 * (n % 3) for n in range(1, count + 1)]
    return [Report("s1", epoch, local, round(local * factor) + offset) for local in locals_]


def test_without_reports_a_count_is_counted_for_its_own_models_and_else_estimated() -> None:
    assert scale_of("gpt-5-codex", ()) == Scale(1.0, Basis.COUNTED)
    assert scale_of("claude-sonnet-4-5", ()) == Scale(1.0, Basis.ESTIMATED)
    assert scale_of("anything", reports(1.2, 0), exact=True) == Scale(1.0, Basis.COUNTED)


@given(st.floats(0.6, 2.0), st.integers(0, 50_000))
@settings(max_examples=40, deadline=None)
def test_factor_and_offset_are_told_apart(factor: float, offset: int) -> None:
    scale = scale_of("m", reports(factor, offset))
    assert scale.basis is Basis.CALIBRATED
    assert scale.factor == pytest.approx(factor, rel=0.01)
    assert scale.error is not None and scale.error <= 0.01


def test_outliers_and_compactions_do_not_move_it() -> None:
    rows = [*reports(1.2, 9_000), *reports(1.2, 2_000, epoch=1)]
    rows[4] = rows[4]._replace(measured=rows[4].measured * 10)
    rows[9] = rows[9]._replace(measured=0)
    rows[15] = rows[15]._replace(measured=rows[15].measured - 9_000)
    assert scale_of("m", rows).factor == pytest.approx(1.2, rel=0.01)


def test_too_little_text_says_nothing() -> None:
    rows = [Report("s1", 0, 100 + n, 900 + 3 * n) for n in range(50)]
    assert scale_of("m", rows).basis is Basis.ESTIMATED


def recorded() -> list[Turn]:
    """The demo's session as it was recorded."""
    lines = (ROOT / "fixtures" / "demo" / "session.jsonl").read_text().splitlines()
    steps = [json.loads(line) for line in lines]
    given = [s["arguments"] for s in steps if s.get("tool") == "memory_commit_episode"]
    return [
        Turn(turn["role"], turn["content"], turn.get("tool_name"), turn.get("tool_call_id"))
        for turn in given
    ]


async def test_the_next_turn_is_estimated_within_three_percent(bench: Bench) -> None:
    """Over 50 recorded calls, with another tokenizer, parts nobody told of, and a compaction."""
    errors: list[float] = []
    in_window = 0
    turns = recorded() * 2
    for place, turn in enumerate(turns):
        if turn.role == "assistant" and place:
            true = OFFSET + in_window
            before = (await bench.window.receipt("s1")).total.value or 0
            errors.append(abs(before - true) / true)
            await bench.window.record_usage(
                session_id="s1", prompt_tokens=true, model=MODEL, provider="somewhere"
            )
        if place == len(turns) // 2:
            await bench.window.record_compaction("s1", "auto")
            in_window = 0
        await bench.fill([turn])
        in_window += len(tokenize(turn.content))
    assert len(errors) >= 50
    assert statistics.median(errors) <= 0.03
    receipt = await bench.window.receipt("s1")
    assert receipt.total.basis is Basis.CALIBRATED
    assert receipt.total.error is not None and receipt.total.error < 0.03
    history = next(part for part in receipt.parts if part.name == "raw_recent_history")
    assert history.tokens.basis is Basis.CALIBRATED
    assert history.tokens.value == pytest.approx(in_window, rel=0.05)


async def test_a_calibrated_receipt_sums_and_agrees_with_the_plan(benches: Benches) -> None:
    bench = await benches.open(window=20_000, reserve_output=1_000)
    for _ in range(9):
        await bench.fill([*conversation(1), Turn("user", "Go on.")])
        view = await bench.window.look("s1")
        known = view.known(10**9)
        await bench.window.record_usage(
            session_id="s1", prompt_tokens=int(known * 1.17) + 2_000, model=MODEL
        )
    receipt = await bench.window.receipt("s1")
    view = await bench.window.look("s1")
    assert view.scale.factor == pytest.approx(1.17, rel=0.01)
    assert sum(part.tokens.value or 0 for part in receipt.parts) == receipt.total.value
    assert (receipt.total.basis, receipt.total.value) == (
        Basis.MEASURED,
        int(known * 1.17) + 2_000,
    )
    plan = await bench.window.plan("s1", target=0.2)
    assert plan.tokens_before.value == receipt.total.value
    assert plan.tokens_after.error == view.scale.error
    assert receipt.counter == "o200k_base × 1.17"
