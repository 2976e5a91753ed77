"""Hooks of Claude Code: answered from the store as it stands, and never in the harness's way."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sakur4_core.engine import Engine
from sakur4_core.memory.anchors import render
from sakur4_core.paths import Home

RULE = "Never edit the generated migrations “by hand”."
SESSION = "7d0c3a52-0000-4000-8000-000000000001"


def call(event: str, project: Path, **said: Any) -> tuple[int, dict[str, Any]]:
    body = {"session_id": SESSION, "cwd": str(project), "hook_event_name": event, **said}
    done = subprocess.run(
        [sys.executable, "-m", "sakur4_tui", "hook", "claude-code", event],
        input=json.dumps(body).encode(),
        capture_output=True,
        timeout=60,
        env={key: value for key, value in os.environ.items() if key != "CLAUDE_PROJECT_DIR"},
        check=False,
    )
    assert done.stderr == b""
    return done.returncode, json.loads(done.stdout) if done.stdout else {}


def context(answer: dict[str, Any]) -> str:
    text: str = answer["hookSpecificOutput"]["additionalContext"]
    return text


@pytest.fixture
async def pinned(engine: Engine) -> Engine:
    await engine.anchor_set.pin(RULE, kind="safety_constraint")
    return engine


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact"])
async def test_a_start_brings_the_pinned_rules_word_for_word(
    pinned: Engine, project: Path, source: str
) -> None:
    code, answer = call("SessionStart", project, source=source)
    assert code == 0
    assert answer["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert context(answer) == render(await pinned.anchors())


async def test_a_rule_that_a_compaction_took_away_comes_back_with_the_next_prompt(
    pinned: Engine, project: Path, tmp_path: Path
) -> None:
    transcript = tmp_path / "transcript.jsonl"
    told = json.dumps({"type": "user", "message": {"content": f"- {RULE}"}})
    boundary = json.dumps({"type": "system", "subtype": "compact_boundary"}).replace(" ", "")
    transcript.write_text(f"{told}\n")
    assert call("UserPromptSubmit", project, transcript_path=str(transcript)) == (0, {})
    transcript.write_text(f"{told}\n{boundary}\n")
    _, answer = call("UserPromptSubmit", project, transcript_path=str(transcript))
    assert RULE in context(answer)
    transcript.write_text(f"{told}\n{boundary}\n{told}\n")
    assert call("UserPromptSubmit", project, transcript_path=str(transcript)) == (0, {})


@pytest.mark.parametrize("event", ["PreCompact", "PostToolUse", "Stop", "Unheard"])
async def test_other_events_let_the_harness_go_on(
    pinned: Engine, project: Path, event: str
) -> None:
    assert call(event, project, trigger="auto") == (0, {})


def test_without_a_store_there_is_nothing_to_say_and_none_is_made(
    project: Path, home: Home
) -> None:
    assert call("SessionStart", project, source="startup") == (0, {})
    assert not list((home.data / "projects").glob("*/store.db"))


async def test_a_store_that_is_being_written_to_is_read_all_the_same(
    pinned: Engine, project: Path
) -> None:
    writer = sqlite3.connect(pinned.workspace.place.file, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    try:
        _, answer = call("SessionStart", project, source="startup")
    finally:
        writer.execute("ROLLBACK")
        writer.close()
    assert RULE in context(answer)


def test_a_failure_of_ours_is_silent_for_the_harness_and_stands_in_the_log(
    project: Path, home: Home
) -> None:
    code, answer = call("SessionStart", project / "gone")
    assert (code, answer) == (0, {})
    assert "does not exist" in (home.logs / "hook.log").read_text()


async def test_the_next_prompt_is_told_of_what_waits(
    open_engine: Callable[..., Any], project: Path
) -> None:
    async with open_engine() as engine:
        await engine.proposals.propose_anchor("Money is whole cents.", kind="task_contract")
        _, answer = call("UserPromptSubmit", project)
    assert "wait for the user's decision" in context(answer)


async def test_before_a_compaction_a_plan_is_proposed_and_may_hold_it_back(
    open_engine: Callable[..., Any], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAKUR4_CONTEXT_WINDOW", "4000")
    monkeypatch.setenv("SAKUR4_CONTEXT_RESERVE_OUTPUT", "0")
    monkeypatch.setenv("SAKUR4_CONTEXT_AUTO_PLAN", "false")
    async with open_engine() as engine:
        for number in range(6):
            await engine.commit_episode("user", f"read table {number}", session_id=SESSION)
            await engine.commit_episode(
                "tool", "a row of orders\n" * 200, session_id=SESSION, tool_name="Read"
            )
        assert call("PreCompact", project, trigger="auto") == (0, {})
        async with asyncio.timeout(60):
            while not (waiting := await engine.proposals.pending()):
                await asyncio.sleep(0.05)
        assert waiting[0].session_id == SESSION
        # Now that one waits, it holds a compaction back only where the person said so.
        assert call("PreCompact", project, trigger="auto") == (0, {})
        monkeypatch.setenv("SAKUR4_HARNESS_BLOCK_COMPACTION", "true")
        code, answer = call("PreCompact", project, trigger="auto")
        assert (code, answer["decision"]) == (0, "block")


async def test_a_start_tells_what_was_folded_and_how_much_is_kept(
    engine: Engine, project: Path
) -> None:
    await engine.commit_episode("user", "look into the retry policy", session_id=SESSION)
    fold = await engine.fold("retry policy", "find the limit", session_id=SESSION)
    await engine.commit_episode("assistant", "reading", session_id=SESSION)
    await engine.unfold(fold.fold_id, "The limit is seven, in src/net.py.")
    _, answer = call("SessionStart", project, source="compact")
    assert "- retry policy: The limit is seven, in src/net.py." in context(answer)


@pytest.mark.parametrize("body", [b"", b"no json", b"[1, 2]", b'{"session_id": 7, "cwd": null}'])
def test_whatever_the_harness_says_it_goes_on(project: Path, body: bytes) -> None:
    for event in ("SessionStart", "UserPromptSubmit", "PreCompact", "PostToolUse", "Stop"):
        done = subprocess.run(
            [sys.executable, "-m", "sakur4_tui", "hook", "claude-code", event],
            input=body,
            capture_output=True,
            timeout=60,
            cwd=project,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


async def test_a_start_stays_within_what_the_harness_shows(engine: Engine, project: Path) -> None:
    for number in range(30):
        await engine.pin(f"Rule {number}: " + "keep the order of the tables " * 15)
    fold = await engine.fold("retry policy", "find the limit", session_id=SESSION)
    await engine.unfold(fold.fold_id, "The limit is seven, in src/net.py. " * 20)
    _, answer = call("SessionStart", project, source="compact")
    told = context(answer)
    assert len(told) <= 10_000
    assert "more pinned statements did not fit here" in told
