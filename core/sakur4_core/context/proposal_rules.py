"""What holds of every proposal: its revision, what may be chosen of it, what may be decided."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any

from sakur4_core.context.plan_json import plan_from_json
from sakur4_core.errors import AlreadyDecided, Expired, InvalidInput, NotFound
from sakur4_core.memory.text import preview
from sakur4_core.models import PlanItem, Proposal, ProposalKind, ProposalStatus
from sakur4_core.store import proposals as sql


def revision(states: Sequence[sql.ItemState]) -> str:
    """A hash of what a plan's validity hangs on; new turns do not change it."""
    body = "|".join(
        f"{s.seq},{s.tier},{s.superseded_by},{s.fold_id},{s.in_window},{s.redacted}"
        for s in states
    )
    return hashlib.blake2b(body.encode("utf-8"), digest_size=12).hexdigest()


def sentence_key(sentence: str) -> str:
    """What makes two statements the same proposal: words only, case and spacing aside."""
    words = re.sub(r"\W+", " ", sentence).strip().casefold()
    return hashlib.blake2b(words.encode("utf-8"), digest_size=12).hexdigest()


def choose(items: Sequence[PlanItem], wanted: frozenset[str] | None) -> tuple[PlanItem, ...]:
    """The items to move; a tool call and its result move together or not at all.

    Raises:
        InvalidInput: An unknown id, a split pair, or nothing left.
    """
    if wanted is None:
        return tuple(items)
    unknown = wanted - {item.episode_id for item in items}
    if unknown:
        raise InvalidInput(f"Not in the plan: {', '.join(sorted(unknown))}.")
    chosen = tuple(item for item in items if item.episode_id in wanted)
    groups = {item.group for item in chosen}
    split = [i.seq for i in items if i.group in groups and i.episode_id not in wanted]
    if split:
        raise InvalidInput(
            f"#{split[0]} belongs to a tool call that stays in the plan.",
            "Take the call and its result in or out together.",
        )
    if not chosen:
        raise InvalidInput("No item is left in the plan.", "Reject it instead.")
    return chosen


def headline(kind: str, payload: dict[str, Any]) -> str:
    """A proposal in a few words, for its event."""
    if kind == "eviction":
        plan = payload["plan"]
        return f"frees {int(plan['tokens_freed']['value'] or 0)} tokens"
    return preview(str(payload["content"]))


def must_be_open(proposal: Proposal) -> None:
    """Refuse a second decision.

    Raises:
        Expired: It expired before it was decided.
        AlreadyDecided: It was decided.
    """
    if proposal.status is ProposalStatus.EXPIRED:
        instead = proposal.replaced_by
        raise Expired(
            "This proposal has expired.",
            f"Decide on {instead} instead." if instead else "Ask for a new plan.",
        )
    if not proposal.open:
        raise AlreadyDecided(
            f"This proposal is {proposal.status} already, decided by {proposal.decided_by}.",
            "A decision is taken once; an applied one can be undone.",
        )


def known(row: sql.Row | None, proposal_id: str) -> sql.Row:
    """The row that was looked for; raises NotFound where there is none."""
    if row is None:
        raise NotFound(f"No proposal {proposal_id!r}.", "List them with `sakur4-tui proposals`.")
    return row


def proposal_of(row: sql.Row) -> Proposal:
    """A row as the model that front ends see."""
    plan = plan_from_json(row.payload["plan"]) if row.kind == "eviction" else None
    return Proposal(
        proposal_id=row.proposal_id,
        kind=ProposalKind(row.kind),
        status=ProposalStatus(row.status),
        session_id=row.session_id,
        payload=row.payload,
        base_revision=row.base_revision,
        asked_by=row.asked_by,
        created_at=row.created_at,
        expires_at=row.expires_at,
        decided_by=row.decided_by,
        decided_at=row.decided_at,
        reason=row.reason,
        replaced_by=row.replaced_by,
        effect=row.effect,
        plan=plan,
        anchor_id=row.undo if isinstance(row.undo, str) else None,
    )
