"""``--tty``: one process that serves MCP on its streams and draws on a terminal device."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sakur4_core.errors import Sakur4Error

from sakur4_tui.ending import exit_within
from sakur4_tui.gate import EngineGate
from sakur4_tui.mcp import process
from sakur4_tui.mcp.stdio import StdioConnection
from sakur4_tui.mcp.wire import Wire

if TYPE_CHECKING:
    from sakur4_tui.opening import Opening

log = logging.getLogger(__name__)

SIGNALLED: Final = 128
"""Return codes above it tell the signal that ended the interface; it is meant for all of us."""


async def serve(wire: Wire, opening: Opening, parent: int, terminal: int) -> None:
    """Serve MCP and draw on the descriptor ``terminal``, on one engine in one loop.

    The end of the connection ends both. Quitting the interface leaves the server running:
    the agent, not the person at the terminal, started this process.
    """
    gate = EngineGate(opening.engine)
    connection = StdioConnection(wire)
    interface = asyncio.create_task(
        _draw(opening, gate, terminal, connection.end), name="sakur4-interface"
    )
    try:
        await process.answer(connection, gate, opening.settings.mcp.toolset, parent)
    finally:
        exit_within(process.EXIT_GRACE_S)
        interface.cancel()
        await asyncio.wait({interface})
        await gate.close()


async def _draw(
    opening: Opening, gate: EngineGate, terminal: int, end: Callable[[], None]
) -> None:
    from sakur4_tui.app import Sakur4App
    from sakur4_tui.device_driver import driver_on

    try:
        app = Sakur4App(opening, gate, driver_class=driver_on(terminal))
    except Sakur4Error as error:
        _say(terminal, error)
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
    if app.unopened is not None:
        # The agent hears the same sentence from its next call.
        _say(terminal, app.unopened)
        return
    (await gate.engine()).become("serve")
    if (app.return_code or 0) > SIGNALLED:
        end()


def _say(terminal: int, error: Exception) -> None:
    if not isinstance(error, Sakur4Error):
        log.error("the engine did not open", exc_info=error)
    os.write(terminal, f"sakur4-tui: {str(error) or type(error).__name__}\r\n".encode())
