"""Rules that a user's turn states: each new one becomes a proposal to pin it, never a pin."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable

from sakur4_core.clock import stamp
from sakur4_core.context.proposal_rules import sentence_key
from sakur4_core.memory.constraints import Constraint, detect
from sakur4_core.memory.own_words import without_own
from sakur4_core.models import Committed, Proposal
from sakur4_core.store import anchors as anchor_sql
from sakur4_core.store import proposals as sql
from sakur4_core.store.window import contents
from sakur4_core.workspace import Workspace

ProposeAnchor = Callable[..., Awaitable[Proposal]]

# Texts up to this size are looked through on the event loop (under 3 ms).
INLINE_CHARS = 4_096


async def propose_stated(
    workspace: Workspace, propose_anchor: ProposeAnchor, committed: Committed
) -> str | None:
    """Propose what the turn states and was neither proposed nor pinned before.

    Returns:
        The id of the first proposal, or None.
    """
    texts = await workspace.database.read(lambda db: contents(db, [committed.seq]))
    text = without_own(texts[committed.seq])
    # A thread costs more than a small text does.
    small = len(text) <= INLINE_CHARS
    first = None
    for constraint in detect(text) if small else await asyncio.to_thread(detect, text):
        if await _is_known(workspace, constraint):
            continue
        proposal = await propose_anchor(
            constraint.sentence,
            kind=constraint.kind,
            session_id=committed.session_id,
            asked_by="engine",
            excerpt=constraint.sentence,
            rule=constraint.rule,
            confidence=constraint.confidence,
            source_episode=committed.episode_id,
        )
        first = first or proposal.proposal_id
    return first


async def _is_known(workspace: Workspace, constraint: Constraint) -> bool:
    key = sentence_key(constraint.sentence)
    now = stamp(workspace.clock.now())

    def work(db: sqlite3.Connection) -> bool:
        return sql.sentence_seen(db, key) or any(
            sentence_key(anchor.content) == key for anchor in anchor_sql.all_active(db, now)
        )

    return await workspace.database.read(work)
