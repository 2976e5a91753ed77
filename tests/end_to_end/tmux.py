"""A program in a real terminal: tmux, with keys sent and the screen read."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

PATIENCE_S = 40.0


class Screen:
    """One tmux window on a server of its own."""

    def __init__(self, socket: str) -> None:
        self._socket = socket

    def tmux(self, *arguments: str) -> str:
        result = subprocess.run(
            ["tmux", "-L", self._socket, *arguments], capture_output=True, text=True, check=True
        )
        return result.stdout

    def text(self) -> str:
        """What the terminal shows now, without colours."""
        return self.tmux("capture-pane", "-p")

    def keys(self, *keys: str) -> None:
        """Press keys by tmux's names, or type literal text."""
        self.tmux("send-keys", *keys)

    def pid(self) -> int:
        """The process in the window."""
        return int(self.tmux("list-panes", "-F", "#{pane_pid}").strip())

    async def shows(self, *wanted: str) -> str:
        """The screen, once every text of ``wanted`` stands on it."""
        text = ""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    text = self.text()
                    if all(part in text for part in wanted):
                        return text
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise AssertionError(f"{wanted} not on the screen:\n{text}") from None

    def respawn(self, command: Sequence[str]) -> None:
        """Start a program again in the window that the last one left."""
        self.tmux("respawn-pane", "-k", shlex.join(command))


@asynccontextmanager
async def terminal(
    command: Sequence[str], *, width: int = 120, height: int = 40
) -> AsyncIterator[Screen]:
    """Run ``command`` in a terminal of that size; whatever still runs at the end is killed."""
    screen = Screen(f"sakur4-test-{uuid.uuid4().hex[:8]}")
    size = ("-x", str(width), "-y", str(height))
    quiet = ("set", "-g", "remain-on-exit", "on")
    subprocess.run(
        [
            "tmux",
            "-L",
            screen._socket,
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            *size,
            "sleep",
            "1h",
        ],
        check=True,
        env={**_environment(), "TERM": "xterm-256color"},
    )
    try:
        screen.tmux(*quiet)
        screen.respawn(command)
        yield screen
    finally:
        subprocess.run(["tmux", "-L", screen._socket, "kill-server"], check=False)


def _environment() -> dict[str, str]:
    """Ours without the sizes that a program would believe before its terminal."""
    return {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
