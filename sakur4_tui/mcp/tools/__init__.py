"""The tools that an agent may call, in the order in which they are listed."""

from __future__ import annotations

from sakur4_tui.mcp.registry import Tool
from sakur4_tui.mcp.tools import code, context, memory, session, upkeep

ALL: tuple[Tool, ...] = (
    memory.memory_commit_episode,
    memory.memory_pin,
    memory.memory_recall,
    memory.memory_fold,
    memory.memory_unfold,
    memory.memory_recall_fold,
    memory.memory_staleness,
    code.code_get_repo_map,
    code.code_query_symbol,
    code.code_impact_of_change,
    context.context_receipt,
    context.context_plan_eviction,
    context.context_record_usage,
    context.context_proposal,
    session.session_snapshot,
    session.session_restore,
    upkeep.sakur4_status,
    upkeep.sakur4_dream,
)


def toolset(name: str) -> tuple[Tool, ...]:
    """The tools of ``core`` or ``full``."""
    return tuple(tool for tool in ALL if tool.core) if name == "core" else ALL
