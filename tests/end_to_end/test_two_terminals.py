"""The main job: a person in one terminal sees and steers what an agent does in another."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from sakur4_core.engine import Engine

from .tmux import PATIENCE_S, terminal

pytestmark = [
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
    pytest.mark.xdist_group("terminals"),
]
SESSION = "s-1"
ROWS = "\n".join(f"row {number} of the table of orders" for number in range(120))


@pytest.fixture
def interface(project: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("SAKUR4_CONTEXT_WINDOW", "4000")
    monkeypatch.setenv("SAKUR4_CONTEXT_RESERVE_OUTPUT", "0")
    return [sys.executable, "-m", "sakur4_tui", "--project", str(project)]


@asynccontextmanager
async def agent(project: Path) -> AsyncIterator[Client]:
    """An agent: the SDK's client over a server of its own."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "sakur4_tui", "--serve", "--project", str(project)],
        env=dict(os.environ),
    )
    async with Client(stdio_client(server)) as client:
        yield client


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    return dict(answer.structured_content or {})


async def say(client: Client, role: str, content: str, **more: Any) -> None:
    await call(
        client, "memory_commit_episode", role=role, content=content, session_id=SESSION, **more
    )


async def fill(client: Client) -> None:
    for number in range(5):
        await say(client, "user", f"look at table {number}")
        await say(client, "tool", ROWS, tool_name="Read")
    await say(client, "user", "that is enough")


async def until(condition: Any) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.05)


async def test_a_turn_appears_and_a_plan_is_approved(project: Path, interface: list[str]) -> None:
    async with terminal(interface) as screen, agent(project) as client:
        await screen.shows("Receipt", "Inbox")
        await say(client, "user", "please look at the zebra table")
        await screen.shows("zebra table")
        await fill(client)
        asking = asyncio.create_task(
            call(client, "context_plan_eviction", session_id=SESSION, apply=True)
        )
        await screen.shows("1 wait", "frees")
        screen.keys("3", "a")
        answer = await asking
        assert (answer["status"], answer.get("reason")) == ("applied", None)
        await screen.shows("Nothing waits")


async def test_a_rejection_carries_the_reason_typed(project: Path, interface: list[str]) -> None:
    async with terminal(interface) as screen, agent(project) as client:
        await screen.shows("Inbox")
        await fill(client)
        asking = asyncio.create_task(
            call(client, "context_plan_eviction", session_id=SESSION, apply=True)
        )
        await screen.shows("1 wait", "frees")
        screen.keys("3", "x")
        await screen.shows("The agent is told")
        screen.keys("-l", "the schema is still needed")
        screen.keys("Enter")
        answer = await asking
        assert answer["status"] == "rejected"
        assert answer["reason"] == "the schema is still needed"


async def test_killing_the_interface_loses_nothing(project: Path, interface: list[str]) -> None:
    async with terminal(interface) as screen, agent(project) as client:
        await screen.shows("Receipt", "Inbox")
        await say(client, "user", "before the crash")
        await screen.shows("before the crash")
        os.kill(screen.pid(), signal.SIGKILL)
        await say(client, "user", "while nobody looks")
        assert (await call(client, "sakur4_status"))["episodes"] == 2
        screen.respawn(interface)
        await screen.shows("before the crash", "while nobody looks")


async def test_killing_the_server_leaves_the_interface_and_no_process(
    project: Path, interface: list[str]
) -> None:
    async with terminal(interface) as screen:
        await screen.shows("Inbox")
        server = await asyncio.create_subprocess_exec(
            *interface,
            "--serve",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        assert server.stdin is not None
        server.stdin.write(
            b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":'
            b'"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n'
        )
        assert server.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            await server.stdout.readline()
        family = [server.pid, *(p.pid for p in psutil.Process(server.pid).children(True))]
        os.kill(server.pid, signal.SIGKILL)
        await server.wait()
        await until(lambda: not any(psutil.pid_exists(pid) for pid in family))
        async with Engine.open(project) as engine:
            await engine.commit_episode("user", "still here", session_id=SESSION)
        await screen.shows("still here")
