"""On a real pseudo-terminal: whatever ends the program, the terminal is given back."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PROGRAM = """
import sys
from pathlib import Path
from datetime import UTC
from tests.tui.scene import FakeEngine, gate_of, opening_of
from sakur4_tui.app import Sakur4App

class Shown(Sakur4App):
    def action_next_theme(self):
        raise RuntimeError("a fault of its own")

fake = FakeEngine(Path(sys.argv[1]))
app = Shown(opening_of(fake), gate_of(fake), zone=UTC)
app.run()
sys.exit(app.return_code or 0)
"""
LEAVE_ALTERNATE_SCREEN = b"\x1b[?1049l"
SHOW_CURSOR = b"\x1b[?25h"


@dataclass
class Terminal:
    """A program on a pseudo-terminal, and all it wrote."""

    process: subprocess.Popen[bytes]
    master: int
    slave: int
    before: list[object]
    output: bytes = b""
    deadline: float = field(default_factory=lambda: time.monotonic() + 30)

    def read_until(self, wanted: bytes) -> None:
        while wanted not in self.output:
            assert time.monotonic() < self.deadline, self.output[-500:]
            self._read(0.2)

    def finish(self) -> int:
        while self.process.poll() is None:
            assert time.monotonic() < self.deadline
            self._read(0.05)
        while self._read(0):
            pass
        return self.process.returncode

    def _read(self, wait: float) -> bool:
        ready, _, _ = select.select([self.master], [], [], wait)
        if ready:
            self.output += os.read(self.master, 65_536)
        return bool(ready)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (24, 80))
    before = termios.tcgetattr(slave)
    environment = {
        **os.environ,
        "TERM": "xterm-256color",
        "PYTHONPATH": os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "core")]),
    }
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=tmp_path,
        env=environment,
        start_new_session=True,
    )
    shown = Terminal(process, master, slave, before)
    try:
        yield shown
    finally:
        process.kill()
        process.wait()
        os.close(shown.master)
        os.close(shown.slave)


def check_given_back(terminal: Terminal) -> None:
    assert LEAVE_ALTERNATE_SCREEN in terminal.output
    assert terminal.output.rindex(SHOW_CURSOR) > 0
    assert termios.tcgetattr(terminal.slave) == terminal.before
    assert b"Traceback" not in terminal.output


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_cleanly(terminal: Terminal, number: signal.Signals) -> None:
    terminal.read_until(b"waits 0:14")
    terminal.process.send_signal(number)
    assert terminal.finish() == 128 + number
    check_given_back(terminal)


def test_a_terminal_that_is_gone_holds_nothing_up(terminal: Terminal) -> None:
    """As when its window is closed, or tmux is killed, while much is being drawn."""
    terminal.read_until(b"waits 0:14")
    os.close(terminal.slave)
    os.close(terminal.master)
    terminal.process.send_signal(signal.SIGHUP)
    assert terminal.process.wait(30) == 128 + signal.SIGHUP
    # The fixture closes a pair of its own.
    terminal.master, terminal.slave = pty.openpty()


def test_quit_ends_it_cleanly(terminal: Terminal) -> None:
    terminal.read_until(b"waits 0:14")
    os.write(terminal.master, b"q")
    assert terminal.finish() == 0
    check_given_back(terminal)


def test_a_fault_says_one_sentence(terminal: Terminal) -> None:
    terminal.read_until(b"waits 0:14")
    os.write(terminal.master, b"\x14")
    assert terminal.finish() == 1
    check_given_back(terminal)
    assert b"stopped on an error of its own (RuntimeError)" in terminal.output
