"""The bare command: the interface on this terminal."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from typing import Any

import click
from sakur4_core.errors import ConfigError

from sakur4_tui.cli.place import Place
from sakur4_tui.gate import EngineGate
from sakur4_tui.opening import Opening, prepare

SMALLEST = (60, 20)


def open_interface(place: Place, flags: Mapping[str, Any]) -> None:
    """Open the interface on the place's project, until it is quit.

    Raises:
        ConfigError: There is no terminal, too small a one, or the project cannot be used.
        StoreError: The store cannot be used.
    """
    require_terminal()
    code = asyncio.run(_show(prepare(place.project, place.store, "tui", flags)))
    if code:
        raise click.exceptions.Exit(code)


def require_terminal() -> None:
    """Refuse to draw where nobody would see it.

    Textual reads standard input and draws on standard error.

    Raises:
        ConfigError: One of them is no terminal, or it is smaller than 60x20.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ConfigError(
            "The interface needs a terminal, and this is none.",
            "Run it in a terminal; for scripts, see the commands of `sakur4-tui --help`.",
        )
    columns, rows = os.get_terminal_size(sys.stderr.fileno())
    if 0 < columns < SMALLEST[0] or 0 < rows < SMALLEST[1]:
        raise ConfigError(
            f"The terminal has {columns}x{rows} cells; the interface needs 60x20.",
            "Make it larger and start again.",
        )


async def _show(opening: Opening) -> int:
    """Draw first, then open the engine: the frame stands while the engine is loaded."""
    from sakur4_tui.app import Sakur4App

    gate = EngineGate(opening.engine)
    app = Sakur4App(opening, gate)
    try:
        await app.run_async(mouse=opening.settings.tui.mouse)
    finally:
        await gate.close()
    if app.unopened is not None:
        raise app.unopened
    return app.return_code or 0
