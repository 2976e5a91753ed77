"""Every command: its text, its JSON, its exit code."""

from __future__ import annotations

import dataclasses
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_program import Result
from sakur4_core import models as m

Cli = Callable[..., Result]


def document(result: Result) -> Any:
    """The one JSON document that a command printed."""
    assert result.code == 0, result.err
    return json.loads(result.out)


def fields(model: type) -> set[str]:
    return {field.name for field in dataclasses.fields(model)}


@pytest.fixture
def turns(cli: Cli) -> None:
    """A session with a rule, a read and an answer."""
    for arguments in (
        ("user", "Never edit the generated files. Why does login fail?"),
        ("assistant", "Reading src/api.py."),
        ("tool", "def login(email): ...\n" * 200, "--tool-name", "Read"),
        ("assistant", "login never checks the limit of the session."),
        ("user", "Go on."),
    ):
        assert cli("commit", *arguments, "--session", "s1").code == 0


def test_commit_says_what_was_stored(cli: Cli) -> None:
    first = cli("commit", "user", "Hello there.", "--session", "s1", "--key", "k")
    assert first.code == 0
    assert re.fullmatch(r"#1 ep_[0-9a-f]+ stored: 3 tokens, 0 facts \(\w+\)\.\n", first.out)
    again = cli("commit", "user", "Hello there.", "--session", "s1", "--key", "k")
    assert "stored before" in again.out


def test_commit_reads_standard_input(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    text = io.TextIOWrapper(io.BytesIO("müde\n".encode()), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", text)
    done = document(cli("commit", "user", "--session", "s1", "--json"))
    assert set(done) == fields(m.Committed)
    assert document(cli("recall", "müde", "--json"))["hits"][0]["text"].strip() == "müde"


def test_a_key_in_a_turn_is_redacted_and_said(cli: Cli) -> None:
    done = cli("commit", "user", "Use AKIAIOSFODNN7EXAMPLE please.", "--session", "s1")
    assert "Redacted: " in done.out
    assert "AKIAIOSFODNN7EXAMPLE" not in cli("recall", "use please").out


def test_sessions(cli: Cli, turns: None) -> None:
    listed = document(cli("sessions", "--json"))
    assert [session["session_id"] for session in listed] == ["s1"]
    assert set(listed[0]) == fields(m.Session)
    assert "s1" in cli("sessions").out


def test_without_sessions_it_says_so(cli: Cli) -> None:
    assert cli("sessions") == Result(0, "No session yet.\n", "")


def test_recall(cli: Cli, turns: None) -> None:
    found = document(cli("recall", "limit", "of", "the", "session", "--json"))
    assert set(found) == fields(m.Recall)
    assert found["query"] == "limit of the session"
    text = cli("recall", "limit of the session")
    assert "login never checks the limit" in text.out
    assert "hits, " in text.err


def test_index_map_symbol_and_impact(cli: Cli) -> None:
    report = cli("index", "--json")
    assert set(document(report)) == fields(m.IndexReport)
    assert report.err.startswith("Indexing ")
    found = document(cli("map", "--budget", "300", "--json"))
    assert set(found) == fields(m.RepoMap)
    assert "src/auth.py" in found["shown"]
    assert found["text"].rstrip() == cli("map", "--budget", "300").out.rstrip()
    answer = document(cli("symbol", "check_user", "--json"))
    assert answer["found"]
    assert "def check_user" in answer["symbols"][0]["source"]
    callers = document(cli("impact", "check_user", "--json"))["callers"]
    assert [caller["file"] for caller in callers][:1] == ["src/api.py"]
    assert "src/api.py:5" in cli("impact", "check_user").out


def test_a_symbol_that_is_not_there(cli: Cli) -> None:
    result = cli("symbol", "no_such_thing")
    assert result.code == 1
    assert result.out.startswith("Nothing is known by no_such_thing.")


def test_receipt_and_plan(cli: Cli, turns: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAKUR4_CONTEXT_WINDOW", "2000")
    monkeypatch.setenv("SAKUR4_CONTEXT_RESERVE_OUTPUT", "0")
    receipt = document(cli("receipt", "--json"))
    assert set(receipt) == fields(m.Receipt)
    assert receipt["session_id"] == "s1"
    assert "raw_recent_history" in cli("receipt").out
    plan = document(cli("plan", "--target", "0.05", "--json"))
    assert set(plan) == fields(m.Plan)
    assert [item["tool_name"] for item in plan["items"]].count("Read") == 1
    assert re.search(r"#3 +tool Read +\d+ +\d+ +live → \w+", cli("plan").out)
    assert "eviction" not in cli("proposals").out
    stored = cli("plan", "--propose", "--json")
    waiting = json.loads(stored.out)["proposal_id"]
    assert stored.err == (
        "Advised only: the agent is told, and nothing makes it drop a turn.\n"
        f"▲ Proposal {waiting} waits for a decision.\n"
    )
    assert re.search(rf"{waiting} +eviction +pending +person", cli("proposals").out)


def test_verify_holds_and_a_broken_chain_is_exit_3(
    cli: Cli, turns: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert document(cli("verify", "--json"))["ok"]

    async def broken(_: object) -> m.Verification:
        return m.Verification(False, 5, 3, "row 3 does not follow row 2")

    monkeypatch.setattr("sakur4_core.engine.Engine.verify", broken)
    result = cli("verify")
    assert result.code == 3
    assert "First bad turn: #3." in result.out


def test_staleness_and_dream(cli: Cli) -> None:
    assert set(document(cli("staleness", "--json"))) == fields(m.Staleness)
    assert cli("staleness").out == "0 of 0 summaries are stale (0%).\n"
    assert set(document(cli("dream", "--force", "--json"))) == fields(m.DreamReport)


def test_locate_names_files_of_the_private_home(
    cli: Cli, project: Path, private_home: Path
) -> None:
    found = document(cli("locate", "--json"))
    assert found["project"] == str(project)
    assert found["settings"] == str(private_home / "sakur4" / "config.toml")
    assert found["store"].startswith(str(private_home))


def test_doctor_is_content_with_a_fresh_project(cli: Cli) -> None:
    report = document(cli("doctor", "--json"))
    assert report["ok"]
    assert {"program", "settings", "store", "transcript"} <= {c["name"] for c in report["checks"]}


def test_doctor_names_lines_that_no_reader_knows(cli: Cli, tmp_path: Path) -> None:
    assert "every line that was read is known" in cli("doctor").out
    file = tmp_path / "session.jsonl"
    said = {"type": "user", "uuid": "u", "sessionId": "s", "message": {"content": "Hello."}}
    lines = [said, {"type": "hologram", "n": 1}, {"type": "hologram", "n": 2}]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert cli("import", str(file), "--format", "claude-code").code == 0
    assert "2 hologram (claude-code)" in cli("doctor").out


def test_doctor_finds_a_bad_store_and_names_the_source_of_settings(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "bad.db"
    store.write_text("no database" * 100)
    monkeypatch.setenv("SAKUR4_CONTEXT_WINDOW", "50000")
    result = cli("doctor", "--store", str(store))
    assert result.code == 3
    assert "! bad store: " in result.out
    assert "context.window = 50000  ($SAKUR4_CONTEXT_WINDOW)" in result.out


def test_text_of_others_cannot_act_on_the_terminal(cli: Cli) -> None:
    cli("commit", "user", "hostile \x1b]0;owned\x07 [/x] text", "--session", "s1")
    result = cli("recall", "hostile")
    assert "␛]0;owned␇ [/x] text" in result.out
    assert "\x1b" not in result.out
