"""A serving process: its engine, its log, and the three ways in which it ends."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from sakur4_core.errors import ConfigError
from sakur4_core.paths import Home, find_root
from sakur4_core.settings import Settings, load_settings

from sakur4_tui.mcp.gate import EngineGate
from sakur4_tui.mcp.server import Gateway
from sakur4_tui.mcp.stdio import StdioConnection
from sakur4_tui.mcp.wire import Wire

if TYPE_CHECKING:
    from sakur4_core.engine import Engine

    from sakur4_tui.cli.serve import ServeOptions

PARENT_POLL_S: Final = 0.5
EXIT_GRACE_S: Final = 1.5
"""How long the orderly end may take before the process ends as it is. Nothing is lost by that:
a commit is acknowledged only once it is in the store."""
WARM_AFTER_S: Final = 0.25
"""Time after the first answer before the engine is loaded: clients ask for the lists first."""
LOG_LEVEL_VARIABLE: Final = "SAKUR4_LOG_LEVEL"
LOG_BYTES: Final = 2_000_000


@dataclass(frozen=True, slots=True)
class Serving:
    """Which project a process serves, with which settings, and as what."""

    root: Path
    store: str | None
    settings: Settings
    home: Home
    kind: Literal["serve", "embedded"]

    @asynccontextmanager
    async def engine(self) -> AsyncIterator[Engine]:
        """The engine, loaded off the loop: it brings parsers and the tokenizer along."""

        def load() -> type[Engine]:
            from sakur4_core.engine import Engine

            return Engine

        engine_type = await asyncio.to_thread(load)
        async with engine_type.open(
            self.root, store=self.store, settings=self.settings, kind=self.kind, home=self.home
        ) as engine:
            yield engine


def prepare(options: ServeOptions, kind: Literal["serve", "embedded"]) -> Serving:
    """Check what can be checked at once, and open the log.

    Raises:
        ConfigError: The project is no directory, or a setting does not fit.
    """
    home = Home.resolve()
    root = find_root(options.project)
    settings = load_settings(user_file=home.settings_file, project_root=root, flags=options.flags)
    open_log(home.logs / "serve.log", to_stderr=kind == "serve")
    return Serving(root, options.store, settings, home, kind)


def open_log(file: Path, *, to_stderr: bool) -> None:
    """Log to a file that only its owner can read, and to stderr unless a screen is drawn.

    Raises:
        ConfigError: ``SAKUR4_LOG_LEVEL`` is no level.
    """
    level = os.environ.get(LOG_LEVEL_VARIABLE, "warning").upper()
    if level not in logging.getLevelNamesMapping():
        raise ConfigError(
            f"{LOG_LEVEL_VARIABLE} is {level!r}, which is no log level.",
            "Use debug, info, warning or error.",
        )
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)] if to_stderr else []
    with suppress(OSError):  # Serving goes on where the log cannot be written.
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
        handlers.append(RotatingFileHandler(file, maxBytes=LOG_BYTES, backupCount=1))
    logging.basicConfig(
        level=level,
        handlers=handlers,
        format="%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s",
    )


async def serve(wire: Wire, serving: Serving, parent: int) -> None:
    """Serve one client until it closes its side, or ``parent`` is gone."""
    gate = EngineGate(serving.engine)
    try:
        await answer(StdioConnection(wire), gate, serving.settings.mcp.toolset, parent)
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


def exit_within(seconds: float) -> None:
    """End the process after ``seconds`` if it has not ended by then, come what may."""
    timer = threading.Timer(seconds, os._exit, args=(0,))
    timer.daemon = True
    timer.start()


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
