"""The command line as a program: its outcome, its environment, a terminal of its own."""

from __future__ import annotations

import os
import pty
import select
import struct
import termios
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fcntl import ioctl
from pathlib import Path

ROOT = Path(__file__).parents[2]
BOUND_S = 60


@dataclass(frozen=True)
class Result:
    """What a command left behind."""

    code: int
    out: str
    err: str


def program_environment() -> dict[str, str]:
    """The environment of a child that imports this checkout, wherever it runs."""
    path = os.pathsep.join((str(ROOT / "core"), str(ROOT)))
    # Whoever runs the tests may have named a size; a child believes its own terminal.
    ours = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
    return {**ours, "PYTHONPATH": path, "TERM": "xterm-256color"}


@dataclass
class Terminal:
    """A program on a pseudo-terminal of its own, which is its controlling one."""

    pid: int
    master: int
    seen: bytearray = field(default_factory=bytearray)

    def expect(self, text: str, bound_s: float = BOUND_S) -> None:
        """Wait until ``text`` was printed."""
        self._read_until(lambda: text.encode() in self.seen, bound_s)
        assert text.encode() in self.seen, self.seen[-3000:].decode(errors="replace")

    def type(self, text: str) -> None:
        """Type at the terminal."""
        os.write(self.master, text.encode())

    def end(self, bound_s: float = BOUND_S) -> int:
        """Wait for the program's end; its exit code."""
        self._read_until(lambda: False, bound_s)
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def _read_until(self, done: Callable[[], bool], bound_s: float) -> None:
        deadline = time.monotonic() + bound_s
        while not done() and time.monotonic() < deadline:
            if select.select([self.master], [], [], 0.2)[0]:
                try:
                    piece = os.read(self.master, 65536)
                except OSError:
                    return
                if not piece:
                    return
                self.seen += piece


def fork(command: Sequence[str], folder: Path, size: tuple[int, int]) -> Terminal:
    environment = program_environment()
    master, slave = pty.openpty()
    ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    pid = os.fork()
    if pid == 0:
        os.close(master)
        os.login_tty(slave)
        os.chdir(folder)
        os.execve(command[0], command, environment)
    os.close(slave)
    return Terminal(pid, master)
