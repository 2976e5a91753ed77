"""How an applied plan goes from advised to in effect."""

from __future__ import annotations

from typing import Final

from sakur4_core.events import PLAN_ENFORCED
from sakur4_core.store import proposals as sql
from sakur4_core.store.database import Transaction

ADVISED: Final = "advised"


def enforce(tx: Transaction, proposal_id: str, session_id: str | None, by: str) -> None:
    """Note that an applied plan took effect, and through whom (compaction, proxy, hook)."""
    sql.set_effect(tx, proposal_id, by)
    tx.emit(
        PLAN_ENFORCED,
        actor=by if by in ("proxy", "hook", "harness") else "engine",
        session_id=session_id,
        subject=proposal_id,
        detail={"by": by},
    )
