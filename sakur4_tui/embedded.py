"""``--tty``: one process that serves MCP on its streams and draws on a terminal device."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from sakur4_core.errors import Sakur4Error

from sakur4_tui.mcp import process
from sakur4_tui.mcp.gate import EngineGate
from sakur4_tui.mcp.stdio import StdioConnection
from sakur4_tui.mcp.wire import Wire

if TYPE_CHECKING:
    from textual.app import App

    from sakur4_tui.cli.serve import Serving

log = logging.getLogger(__name__)

SIGNALLED: Final = 128
"""Return codes above it tell the signal that ended the interface; it is meant for all of us."""


async def serve(wire: Wire, serving: Serving, parent: int, terminal: int) -> None:
    """Serve MCP and draw on the descriptor ``terminal``, on one engine in one loop.

    The end of the connection ends both. Quitting the interface leaves the server running:
    the agent, not the person at the terminal, started this process.
    """
    gate = EngineGate(serving.engine)
    connection = StdioConnection(wire)
    interface = asyncio.create_task(_draw(gate, terminal, connection.end), name="sakur4-interface")
    try:
        await process.answer(connection, gate, serving.settings.mcp.toolset, parent)
    finally:
        process.exit_within(process.EXIT_GRACE_S)
        interface.cancel()
        await asyncio.wait({interface})
        await gate.close()


async def _draw(gate: EngineGate, terminal: int, end: Callable[[], None]) -> None:
    try:
        app = await _interface(gate, terminal)
    except Sakur4Error as error:
        # The agent hears the same sentence from its next call.
        os.write(terminal, f"sakur4-tui: {error}\r\n".encode())
        return
    running = asyncio.create_task(app.run_async())
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        app.exit()
        await running
        raise
    except Exception:
        log.exception("the interface failed; the server goes on")
    (await gate.engine()).become("serve")
    if (app.return_code or 0) > SIGNALLED:
        end()


async def _interface(gate: EngineGate, terminal: int) -> App[Any]:
    engine = await gate.engine()
    from sakur4_tui.app import Sakur4App
    from sakur4_tui.device_driver import driver_on

    return Sakur4App(engine, driver_class=driver_on(terminal))
