"""Starting the configured command as the harness would, and asking it what it offers."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from sakur4_core.errors import Sakur4Error

from sakur4_tui.connect.harnesses import Launch

PATIENCE_S = 30.0


@dataclass(frozen=True, slots=True)
class Checked:
    """What the server answered: its tools and how long it took, in milliseconds."""

    command: str
    tools: tuple[str, ...]
    initialize_ms: float
    tools_ms: float


async def check(launch: Launch, project: Path) -> Checked:
    """Start the server, shake hands, list its tools, and end it.

    Raises:
        Sakur4Error: It did not start or did not answer within 30 s.
    """
    import asyncio

    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    folder = str(project)
    arguments = [word.replace("${workspaceFolder}", folder) for word in launch.args]
    server = StdioServerParameters(command=launch.command, args=arguments, cwd=folder)
    spoken = " ".join((launch.command, *arguments))
    started = time.monotonic()
    try:
        async with asyncio.timeout(PATIENCE_S), Client(stdio_client(server)) as client:
            ready = time.monotonic()
            tools = (await client.list_tools()).tools
            listed = time.monotonic()
    except TimeoutError as error:
        raise Sakur4Error(
            f"No answer within {PATIENCE_S:.0f} s from: {spoken}.", "Run it by hand to see why."
        ) from error
    except Exception as error:
        raise Sakur4Error(
            f"The command failed: {spoken}.", "Run it by hand to see why."
        ) from error
    return Checked(
        spoken,
        tuple(tool.name for tool in tools),
        (ready - started) * 1000,
        (listed - ready) * 1000,
    )
