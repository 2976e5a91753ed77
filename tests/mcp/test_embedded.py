"""``--tty``: the interface on a pseudo-terminal, the protocol on pipes, one process."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import struct
import sys
import termios
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from gateway import PATIENCE_S, spawned

LEAVES_ALTERNATE_SCREEN = "\x1b[?1049l"


class Terminal:
    """The person's end of a pseudo-terminal."""

    def __init__(self, columns: int, rows: int) -> None:
        self.master, self._slave = pty.openpty()
        self.device = os.ttyname(self._slave)
        self.drawn = bytearray()
        self._moved = asyncio.Event()
        self.resize(columns, rows)
        asyncio.get_running_loop().add_reader(self.master, self._read)

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def press(self, keys: bytes) -> None:
        os.write(self.master, keys)

    async def shows(self, text: str) -> None:
        """Wait until ``text`` has been drawn since the last such wait, then forget it all."""
        async with asyncio.timeout(PATIENCE_S):
            while text.encode() not in self.drawn:
                self._moved.clear()
                await self._moved.wait()
        self.drawn.clear()

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self.master)
        os.close(self.master)
        os.close(self._slave)

    def _read(self) -> None:
        self.drawn += os.read(self.master, 1 << 16)
        self._moved.set()


@asynccontextmanager
async def terminal(columns: int = 120, rows: int = 40) -> AsyncIterator[Terminal]:
    opened = Terminal(columns, rows)
    try:
        yield opened
    finally:
        opened.close()


def command(project: Path, device: str) -> list[str]:
    return [sys.executable, "-m", "sakur4_tui", "--project", str(project), "--tty", device]


async def test_keys_reach_the_interface_while_calls_are_answered(project: Path) -> None:
    async with (
        terminal() as screen,
        spawned(command(project, screen.device), TERM="xterm-256color") as (process, client),
    ):
        await client.handshake()
        await client.send(client.call(1, "memory_pin", content="Never push to main."))
        await screen.shows("Never push to main.")
        await client.send(client.call(2, "sakur4_status"))
        status = (await client.answer(2))["result"]["structuredContent"]
        assert [attached["kind"] for attached in status["processes"]] == ["embedded"]
        screen.press(b"?")
        await screen.shows("esc closes")
        screen.press(b"\x1b")
        await screen.shows("Never push to main.")
        screen.press(b"a")
        assert (await client.answer(1))["result"]["structuredContent"]["status"] == "pinned"
        screen.press(b"q")
        await screen.shows(LEAVES_ALTERNATE_SCREEN)
        await client.send(client.call(3, "sakur4_status"))
        assert (await client.answer(3))["result"]["structuredContent"]["anchors"] == 1
        client.close()
        assert await asyncio.wait_for(process.wait(), PATIENCE_S) == 0


async def test_the_end_of_the_connection_gives_the_terminal_back(project: Path) -> None:
    async with (
        terminal(80, 24) as screen,
        spawned(command(project, screen.device), TERM="xterm-256color") as (process, client),
    ):
        await screen.shows("quit")
        screen.resize(120, 40)
        await screen.shows("\x1b[40;1H")
        client.close()
        await screen.shows(LEAVES_ALTERNATE_SCREEN)
        assert await asyncio.wait_for(process.wait(), PATIENCE_S) == 0


async def test_a_device_that_is_no_terminal_is_refused(project: Path) -> None:
    async with spawned(command(project, os.devnull)) as (process, _):
        out, err = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    assert (process.returncode, out) == (1, b"")
    assert b"is no terminal" in err
