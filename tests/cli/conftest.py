"""The command line as a person types it: in this process, and as a program on a terminal."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from cli_program import Result, Terminal, fork

from sakur4_tui.cli import deciding, main


@pytest.fixture(autouse=True)
def a_persons_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests, an agent included, the commands believe in a person's shell."""
    for name in deciding.AGENT_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(deciding, "_ancestors", lambda: [["bash"]])


@pytest.fixture
def cli(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """`cli("map", "--json")` in the project's folder."""
    monkeypatch.chdir(project)

    def call(*arguments: str) -> Result:
        with pytest.raises(SystemExit) as ended:
            main.run(arguments)
        captured = capsys.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return Result(code, captured.out, captured.err)

    return call


@pytest.fixture
def decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's own setting that decisions need no typed yes."""
    monkeypatch.setenv("SAKUR4_CLI_DECIDE_WITHOUT_ASKING", "true")


@pytest.fixture
def on_terminal(project: Path) -> Iterator[Callable[..., Terminal]]:
    """`on_terminal("pin", "x", size=(80, 24))`: the program on a real terminal."""
    terminals: list[Terminal] = []

    def spawn(*arguments: str, size: tuple[int, int] = (100, 30)) -> Terminal:
        command = [sys.executable, "-m", "sakur4_tui", *arguments]
        terminal = fork(command, project, size)
        terminals.append(terminal)
        return terminal

    yield spawn
    for terminal in terminals:
        if terminal.pid:
            with suppress(ProcessLookupError):
                os.kill(terminal.pid, signal.SIGKILL)
            os.waitpid(terminal.pid, 0)
        os.close(terminal.master)
