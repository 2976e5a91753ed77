"""The steps of a proposal's life, each with its event, inside a transaction of the caller."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sakur4_core.clock import stamp
from sakur4_core.context.proposal_rules import headline, known, must_be_open, proposal_of
from sakur4_core.events import PROPOSAL_DECIDED, PROPOSAL_STORED
from sakur4_core.models import Proposal
from sakur4_core.store import proposals as sql
from sakur4_core.store.database import Transaction
from sakur4_core.workspace import Workspace


class Steps:
    """Stored, decided, expired."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def insert(
        self,
        tx: Transaction,
        kind: str,
        payload: dict[str, Any],
        session_id: str | None,
        base_revision: str,
        asked_by: str,
    ) -> Proposal:
        proposal_id = self._workspace.ids.new("pr")
        hours = self._workspace.settings.context.proposal_hours
        sql.insert(
            tx,
            proposal_id,
            kind,
            payload,
            session_id=session_id,
            base_revision=base_revision,
            asked_by=asked_by,
            expires_at=stamp(self._workspace.clock.now() + timedelta(hours=hours)),
        )
        tx.emit(
            PROPOSAL_STORED,
            actor=asked_by,
            session_id=session_id,
            subject=proposal_id,
            detail={"kind": kind, "preview": headline(kind, payload)},
        )
        return proposal_of(known(sql.get(tx.db, proposal_id), proposal_id))

    def decide(
        self,
        tx: Transaction,
        proposal: Proposal,
        status: str,
        *,
        by: str,
        reason: str | None = None,
        effect: str | None = None,
        undo: Any = None,
    ) -> None:
        decided = sql.decide(
            tx, proposal.proposal_id, status, by=by, reason=reason, effect=effect, undo=undo
        )
        if not decided:
            row = sql.get(tx.db, proposal.proposal_id)
            must_be_open(proposal_of(known(row, proposal.proposal_id)))
        tx.emit(
            PROPOSAL_DECIDED,
            actor=by,
            session_id=proposal.session_id,
            subject=proposal.proposal_id,
            detail={"kind": proposal.kind.value, "status": status, "reason": reason},
        )

    def expire(self, tx: Transaction, proposal: Proposal, replaced_by: str | None) -> None:
        if sql.decide(tx, proposal.proposal_id, "expired", by="engine", replaced_by=replaced_by):
            tx.emit(
                PROPOSAL_DECIDED,
                actor="engine",
                session_id=proposal.session_id,
                subject=proposal.proposal_id,
                detail={"kind": proposal.kind.value, "status": "expired"},
            )
