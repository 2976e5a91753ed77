"""Tools that save a session's state and bring it back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field
from sakur4_core import models as m

from sakur4_tui.mcp.registry import Reply, tool

if TYPE_CHECKING:
    from sakur4_tui.mcp.call import Call

Id = Annotated[str, Field(min_length=1, max_length=200)]


@dataclass(frozen=True, slots=True)
class Restored:
    """Whether a saved state is back, and what of it."""

    restored: bool
    detail: str


@tool()
async def session_snapshot(
    call: Call,
    session_id: Id | None = None,
    slot_id: Annotated[int, Field(ge=0, le=4095)] | None = None,
) -> Reply[m.Snapshot]:
    """Save a session's tiers and window, and its cache slot where the backend can."""
    saved = await call.engine.snapshot(await call.session(session_id), slot_id)
    return Reply(saved, f"Saved as {saved.snapshot_id}. {saved.detail}")


@tool(destructive=True)
async def session_restore(call: Call, snapshot_id: Id) -> Reply[Restored]:
    """Bring a saved state back."""
    restored, detail = await call.engine.restore(snapshot_id)
    return Reply(Restored(restored, detail), detail)
