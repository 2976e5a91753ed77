"""A serving process, and the ways in which it ends: end of input, a signal, an orphan's."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING, Final

from sakur4_tui.ending import exit_within
from sakur4_tui.gate import EngineGate
from sakur4_tui.mcp.server import Gateway
from sakur4_tui.mcp.stdio import StdioConnection
from sakur4_tui.mcp.wire import Wire

if TYPE_CHECKING:
    from sakur4_tui.opening import Opening

PARENT_POLL_S: Final = 0.5
EXIT_GRACE_S: Final = 1.5
"""How long the orderly end may take before the process ends as it is. Nothing is lost by that:
a commit is acknowledged only once it is in the store."""
WARM_AFTER_S: Final = 0.25
"""Time after the first answer before the engine is loaded: clients ask for the lists first."""


async def serve(wire: Wire, opening: Opening, parent: int) -> None:
    """Serve one client until it closes its side, or ``parent`` is gone."""
    gate = EngineGate(opening.engine)
    try:
        await answer(StdioConnection(wire), gate, opening.settings.mcp.toolset, parent)
    finally:
        exit_within(EXIT_GRACE_S)
        await gate.close()


async def answer(connection: StdioConnection, gate: EngineGate, toolset: str, parent: int) -> None:
    """Run the protocol on a connection; what was asked before its end is answered."""
    server = Gateway(gate, lambda _: connection.conversation, toolset).server()
    _end_on_signals(connection)
    helpers = [
        asyncio.create_task(_warm(connection, gate), name="sakur4-warm"),
        asyncio.create_task(_end_with_parent(connection, parent), name="sakur4-parent"),
    ]
    try:
        await server.run(
            connection.read_stream,
            connection.write_stream,
            server.create_initialization_options(),
        )
    finally:
        for helper in helpers:
            helper.cancel()


async def _warm(connection: StdioConnection, gate: EngineGate) -> None:
    await connection.answered.wait()
    await asyncio.sleep(WARM_AFTER_S)
    gate.begin()


async def _end_with_parent(connection: StdioConnection, parent: int) -> None:
    """An orphan has no client, even if somebody still holds the other end of its stdin."""
    while os.getppid() == parent:  # noqa: ASYNC110 - the system has no event for it
        await asyncio.sleep(PARENT_POLL_S)
    exit_within(EXIT_GRACE_S)
    connection.end()


def _end_on_signals(connection: StdioConnection) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, connection.end)
