"""The gateway in this process on real pipes, and as a real process; a client for both."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from sakur4_core.engine import Engine

from sakur4_tui.gate import EngineGate
from sakur4_tui.mcp.process import answer
from sakur4_tui.mcp.stdio import StdioConnection
from sakur4_tui.mcp.wire import Wire

ROOT = Path(__file__).parents[2]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": "init",
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
PATIENCE_S = 30


class RawClient:
    """Speaks frames, so that tests decide every byte."""

    def __init__(self, reader: asyncio.StreamReader, descriptor: int) -> None:
        self._reader = reader
        self._descriptor: int | None = descriptor
        self.seen: list[dict[str, Any]] = []

    async def send(self, *frames: Mapping[str, Any] | bytes) -> None:
        """Write frames in one piece; bytes go as they are."""
        data = b"".join(
            frame if isinstance(frame, bytes) else json.dumps(frame).encode() + b"\n"
            for frame in frames
        )
        assert self._descriptor is not None
        await asyncio.to_thread(_write_all, self._descriptor, data)

    def call(self, number: Any, tool: str, **arguments: Any) -> dict[str, Any]:
        """A tools/call frame."""
        return request(number, "tools/call", {"name": tool, "arguments": arguments})

    async def read(self) -> dict[str, Any] | None:
        """The next frame of the server, None at its end."""
        async with asyncio.timeout(PATIENCE_S):
            line = await self._reader.readline()
        if not line:
            return None
        frame = json.loads(line)
        assert frame["jsonrpc"] == "2.0"
        self.seen.append(frame)
        return frame

    async def answer(self, number: Any) -> dict[str, Any]:
        """The answer to a request, passing over what else comes; kept answers count too."""
        for frame in self.seen:
            if frame.get("id") == number and "method" not in frame:
                return frame
        while (frame := await self.read()) is not None:
            if frame.get("id") == number and "method" not in frame:
                return frame
        raise AssertionError(f"no answer to {number!r}")

    async def handshake(self) -> dict[str, Any]:
        await self.send(INITIALIZE)
        result: dict[str, Any] = (await self.answer("init"))["result"]
        await self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def close(self) -> None:
        """Send no more."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    async def rest(self) -> list[dict[str, Any]]:
        """Every frame until the server closes its side."""
        frames = []
        while (frame := await self.read()) is not None:
            frames.append(frame)
        return frames


def request(number: Any, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


async def open_reader(descriptor: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=1 << 27)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb")
    )
    return reader


@asynccontextmanager
async def raw_server(engine: Engine, toolset: str = "full") -> AsyncIterator[RawClient]:
    """A client on pipes to the gateway, which runs in this loop on ``engine``."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Engine]:
        yield engine

    gate = EngineGate(opened)
    to_server, from_client = os.pipe()
    to_client, from_server = os.pipe()
    serving = asyncio.create_task(
        answer(StdioConnection(Wire(to_server, from_server)), gate, toolset, os.getppid())
    )
    serving.add_done_callback(lambda _: os.close(from_server))
    client = RawClient(await open_reader(to_client), from_client)
    try:
        yield client
    finally:
        client.close()
        async with asyncio.timeout(PATIENCE_S):
            await serving
        await gate.close()
        os.close(to_server)


@asynccontextmanager
async def spawned(
    command: list[str], **environment: str
) -> AsyncIterator[tuple[asyncio.subprocess.Process, RawClient]]:
    """The real server process with a raw client on its pipes."""
    to_server, from_client = os.pipe()
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=to_server,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **environment},
        cwd=ROOT,
        limit=1 << 27,
    )
    os.close(to_server)
    assert process.stdout is not None
    client = RawClient(process.stdout, from_client)
    try:
        yield process, client
    finally:
        client.close()
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
