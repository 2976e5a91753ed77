"""Fixtures of the gateway's tests."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from gateway import ROOT, RawClient, raw_server
from mcp.client.stdio import StdioServerParameters
from sakur4_core.engine import Engine
from sakur4_core.paths import Home
from sakur4_core.settings import load_settings


@pytest.fixture
async def raw(engine: Engine) -> AsyncIterator[RawClient]:
    """A client that has shaken hands."""
    async with raw_server(engine) as client:
        await client.handshake()
        yield client


@pytest.fixture
def serve_command(project: Path) -> list[str]:
    return [sys.executable, "-m", "sakur4_tui", "--serve", "--project", str(project)]


@pytest.fixture
def server_parameters(serve_command: list[str]) -> StdioServerParameters:
    """How the SDK's client starts the real server."""
    return StdioServerParameters(
        command=serve_command[0], args=serve_command[1:], env=dict(os.environ), cwd=ROOT
    )


@pytest.fixture
def policy_engine(project: Path, home: Home) -> Callable[..., AbstractAsyncContextManager[Engine]]:
    """`async with policy_engine("ask")`: an engine whose calls wait a short while."""

    def opener(policy: str, *, wait_s: float = 20) -> AbstractAsyncContextManager[Engine]:
        flags = {"mcp.policy": policy, "mcp.ask_wait_s": wait_s}
        return Engine.open(project, home=home, settings=load_settings(flags=flags))

    return opener
