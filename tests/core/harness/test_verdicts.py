"""Context sizes, compactions and cache verdicts of real transcripts, counted by hand."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from sakur4_core.clock import FakeClock
from sakur4_core.engine import Engine
from sakur4_core.models import Basis

from .test_samples import CODEX, SAMPLES
from .verdicts import COMPACTED, SILENT, Judged, compacted_after, judged


@dataclass(frozen=True)
class Counted:
    """What a person counts in a sample.

    Attributes:
        calls: Its API calls.
        compactions: For each compaction, the turns before it.
        reused: The share of the last call's prompt that was read from cache, None if not said.
        total: The last receipt's total, where the harness says it to the token.
    """

    session: str
    calls: list[Judged]
    compactions: list[int]
    reused: float | None
    total: int | None = None


SAID: dict[str, Counted] = {
    # Two messages in five rows. 10 + 6,890 + 12,861 = 19,761, the first of the session: what it
    # read was left in the cache by another. 8 + 571 + 19,751 = 20,330: it read all but 10 tokens
    # of the prompt before. 19,751 of 20,330 is 97.15 %.
    "claude-code/tool-use.jsonl": Counted(
        "dac34307-159f-4fcd-9c21-35210246ad38",
        [Judged(1, 19_761, "partial-reuse"), Judged(1, 20_330, "partial-reuse")],
        [],
        0.9715,
    ),
    # Five answers of input 10, with no cache fields at all. The boundary stands behind four
    # questions with an answer each: u1 a1, b1u b1a, b2u b2a, b2u2 b2a2.
    "claude-code/compaction.jsonl": Counted(
        "s1",
        [Judged(turn, 10, "unknown", SILENT) for turn in range(1, 6)],
        [8],
        None,
    ),
    # One token_count: 4,200 sent, of them 3,600 cached, and 180 answered.
    f"{CODEX}2026-08-01T18-07-03-019fbcca-9fd4-7d20-83dc-0762b2f839b3.jsonl": Counted(
        "019fbcca-9fd4-7d20-83dc-0762b2f839b3",
        [Judged(1, 4_380, "partial-reuse")],
        [],
        0.8571,
    ),
    # No token_count: nothing is known of context and cache.
    f"{CODEX}2026-01-02T03-04-05-11111111-1111-4111-8111-111111111111.jsonl": Counted(
        "11111111-1111-4111-8111-111111111111", [], [], None
    ),
    # The null and the unchanged token_count add nothing. 200,000 + 400; 240,000 + 50, which read
    # all 200,000 of the prompt before; then, after question, call, result and answer, the
    # compaction, and 15,000 + 20 that read nothing.
    "codex/synthetic-reemission-compaction.jsonl": Counted(
        "01990000-0000-7000-8000-000000000001",
        [
            Judged(1, 200_400, "partial-reuse"),
            Judged(1, 240_050, "partial-reuse"),
            Judged(2, 15_020, "full-re-prefill", COMPACTED),
        ],
        [4],
        0.0,
        total=15_020,
    ),
    # input 10, output 20, cache 0 and 0: nothing could be warm before the first call.
    "opencode/sqlite/opencode.db": Counted("test-session-123", [Judged(1, 30, "cold")], [], 0.0),
    # No tokens field.
    "opencode/storage": Counted("test-session-123", [], [], None),
}


@pytest.fixture
def clock() -> FakeClock:
    """Behind all samples: what a transcript dates in the future is taken for now."""
    return FakeClock(datetime(2026, 12, 1, tzinfo=UTC))


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="../shared/samples is not beside the project")
@pytest.mark.parametrize("name", SAID)
async def test_contexts_compactions_and_verdicts_of_a_sample_are_those_counted_by_hand(
    engine: Engine, name: str
) -> None:
    counted = SAID[name]
    for _ in range(2):  # Reading it again changes nothing.
        await engine.importer.run(SAMPLES / name)
        assert await judged(engine, counted.session) == counted.calls
        assert await compacted_after(engine, counted.session) == counted.compactions
    receipt = await engine.receipt(counted.session)
    last = counted.calls[-1] if counted.calls else Judged(0, 0, "unknown")
    assert (receipt.cache.verdict, receipt.cache.cause) == (last.verdict, last.cause)
    assert receipt.cache.reused.value == counted.reused
    assert receipt.compactions == len(counted.compactions)
    assert sum(part.tokens.value or 0 for part in receipt.parts) == receipt.total.value
    if counted.total is not None:
        assert (receipt.total.value, receipt.total.basis) == (counted.total, Basis.MEASURED)
