"""Usage in one shape, the verdict it gives of the cache, and money."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sakur4_core.cache.prefix import Shared
from sakur4_core.cache.verdict import Evidence, verdict_of
from sakur4_core.clock import FakeClock, stamp
from sakur4_core.context.budget import window_size
from sakur4_core.context.composition import break_even
from sakur4_core.context.money import Rates, call_price, dollars, price_on, rates
from sakur4_core.context.usage import normalise
from sakur4_core.errors import InvalidInput
from sakur4_core.models import NOT_KNOWN, Basis, Figure, Usage, Verdict

CLOCK = FakeClock()


def report(prompt: int, **given: Any) -> Usage:
    values: dict[str, Any] = {
        "session_id": "s1",
        "turn": 1,
        "prompt_tokens": prompt,
        "completion_tokens": None,
        "cache_read_tokens": None,
        "cache_write_tokens": None,
        "provider": None,
        "model": None,
        "created_at": stamp(CLOCK.now()),
        "message_id": None,
    }
    return normalise(**{**values, **given})


@pytest.mark.parametrize(
    ("given", "context", "fresh"),
    [
        # Anthropic: input leaves cached tokens out.
        (
            {"provider": "anthropic", "cache_read_tokens": 900, "cache_write_tokens": 50},
            1_050,
            100,
        ),
        ({"model": "claude-sonnet-4-5", "cache_read_tokens": 900}, 1_000, 100),
        ({"provider": "bedrock", "model": "us.claude-x", "cache_read_tokens": 900}, 1_000, 100),
        # OpenAI, Gemini, DeepSeek, llama.cpp: cached tokens are within the prompt.
        ({"provider": "openai", "cache_read_tokens": 80}, 100, 20),
        ({"provider": "google", "model": "gemini-2.5-pro", "cache_read_tokens": 80}, 100, 20),
        ({"provider": "deepseek", "cache_read_tokens": 100}, 100, 0),
        ({"provider": "llama.cpp"}, 100, 100),
        (
            {"provider": "openrouter", "model": "claude-sonnet-4-5", "cache_read_tokens": 80},
            100,
            20,
        ),
        # More read than sent can only be a count apart.
        ({"provider": "unheard-of", "cache_read_tokens": 900}, 1_000, 100),
    ],
)
def test_field_defect_29_cached_tokens_count_once(
    given: dict[str, Any], context: int, fresh: int
) -> None:
    usage = report(100, **given)
    assert (usage.context_tokens, usage.input_tokens) == (context, fresh)


def test_absent_is_not_zero() -> None:
    usage = report(100)
    assert usage.cache_read_tokens is usage.cache_write_tokens is usage.completion_tokens is None


@pytest.mark.parametrize("bad", [{"prompt": -1}, {"prompt": 10**10}, {"completion_tokens": -5}])
def test_numbers_that_no_call_can_have_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(InvalidInput):
        report(bad.get("prompt", 1), **{k: v for k, v in bad.items() if k != "prompt"})


def test_verdicts() -> None:
    before = report(1_000, cache_read_tokens=0)
    after = Evidence(before)
    assert verdict_of(report(1_000), after).verdict is Verdict.UNKNOWN
    assert verdict_of(before, Evidence()).verdict is Verdict.COLD
    warm = verdict_of(report(1_200, cache_read_tokens=1_000), after)
    assert (warm.verdict, warm.cause, warm.basis) == (
        Verdict.PARTIAL_REUSE,
        None,
        Basis.MEASURED,
    )
    assert warm.reused.value == pytest.approx(0.8333)
    broken = verdict_of(
        report(1_200, cache_read_tokens=0), Evidence(before, ("window.compacted",))
    )
    assert (broken.verdict, broken.cause) == (Verdict.FULL_RE_PREFILL, "compaction")
    partly = verdict_of(report(1_200, cache_read_tokens=300), after)
    assert partly.cause == "the prompt's beginning changed"
    restored = verdict_of(
        report(1_200, cache_read_tokens=900), Evidence(before, ("snapshot.restored",))
    )
    assert restored.verdict is Verdict.WARM_RESTORED


def test_a_prediction_is_named_as_one_and_what_was_measured_goes_before_it() -> None:
    before = report(1_000)
    predicted = verdict_of(report(1_100), Evidence(before, predicted=1_000))
    assert (predicted.verdict, predicted.basis) == (Verdict.PARTIAL_REUSE, Basis.PREDICTED)
    assert verdict_of(report(10), Evidence(predicted=0)).verdict is Verdict.COLD
    measured = verdict_of(report(1_100, cache_read_tokens=0), Evidence(before, predicted=1_000))
    assert (measured.verdict, measured.basis) == (Verdict.FULL_RE_PREFILL, Basis.MEASURED)


def test_the_likely_cause_of_a_broken_prefix_and_its_price() -> None:
    before = report(1_000, cache_read_tokens=900, model="gpt-5")
    switched = report(1_000, cache_read_tokens=0, model="gpt-4o")
    assert verdict_of(switched, Evidence(before)).cause == "the model was switched"
    same = report(1_000, cache_read_tokens=0, model="gpt-5")
    for part, words in (
        ("system_prompt", "the system prompt changed"),
        ("tool_schemas", "the tool schemas changed"),
        ("history", "the prompt's beginning changed"),
    ):
        found = verdict_of(same, Evidence(before, shared=Shared(0, part)))
        assert found.cause == words
    for seconds, words in ((301, "more than 5 minutes"), (3_601, "more than an hour")):
        later = FakeClock()
        later.advance(seconds)
        late = replace(same, created_at=stamp(later.now()))
        assert words in str(verdict_of(late, Evidence(before)).cause)
    prices = Rates(fresh=1.0, cached_read=0.1, cache_write=1.25)
    half = report(1_200, cache_read_tokens=400, model="gpt-5")
    broken = verdict_of(half, Evidence(before, rates=prices))
    assert broken.price.value == pytest.approx(600 * 1.15)
    assert broken.price.basis is Basis.ESTIMATED
    assert verdict_of(half, Evidence(before)).price == NOT_KNOWN


def test_money_by_the_list() -> None:
    day = CLOCK.now()
    found = rates("claude-sonnet-4-5", "anthropic", day)
    assert found is not None
    assert found.cached_read < found.fresh < found.cache_write
    usage = report(
        1_000,
        provider="anthropic",
        model="claude-sonnet-4-5",
        completion_tokens=100,
        cache_read_tokens=9_000,
    )
    price = call_price(usage, day)
    assert price == pytest.approx(1_000 * 3e-6 + 9_000 * 0.3e-6 + 100 * 15e-6)
    assert dollars(price).basis is Basis.ESTIMATED


@pytest.mark.parametrize(
    ("model", "provider"),
    [("no-such-model", None), (None, "openai"), ("gpt-5", "llama.cpp"), ("qwen-x", "nowhere")],
)
def test_an_unknown_price_is_not_known(model: str | None, provider: str | None) -> None:
    assert rates(model, provider, CLOCK.now()) is None
    usage = report(10, model=model, provider=provider, completion_tokens=1)
    assert dollars(call_price(usage, CLOCK.now())) == NOT_KNOWN


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("claude-sonnet-4-5", "anthropic"),
        ("claude-opus-4-1", "anthropic"),
        ("gpt-5", "openai"),
        ("gemini-2.5-pro", "google"),
        ("deepseek-chat", "deepseek"),
    ],
)
def test_a_price_is_the_lists_own_below_and_beyond_its_steps(model: str, provider: str) -> None:
    day = CLOCK.now()
    for sent in (0, 999, 150_000, 199_999, 200_000, 200_001, 900_000):
        for read, write in ((0, 0), (sent // 3, sent // 7), (sent, 0), (sent, 1)):
            usage = replace(
                report(sent, model=model, provider=provider, completion_tokens=777),
                context_tokens=sent,
                cache_read_tokens=read,
                cache_write_tokens=write,
            )
            assert price_on(usage, day) == call_price(usage, day)


def test_a_call_without_its_output_has_no_price() -> None:
    assert call_price(report(10, model="gpt-5", provider="openai"), CLOCK.now()) is None


def test_an_unknown_window_is_assumed_and_grows_once_exceeded() -> None:
    assert window_size(None, 0).value == 200_000
    assert window_size(None, 0).basis is Basis.ESTIMATED
    assert window_size(None, 200_001).value == 400_000
    assert window_size(None, 5_000_000).value == 8_000_000
    assert window_size(32_768, 90_000).value == 32_768
    assert window_size(None, 90_000, 8_192) == Figure(8_192, Basis.MEASURED)
    assert window_size(4_096, 0, 8_192).value == 4_096


@pytest.mark.parametrize(
    ("freed", "rewritten", "read", "write", "turns"),
    [
        (40_000, 46_000, 0.1, 1.25, 14),
        (1_000, 1_000, 0.1, 1.1, 10),
        (1_000, 0, 0.1, 1.25, 0),
        (0, 0, 0.1, 1.25, None),
        (1_000, 1_000, 0.0, 1.0, None),
        (1_000, 1_000, 1.0, 1.0, 0),
    ],
)
def test_break_even_is_the_smallest_number_that_pays(
    freed: int, rewritten: int, read: float, write: float, turns: int | None
) -> None:
    assert break_even(freed, rewritten, read, write) == turns
    if turns:
        assert turns * freed * read >= rewritten * (write - read) - 1e-6
        assert (turns - 1) * freed * read < rewritten * (write - read)
