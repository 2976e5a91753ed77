"""Context, compactions and cache verdicts of Claude Code's usage rows, counted by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sakur4_core.engine import Engine
from sakur4_core.models import Basis

from .claude_writer import SESSION, Writer
from .verdicts import (
    BROKEN,
    COMPACTED,
    EXPIRED,
    LONG_EXPIRED,
    SWITCHED,
    Judged,
    compacted_after,
    judged,
)

OPUS = "claude-opus-4-20250514"


def usage(fresh: int, created: int, read: int, output: int = 20, **more: Any) -> dict[str, Any]:
    return {
        "input_tokens": fresh,
        "cache_creation_input_tokens": created,
        "cache_read_input_tokens": read,
        "output_tokens": output,
        **more,
    }


class Told:
    """A transcript told call by call, taken in as it stands after each."""

    def __init__(self, engine: Engine, project: Path, folder: Path) -> None:
        self.engine = engine
        self.writer = Writer(project)
        self.file = folder / f"{SESSION}.jsonl"

    async def reported_context(self) -> int | None:
        self.file.write_bytes(b"".join(self.writer.lines))
        return (await self.engine.importer.run(self.file)).report.context_tokens

    async def expect(self, *calls: Judged, compactions: tuple[int, ...] = ()) -> None:
        """Hold all that is known so far against ``calls``, counted by hand."""
        assert await self.reported_context() == calls[-1].context
        assert await judged(self.engine, SESSION) == list(calls)
        assert await compacted_after(self.engine, SESSION) == list(compactions)
        receipt = await self.engine.receipt(SESSION)
        assert receipt.turn == calls[-1].turn
        assert receipt.cache.verdict == calls[-1].verdict
        assert receipt.cache.cause == calls[-1].cause
        assert receipt.cache.basis is Basis.MEASURED
        assert receipt.compactions == len(compactions)
        assert sum(part.tokens.value or 0 for part in receipt.parts) == receipt.total.value


@pytest.fixture
def told(engine: Engine, project: Path, tmp_path: Path) -> Told:
    return Told(engine, project, tmp_path)


# 10 + 1,000 + 0: the first call, and nothing was warm.
FIRST = Judged(1, 1_010, "cold")


async def begin(told: Told) -> None:
    told.writer.says("one")
    told.writer.calls("first", usage(10, 1_000, 0), at="10:00")
    await told.expect(FIRST)


async def test_a_prefix_that_is_kept_needs_no_cause(told: Told) -> None:
    await begin(told)
    # All 1,010 of the prompt before are read; 5 + 500 + 1,010, in three rows of one message.
    told.writer.calls("second", usage(5, 500, 1_010, 300), at="10:01", rows=3)
    second = Judged(1, 1_515, "partial-reuse")
    await told.expect(FIRST, second)
    told.writer.says("two")
    # 1,212 is 80 % of 1,515: the least that counts as kept. 8 + 400 + 1,212.
    told.writer.calls("third", usage(8, 400, 1_212), at="10:02", rows=2)
    third = Judged(2, 1_620, "partial-reuse")
    await told.expect(FIRST, second, third)
    # 1,295 is one less than 80 % of 1,620. 9 + 400 + 1,295.
    told.writer.calls("fourth", usage(9, 400, 1_295), at="10:03")
    await told.expect(FIRST, second, third, Judged(2, 1_704, "partial-reuse", BROKEN))


async def test_rows_without_usage_and_synthetic_ones_leave_all_as_it_was(told: Told) -> None:
    await begin(told)
    told.writer.says("two")
    told.writer.calls("silent", None, at="10:01")
    told.writer.calls("made-up", usage(0, 0, 0, 0), at="10:02", model="<synthetic>")
    told.writer.calls("failed", usage(0, 0, 0, 0), at="10:03", isApiErrorMessage=True)
    assert await told.reported_context() == 1_010
    assert await judged(told.engine, SESSION) == [FIRST]
    # What comes next is judged against the first: 2 + 90 + 1,010.
    told.writer.calls("second", usage(2, 90, 1_010), at="10:04")
    await told.expect(FIRST, Judged(2, 1_102, "partial-reuse"))


@pytest.mark.parametrize(
    ("at", "model", "cause"),
    [
        ("10:04", OPUS, SWITCHED),
        ("10:05", "claude-sonnet-4-20250514", BROKEN),  # Five minutes are not more than five.
        ("10:06", "claude-sonnet-4-20250514", EXPIRED),
        ("11:00", "claude-sonnet-4-20250514", EXPIRED),
        ("11:01", "claude-sonnet-4-20250514", LONG_EXPIRED),
        ("11:01", OPUS, SWITCHED),  # The switch alone would have broken it.
    ],
)
async def test_a_broken_prefix_has_its_likeliest_cause(
    told: Told, at: str, model: str, cause: str
) -> None:
    await begin(told)
    told.writer.says("two")
    # Nothing of the 1,010 is read: 3 + 1,100 + 0.
    told.writer.calls("second", usage(3, 1_100, 0), at=at, model=model)
    broken = Judged(2, 1_103, "full-re-prefill", cause)
    await told.expect(FIRST, broken)
    # The next reads what that one wrote: 2 + 10 + 1,103.
    told.writer.calls("third", usage(2, 10, 1_103), at="11:02", model=model)
    # It comes later than the cache lives, but what was read was there.
    await told.expect(FIRST, broken, Judged(2, 1_115, "partial-reuse"))


async def test_compactions_stand_where_they_were_and_cause_the_next_break(told: Told) -> None:
    await begin(told)
    told.writer.compacts("It was one.", 1_010)
    # What the window holds is not known until the next answer.
    assert await told.reported_context() is None
    receipt = await told.engine.receipt(SESSION)
    assert (receipt.total.basis, receipt.compactions) == (Basis.ESTIMATED, 1)
    told.writer.says("two")
    # 1 + 300 + 0, hours later and by another model: the compaction is the surest cause.
    told.writer.calls("second", usage(1, 300, 0), at="14:00", rows=2, model=OPUS)
    second = Judged(2, 301, "full-re-prefill", COMPACTED)
    # Before it: the question and its answer.
    await told.expect(FIRST, second, compactions=(2,))
    # 2 + 5 + 301: the compaction explains one break, not those after it.
    told.writer.calls("third", usage(2, 5, 301), at="14:01", model=OPUS)
    third = Judged(2, 308, "partial-reuse")
    told.writer.calls("fourth", usage(2, 306, 0), at="14:02", model=OPUS)
    fourth = Judged(2, 308, "full-re-prefill", BROKEN)
    await told.expect(FIRST, second, third, fourth, compactions=(2,))
    told.writer.compacts("It was two.", 308)
    told.writer.says("three")
    # Of 308 tokens 100 are read, the system prompt's: 4 + 200 + 100.
    told.writer.calls("fifth", usage(4, 200, 100), at="14:04", model=OPUS)
    fifth = Judged(3, 304, "partial-reuse", COMPACTED)
    # Before the second: those two, the summary, a question, and an answer of two parts and two
    # of one.
    await told.expect(FIRST, second, third, fourth, fifth, compactions=(2, 8))


async def test_usage_in_its_newer_forms_counts_the_same(told: Told) -> None:
    await begin(told)
    # Older versions left the flat field 0: 7 + (40 + 60) + 1,010.
    split = {"ephemeral_5m_input_tokens": 40, "ephemeral_1h_input_tokens": 60}
    told.writer.calls("second", usage(7, 0, 1_010, cache_creation=split), at="10:01")
    second = Judged(1, 1_117, "partial-reuse")
    await told.expect(FIRST, second)
    # Two rounds in one message, 1,117 + 3 and 1,120 + 30 sent: the context is the last one's.
    rounds = [usage(1, 2, 1_117), usage(10, 20, 1_120)]
    told.writer.calls("third", usage(11, 22, 2_237, iterations=rounds), at="10:02")
    third = Judged(1, 1_150, "partial-reuse")
    await told.expect(FIRST, second, third)
    receipt = await told.engine.receipt(SESSION)
    # Of 11 + 22 + 2,237 = 2,270 tokens sent in both rounds 2,237 came from the cache.
    assert receipt.cache.reused.value == 0.9855
    # What follows is held against the last round's 1,150, and reads all of it: 5 + 5 + 1,150.
    told.writer.calls("fourth", usage(5, 5, 1_150), at="10:03")
    await told.expect(FIRST, second, third, Judged(1, 1_160, "partial-reuse"))


async def test_a_cause_stays_when_later_rows_of_its_message_arrive(told: Told) -> None:
    await begin(told)
    told.writer.compacts("It was one.", 1_010)
    told.writer.says("two")
    told.writer.calls("second", usage(1, 300, 0), at="10:02", rows=2)
    late = told.writer.lines.pop()
    second = Judged(2, 301, "full-re-prefill", COMPACTED)
    await told.expect(FIRST, second, compactions=(2,))
    # The last row changes the output only.
    told.writer.lines.append(late)
    await told.expect(FIRST, second, compactions=(2,))
