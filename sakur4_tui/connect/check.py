"""Starting what is configured as the harness would, and asking it what it offers."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """How long a hook took to answer an event, in milliseconds."""

    event: str
    ms: float


def check_hooks(groups: Mapping[str, Any], project: Path) -> tuple[HookAnswer, ...]:
    """Call each configured hook once, as Claude Code would, with a session that is new.

    Args:
        groups: Our group of hooks by event, as ``parts.Hooks`` finds them.

    Raises:
        Sakur4Error: One did not start, failed, or did not answer within 30 s.
    """
    return tuple(
        HookAnswer(event, _called(event, group["hooks"][0]["command"], project))
        for event, group in groups.items()
    )


def _called(event: str, command: str, project: Path) -> float:
    said = {"hook_event_name": event, "session_id": "", "cwd": str(project), "source": "startup"}
    started = time.monotonic()
    try:
        done = subprocess.run(
            command,
            shell=True,
            input=json.dumps(said).encode(),
            capture_output=True,
            timeout=PATIENCE_S,
            cwd=project,
            env={**os.environ, "CLAUDE_PROJECT_DIR": str(project)},
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Sakur4Error(
            f"No answer within {PATIENCE_S:.0f} s from: {command}.", "Run it by hand to see why."
        ) from error
    if done.returncode != 0:
        raise Sakur4Error(f"The command failed: {command}.", "Run it by hand to see why.")
    return (time.monotonic() - started) * 1000
