"""What a tool sees of the connection that calls it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sakur4_tui.mcp.order import Order, Place

if TYPE_CHECKING:
    from sakur4_core.engine import Engine

HARNESS: Final = "mcp"

Report = Callable[[float, float | None, str | None], Awaitable[None]]
"""Tells the client how far a call is: done, total, and a few words."""


class Conversation:
    """One connection: its session, and the order in which its calls take effect."""

    def __init__(self) -> None:
        self.order = Order()
        self.closing = asyncio.Event()
        """Set when the client sends no more; who waits for a person stops waiting."""
        self.session_id: str | None = None
        """The session of calls that name none, once one was opened."""

    async def session(self, engine: Engine) -> str:
        """The session of calls that name none, opened for the first of them."""
        if self.session_id is None:
            session_id = engine.workspace.ids.new("mcp")
            await engine.sessions.open(session_id, harness=HARNESS)
            self.session_id = session_id
        return self.session_id


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool."""

    engine: Engine
    conversation: Conversation
    place: Place
    report: Report

    async def session(self, named: str | None) -> str:
        """The session that the client named, else the connection's own."""
        return named if named is not None else await self.conversation.session(self.engine)
