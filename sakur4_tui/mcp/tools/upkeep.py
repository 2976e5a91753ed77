"""Tools about the engine itself: its status, and consolidation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sakur4_core import models as m

from sakur4_tui.mcp.registry import Reply, tool

if TYPE_CHECKING:
    from sakur4_tui.mcp.call import Call


@tool(reads=True)
async def sakur4_status(call: Call) -> Reply[m.Status]:
    """How the memory stands: counts, index, backend, policy, who is attached, what fails."""
    status = await call.engine.status()
    return Reply(status, status_text(status))


def status_text(status: m.Status) -> str:
    """The status in a few lines."""
    lines = [
        f"{status.episodes} episodes, {status.facts} facts, {status.files} files, "
        f"{status.anchors} anchors, {status.pending} pending, "
        f"{status.stale} of {status.atlas} summaries stale.",
        f"Policy {status.policy}; backend {status.backend}; counter {status.counter}; "
        f"index of {status.indexed_at or 'no date'}.",
        *(f"Degraded: {what}" for what in status.degraded),
    ]
    return "\n".join(lines)


@tool()
async def sakur4_dream(call: Call, force: bool = False) -> Reply[m.DreamReport]:
    """Consolidate the memory now if the session is idle; force skips the quiet time."""
    call.place.leave()
    report = await call.engine.dream(force)
    counts = (
        f"{report.promoted} promoted, {report.regenerated} regenerated, "
        f"{report.archived} archived, {report.pruned} pruned"
    )
    return Reply(report, f"{report.reason} {counts}." if report.ran else report.reason)
