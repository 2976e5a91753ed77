"""The agent's part: a real MCP client that plays the recording against a real server.

Run as a program it is the interface's neighbour: it plays at a person's pace, and ends when
the process that started it closes its standard input, by will or by death.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from sakur4_tui.demo.recording import FileWrite, Step, data_folder, load_steps

if TYPE_CHECKING:
    from mcp import Client

CLIENT = "sakur4-demo"


class ReplayError(Exception):
    """A call of the recording was refused; the message holds the tool and the answer."""


@dataclass(slots=True)
class Played:
    """What was done: calls by tool, files changed, and the plans asked for with their state."""

    calls: Counter[str] = field(default_factory=Counter)
    writes: int = 0
    plans: dict[str, str] = field(default_factory=dict)


async def replay(
    project: Path, steps: Sequence[Step], *, speed: float | None, log: TextIO | None = None
) -> Played:
    """Play ``steps`` on ``project`` through ``python -m sakur4_tui --serve``.

    Args:
        speed: How many times faster than recorded; None plays without a pause.
        log: Where the server's stderr goes; this process's own by default.

    Raises:
        ReplayError: The server refused a call.
    """
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client
    from mcp_types import Implementation

    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "sakur4_tui", "--serve", "--project", str(project)],
        env=dict(os.environ),
    )
    played = Played()
    async with Client(
        stdio_client(server, errlog=log or sys.stderr),
        client_info=Implementation(name=CLIENT, version="1"),
    ) as client:
        start = asyncio.get_running_loop().time()
        for step in steps:
            if speed is not None:
                await asyncio.sleep(start + step.at / speed - asyncio.get_running_loop().time())
            if isinstance(step.action, FileWrite):
                await asyncio.to_thread(step.action.apply, project)
                played.writes += 1
            else:
                await _call(client, step.action.tool, dict(step.action.arguments), played)
    return played


async def _call(client: Client, tool: str, arguments: dict[str, Any], played: Played) -> None:
    answer = await client.call_tool(tool, arguments)
    if answer.is_error:
        said = " ".join(getattr(part, "text", "") for part in answer.content)
        raise ReplayError(f"{tool}: {said}")
    played.calls[tool] += 1
    result = answer.structured_content or {}
    if tool == "context_plan_eviction" and result.get("proposal_id"):
        played.plans[result["proposal_id"]] = result["status"]


async def _play_until_abandoned(project: Path, speed: float) -> None:
    """Play to the end, or until standard input ends."""
    loop = asyncio.get_running_loop()
    abandoned = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), _at_end_of_input, abandoned)
    playing = asyncio.create_task(replay(project, load_steps(data_folder()), speed=speed))
    waiting = asyncio.create_task(abandoned.wait())
    await asyncio.wait((playing, waiting), return_when=asyncio.FIRST_COMPLETED)
    for task in (playing, waiting):
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _at_end_of_input(abandoned: asyncio.Event) -> None:
    if not os.read(sys.stdin.fileno(), 1024):
        abandoned.set()
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())


if __name__ == "__main__":
    asyncio.run(_play_until_abandoned(Path(sys.argv[1]), float(sys.argv[2])))
