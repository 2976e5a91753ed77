"""``--serve`` and ``--tty``: claim the wire, then load the server. Nothing heavy comes first."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sakur4_core.errors import ConfigError

from sakur4_tui.mcp.wire import claim_wire

if TYPE_CHECKING:
    from sakur4_tui.opening import Opening

LOG_LEVEL_VARIABLE: Final = "SAKUR4_LOG_LEVEL"
LOG_BYTES: Final = 2_000_000


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What the command line says about serving.

    Attributes:
        store: A store file instead of the project's own, or ``:memory:``.
        flags: Settings from the command line, ``{"mcp.policy": "auto"}`` for instance.
        tty: The terminal device to draw the interface on, or None for no interface.
    """

    project: Path = Path()
    store: str | None = None
    flags: Mapping[str, Any] = field(default_factory=dict)
    tty: str | None = None


def prepare(options: ServeOptions) -> Opening:
    """Check what can be checked at once, and open the log.

    Raises:
        ConfigError: The project is no directory, or a setting does not fit.
    """
    from sakur4_tui import opening

    kind: opening.Kind = "serve" if options.tty is None else "embedded"
    prepared = opening.prepare(options.project, options.store, kind, options.flags)
    open_log(prepared.home.logs / "serve.log", to_stderr=options.tty is None)
    return prepared


def open_terminal(device: Path) -> int:
    """A descriptor of the terminal at ``device``, which does not become our controlling one.

    Raises:
        ConfigError: It is no terminal, or may not be opened.
    """
    if sys.platform == "win32":
        raise ConfigError("--tty works on Linux and macOS only.", "Use --serve.")
    try:
        descriptor = os.open(device, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        raise ConfigError(
            f"The terminal {device} cannot be opened: {error.strerror}.",
            "Run `tty` in the terminal that should show the interface.",
        ) from error
    if not os.isatty(descriptor):
        os.close(descriptor)
        raise ConfigError(f"{device} is no terminal.", "Name a device such as /dev/pts/3.")
    return descriptor


def open_log(file: Path, *, to_stderr: bool) -> None:
    """Log to a file that only its owner can read, and to stderr unless a screen is drawn.

    Raises:
        ConfigError: ``SAKUR4_LOG_LEVEL`` is no level.
    """
    import logging
    from logging.handlers import RotatingFileHandler

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


@contextmanager
def lean_imports() -> Iterator[None]:
    """Import the SDK in three quarters of the time that it takes otherwise.

    Its 500 pydantic models are built when they are first used, most of them never; pydantic
    does not search the installed packages for plugins; and the garbage collector does not
    walk through objects that all stay.
    """
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    gc.disable()
    from pydantic import BaseModel

    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]
        gc.freeze()
        gc.enable()


def serve(options: ServeOptions) -> None:
    """Serve MCP on the standard streams until the client closes its side or the parent dies.

    Raises:
        Sakur4Error: The project, a setting or the terminal cannot be used; nothing was served.
    """
    parent = os.getppid()
    if os.isatty(0):
        print("sakur4-tui: waiting for an MCP client's frames on stdin.", file=sys.stderr)
    wire = claim_wire()
    with lean_imports():
        opening = prepare(options)
        terminal = None if options.tty is None else open_terminal(Path(options.tty))
        from sakur4_tui.mcp import process
    if terminal is None:
        asyncio.run(process.serve(wire, opening, parent))
    else:
        from sakur4_tui import embedded

        asyncio.run(embedded.serve(wire, opening, parent, terminal))
