"""Who may decide on the command line: a person who types yes, or who chose not to be asked."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import psutil
import pytest
from cli_program import Result, Terminal
from hypothesis import given, settings
from hypothesis import strategies as st

from sakur4_tui.cli import deciding

Cli = Callable[..., Result]


@pytest.fixture
def no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process without a controlling terminal, wherever the tests run."""
    real = os.open

    def refuse(path: Any, *arguments: Any, **others: Any) -> int:
        if path == "/dev/tty":
            raise OSError(6, "No such device or address")
        return real(path, *arguments, **others)

    monkeypatch.setattr(deciding.os, "open", refuse)


def test_without_a_terminal_nobody_decides(cli: Cli, no_terminal: None) -> None:
    result = cli("pin", "All endpoints return JSON.")
    assert result.code == 1
    assert result.err.startswith(
        "sakur4-tui: This decision needs a terminal to ask at, and there is none.\n"
    )
    assert cli("anchors").out == "Nothing is pinned.\n"


@pytest.fixture
def a_persons_children() -> None:
    """Real child processes look at their real ancestors."""
    parents = psutil.Process().parents()
    if any(deciding.names_agent(parent.cmdline()) for parent in parents):
        pytest.skip("these tests run under an agent, whose children may not decide")


@pytest.mark.usefixtures("a_persons_children")
def test_a_typed_yes_pins(cli: Cli, on_terminal: Callable[..., Terminal]) -> None:
    terminal = on_terminal("pin", "All endpoints return JSON.")
    terminal.expect("Type yes to go on: ")
    terminal.type("yes\n")
    assert terminal.end() == 0
    assert "All endpoints return JSON." in cli("anchors").out


@pytest.mark.usefixtures("a_persons_children")
def test_anything_else_changes_nothing(cli: Cli, on_terminal: Callable[..., Terminal]) -> None:
    terminal = on_terminal("pin", "All endpoints return JSON.")
    terminal.expect("Type yes to go on: ")
    terminal.type("y\n")
    assert terminal.end() == 1
    assert cli("anchors").out == "Nothing is pinned.\n"


def test_the_users_setting_answers(cli: Cli, decides: None) -> None:
    pinned = json.loads(cli("pin", "All endpoints return JSON.", "--json").out)
    assert pinned["pinned_by"] == "person"
    assert cli("unpin", pinned["anchor_id"]).code == 0
    assert cli("anchors").out == "Nothing is pinned.\n"


@pytest.mark.parametrize("variable", deciding.AGENT_VARIABLES)
def test_under_an_agent_a_pin_becomes_a_proposal(
    cli: Cli, decides: None, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "1")
    proposal = json.loads(cli("pin", "All endpoints return JSON.", "--json").out)
    assert (proposal["status"], proposal["asked_by"]) == ("pending", "agent")
    assert cli("anchors").out == "Nothing is pinned.\n"


def test_under_an_agent_an_unpin_becomes_a_proposal(
    cli: Cli, decides: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned = json.loads(cli("pin", "All endpoints return JSON.", "--json").out)
    monkeypatch.setattr(deciding, "_ancestors", lambda: [["node", "/usr/bin/claude"]])
    proposal = json.loads(cli("unpin", pinned["anchor_id"], "--json").out)
    assert (proposal["kind"], proposal["status"]) == ("unpin", "pending")


@pytest.mark.parametrize("command", ["approve", "reject", "undo"])
def test_an_agent_decides_nothing(
    cli: Cli, decides: None, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    waiting = propose(cli)
    monkeypatch.setenv("CLAUDECODE", "1")
    result = cli(command, waiting)
    assert (result.code, result.out) == (1, "")
    assert "only a person decides" in result.err
    assert waiting in cli("proposals").out


def test_approve_takes_effect_and_a_second_decision_is_refused(cli: Cli, decides: None) -> None:
    waiting = propose(cli)
    assert cli("approve", waiting) == Result(0, f"✓ {waiting} applied.\n", "")
    assert "Never edit the generated files." in cli("anchors").out
    again = cli("reject", waiting)
    assert (again.code, again.out) == (1, "")
    assert again.err == (
        "sakur4-tui: This proposal is applied already, decided by person.\n"
        "  A decision is taken once; an applied one can be undone.\n"
    )


def test_reject_keeps_the_reason(cli: Cli, decides: None) -> None:
    waiting = propose(cli)
    assert cli("reject", waiting, "--reason", "too broad").code == 0
    (proposal,) = json.loads(cli("proposals", "--all", "--json").out)
    assert (proposal["status"], proposal["reason"]) == ("rejected", "too broad")
    assert cli("proposals").out == "Nothing waits for a decision.\n"


@settings(deadline=None)
@given(st.lists(st.text(max_size=30), max_size=4))
def test_any_command_line_can_be_looked_at(command: list[str]) -> None:
    assert deciding.names_agent(command) in (True, False)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["claude"], True),
        (["/usr/local/bin/codex", "exec"], True),
        (["node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"], True),
        (["/opt/opencode/bin/opencode"], True),
        (["bash"], False),
        (["/home/claude/bin/zsh"], False),
        (["vim", "notes/codex.md.txt"], False),
        ([], False),
    ],
)
def test_agents_are_told_by_their_program(command: list[str], expected: bool) -> None:
    assert deciding.names_agent(command) is expected


def propose(cli: Cli) -> str:
    """A rule that a user's turn stated; the id of its proposal."""
    text = "Never edit the generated files."
    done = json.loads(cli("commit", "user", text, "--session", "s1", "--json").out)
    assert isinstance(done["anchor_proposal"], str)
    return done["anchor_proposal"]
