"""``--serve`` and ``--tty``: claim the wire, then load the server. Nothing heavy comes first."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sakur4_tui.mcp.wire import claim_wire


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


def serve(options: ServeOptions) -> None:
    """Serve MCP on the standard streams until the client closes its side or the parent dies.

    Raises:
        Sakur4Error: The project, a setting or the terminal cannot be used; nothing was served.
    """
    parent = os.getppid()
    if sys.stdin.isatty():
        print("sakur4-tui: waiting for an MCP client's frames on stdin.", file=sys.stderr)
    wire = claim_wire()
    # Imports make objects that stay; collecting among them costs a sixth of the start.
    gc.disable()
    from sakur4_tui.mcp import process

    gc.freeze()
    gc.enable()
    if options.tty is None:
        asyncio.run(process.serve(wire, process.prepare(options, "serve"), parent))
    else:
        from sakur4_tui import embedded

        serving = process.prepare(options, "embedded")
        asyncio.run(embedded.serve(wire, serving, parent, Path(options.tty)))
