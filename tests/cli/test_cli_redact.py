"""`redact` on the command line: a person takes a turn out for good; an agent may not."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from cli_program import Result, Terminal

from sakur4_tui.cli import deciding

Cli = Callable[..., Result]
SECRET = "Zanzibar-Quokka-Umbrella"


@pytest.fixture
def leaked(cli: Cli) -> int:
    """A turn that holds a secret which nothing tells."""
    done = cli("commit", "user", f"use {SECRET} for it", "--session", "s-1", "--json")
    seq = json.loads(done.out)["seq"]
    assert isinstance(seq, int)
    return seq


def test_a_persons_redaction_leaves_a_tombstone(cli: Cli, decides: None, leaked: int) -> None:
    result = cli("redact", f"#{leaked}", "--reason", "a code word")
    assert result.code == 0
    assert result.out == f"#{leaked} is now [redacted by person: a code word]\n0 facts deleted.\n"
    assert result.err == ""
    assert SECRET not in cli("recall", "use", "for", "it").out
    assert cli("verify").code == 0


def test_what_quoted_it_is_named(cli: Cli, decides: None, leaked: int) -> None:
    pinned = json.loads(cli("pin", f"Always use {SECRET} for it.", "--json").out)
    done = json.loads(cli("redact", str(leaked), "--reason", "a code word", "--json").out)
    assert done["anchors"] == [pinned["anchor_id"]]
    assert done["scrubbed"] is True
    assert cli("anchors").out == "Nothing is pinned.\n"


def test_a_typed_yes_is_asked_for(
    cli: Cli, leaked: int, on_terminal: Callable[..., Terminal]
) -> None:
    terminal = on_terminal("redact", str(leaked), "--reason", "a code word")
    terminal.expect("Type yes to go on: ")
    terminal.type("no\n")
    assert terminal.end() == 1
    assert SECRET in cli("recall", SECRET).out


@pytest.mark.parametrize("variable", deciding.AGENT_VARIABLES)
def test_an_agent_is_refused(
    cli: Cli, decides: None, leaked: int, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "1")
    result = cli("redact", str(leaked), "--reason", "a code word")
    assert result.code == 1
    assert "only a person takes a turn out" in result.err
    assert f"sakur4-tui redact {leaked}" in result.err


def test_bad_input_is_named(cli: Cli, decides: None, leaked: int) -> None:
    assert cli("redact", str(leaked)).code == 2
    assert "No episode 99." in cli("redact", "99", "--reason", "x").err
    assert "No episode 'ep_x'." in cli("redact", "ep_x", "--reason", "x").err
    assert "reason" in cli("redact", str(leaked), "--reason", " ").err
