"""Context, compactions and cache verdicts of Codex and opencode, counted by hand."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from sakur4_core.engine import Engine
from sakur4_core.models import Basis

from .verdicts import BROKEN, COMPACTED, Judged, compacted_after, judged

PARENT, CHILD = (f"0198{mark}000-0000-7000-8000-000000000001" for mark in "ab")


def line(second: int, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    stamp = f"2025-08-01T10:{second // 60:02d}:{second % 60:02d}.000Z"
    return {"timestamp": stamp, "type": kind, "payload": payload}


def said(second: int, role: str, text: str) -> list[dict[str, Any]]:
    """A message as an item and as an event."""
    kind = "input_text" if role == "user" else "output_text"
    event = "user_message" if role == "user" else "agent_message"
    content = [{"type": kind, "text": text}]
    return [
        line(second, "response_item", {"type": "message", "role": role, "content": content}),
        line(second, "event_msg", {"type": event, "message": text}),
    ]


def counts(second: int, total: tuple[int, int, int], last: tuple[int, int, int]) -> dict[str, Any]:
    """A token_count: input with what was cached, what was cached, output."""

    def usage(read_in: int, cached: int, output: int) -> dict[str, int]:
        return {
            "input_tokens": read_in,
            "cached_input_tokens": cached,
            "output_tokens": output,
            "total_tokens": read_in + output,
        }

    info = {"total_token_usage": usage(*total), "last_token_usage": usage(*last)}
    return line(second, "event_msg", {"type": "token_count", "info": info})


def rollout() -> list[dict[str, Any]]:
    meta = {"id": PARENT, "cwd": "/home/user/made-up", "source": "cli", "model_provider": "openai"}
    first, second = (12_000, 0, 100), (20_000, 12_000, 9_000)
    return [
        line(0, "session_meta", meta),
        line(1, "turn_context", {"turn_id": "t1", "model": "gpt-5-codex"}),
        *said(2, "user", "one"),
        line(3, "event_msg", {"type": "token_count", "info": None}),
        *said(4, "assistant", "first"),
        counts(5, first, first),
        counts(6, first, first),
        line(10, "turn_context", {"turn_id": "t2", "model": "gpt-5-codex"}),
        *said(11, "user", "two"),
        *said(12, "assistant", "second, a long one"),
        counts(13, (32_000, 12_000, 9_100), second),
        line(20, "turn_context", {"turn_id": "t3", "model": "gpt-5-codex"}),
        *said(21, "user", "three"),
        *said(22, "assistant", "third"),
        counts(23, (62_000, 32_000, 9_150), (30_000, 20_000, 50)),
        *said(24, "assistant", "fourth"),
        counts(25, (92_500, 37_000, 9_170), (30_500, 5_000, 20)),
        line(30, "compacted", {"message": "", "replacement_history": []}),
        line(31, "event_msg", {"type": "context_compacted"}),
        line(32, "turn_context", {"turn_id": "t4", "model": "gpt-5-codex"}),
        *said(33, "user", "four"),
        *said(34, "assistant", "fifth"),
        counts(35, (96_500, 40_000, 9_200), (4_000, 3_000, 30)),
    ]


# What each token_count says, input and output together; the null and the repeated one nothing.
OF_ROLLOUT = [
    # Nothing was warm.
    Judged(1, 12_100, "cold"),
    # 12,000 were sent before and 12,000 are read.
    Judged(2, 29_000, "partial-reuse"),
    # 20,000 were sent before and 20,000 are read; the 9,000 answered were not sent.
    Judged(3, 30_050, "partial-reuse"),
    # 5,000 of 30,000.
    Judged(3, 30_520, "partial-reuse", BROKEN),
    # 3,000 of 30,500, behind the compaction.
    Judged(4, 4_030, "partial-reuse", COMPACTED),
]


def write(folder: Path, session: str, lines: list[dict[str, Any]]) -> Path:
    file = folder / f"rollout-2025-08-01T10-00-00-{session}.jsonl"
    file.write_text("".join(json.dumps(entry) + "\n" for entry in lines))
    return file


async def test_a_rollout_is_judged_call_by_call(engine: Engine, tmp_path: Path) -> None:
    file = write(tmp_path, PARENT, rollout())
    report = (await engine.importer.run(file)).report
    assert await judged(engine, PARENT) == OF_ROLLOUT
    # Before it: three questions and four answers.
    assert await compacted_after(engine, PARENT) == [7]
    assert (report.context_tokens, report.compactions, report.api_messages) == (4_030, 1, 5)
    assert report.cache_read_tokens == 12_000 + 20_000 + 5_000 + 3_000
    receipt = await engine.receipt(PARENT)
    # The newest answer is in the 4,030 already. Of the 4,000 sent 3,000 were read.
    assert (receipt.total.value, receipt.total.basis) == (4_030, Basis.MEASURED)
    assert receipt.cache.reused.value == 0.75


async def test_a_forked_rollout_is_judged_by_its_own_calls_only(
    engine: Engine, tmp_path: Path
) -> None:
    write(tmp_path, PARENT, rollout())
    meta = {"id": CHILD, "cwd": "/home/user/made-up", "source": "cli", "forked_from_id": PARENT}
    copy = [{**entry, "timestamp": "2025-08-01T11:00:00.000Z"} for entry in rollout()]
    own = [
        line(3_601, "turn_context", {"turn_id": "t5", "model": "gpt-5-codex"}),
        *said(3_602, "user", "five"),
        *said(3_603, "assistant", "sixth"),
        # The totals go on from the parent's.
        counts(3_604, (100_600, 44_000, 9_210), (4_100, 4_000, 10)),
    ]
    write(tmp_path, CHILD, [{**copy[0], "payload": meta}, *copy, *own])
    report = (await engine.importer.run(tmp_path)).report
    assert await judged(engine, PARENT) == OF_ROLLOUT
    # The first call that is the fork's own has nothing before it to be held against.
    assert await judged(engine, CHILD) == [Judged(1, 4_110, "partial-reuse")]
    assert await compacted_after(engine, CHILD) == []
    assert (report.context_tokens, report.compactions, report.api_messages) == (4_110, 1, 6)
    assert report.input_tokens == 100_600


def opencode(file: Path, messages: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """A database of 1.x with one session; of each message, its data and its only part."""
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("CREATE TABLE session (id, parent_id, directory, title, time_updated)")
        columns = "session_id, time_created, time_updated, data"
        db.execute(f"CREATE TABLE message (id, {columns})")
        db.execute(f"CREATE TABLE part (id, message_id, {columns})")
        db.execute("INSERT INTO session VALUES ('ses', NULL, '/home/user/made-up', 'one', 1)")
        for number, (data, part) in enumerate(messages):
            made = 1_754_000_000_000 + 60_000 * number
            done = {**data, "time": {"created": made, "completed": made + 1}}
            times = ("ses", made, made)
            row = (f"msg{number}", *times, json.dumps(done))
            db.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", row)
            held = (f"prt{number}", f"msg{number}", *times, json.dumps(part))
            db.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", held)


def answer(fresh: int, read: int, written: int, output: int, **more: Any) -> dict[str, Any]:
    return {
        "role": "assistant",
        "providerID": "anthropic",
        "modelID": "claude-sonnet-4-20250514",
        "tokens": {"input": fresh, "output": output, "cache": {"read": read, "write": written}},
        **more,
    }


async def test_an_opencode_session_is_judged_call_by_call(engine: Engine, tmp_path: Path) -> None:
    ask: dict[str, Any] = {"role": "user"}
    file = tmp_path / "opencode.db"
    opencode(
        file,
        [
            (ask, {"type": "text", "text": "one"}),
            (answer(100, 0, 900, 20), {"type": "text", "text": "first"}),
            (ask, {"type": "text", "text": "two"}),
            (answer(50, 1_000, 100, 600), {"type": "text", "text": "second"}),
            (answer(10, 1_150, 700, 40), {"type": "text", "text": "third"}),
            (answer(10, 0, 1_900, 40), {"type": "text", "text": "fourth"}),
            (ask, {"type": "compaction", "auto": True}),
            (answer(1_950, 0, 0, 80, summary=True), {"type": "text", "text": "in short"}),
            (ask, {"type": "text", "text": "three"}),
            (answer(5, 200, 100, 30), {"type": "text", "text": "fifth"}),
        ],
    )
    report = (await engine.importer.run(file)).report
    # The context is all four numbers; what was sent is three of them.
    assert await judged(engine, "ses") == [
        # 100 + 900 were sent; nothing was warm.
        Judged(1, 1_020, "cold"),
        # All 1,000 are read.
        Judged(2, 1_750, "partial-reuse"),
        # 50 + 1,000 + 100 were sent and read; the 600 answered were not sent.
        Judged(2, 1_900, "partial-reuse"),
        Judged(2, 1_950, "full-re-prefill", BROKEN),
        # The summary's own call says nothing of the window; 200 of 1,910, behind a compaction.
        Judged(3, 335, "partial-reuse", COMPACTED),
    ]
    # Before it: two questions and four answers.
    assert await compacted_after(engine, "ses") == [6]
    assert (report.context_tokens, report.compactions) == (335, 1)
    receipt = await engine.receipt("ses")
    # The newest answer is in the 335 already. Of 5 + 200 + 100 sent 200 were read.
    assert (receipt.total.value, receipt.total.basis) == (335, Basis.MEASURED)
    assert receipt.cache.reused.value == 0.6557


async def test_what_a_tool_gave_back_comes_on_top_of_the_call_that_asked(
    engine: Engine, tmp_path: Path
) -> None:
    file = tmp_path / "opencode.db"
    given = {"status": "completed", "input": {"file": "a"}, "output": "twenty lines of a file"}
    opencode(
        file,
        [
            ({"role": "user"}, {"type": "text", "text": "one"}),
            (answer(100, 0, 900, 20), {"type": "tool", "tool": "read", "state": given}),
        ],
    )
    await engine.importer.run(file)
    receipt = await engine.receipt("ses")
    # 1,020 were sent and answered, the call among them; the result goes out with the next call.
    result = engine.workspace.counter.count("twenty lines of a file")
    assert receipt.total.value == 1_020 + result
