"""What happens when an agent asks for something that a person decides."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sakur4_core.models import Proposal

    from sakur4_tui.mcp.call import Call

TELL_EVERY_S: Final = 5.0
"""How often a waiting client hears that it still waits; harnesses give up on silence."""


async def decide(call: Call, proposal: Proposal) -> Proposal:
    """The proposal after what the policy allows: decided, or still pending.

    Under ``auto`` it is approved in the call's place. Otherwise the place is given up first:
    its effect, the stored proposal, has committed, and a person may take long. ``plan-only``
    waits for nobody.

    Raises:
        Sakur4Error: The approval that ``auto`` gives cannot be carried out.
    """
    settings = call.engine.settings.mcp
    if settings.policy == "auto" and proposal.open:
        return await call.engine.proposals.approve(proposal.proposal_id, by="policy auto")
    call.place.leave()
    if settings.policy == "ask" and call.engine.person_is_watching():
        return await wait_for_decision(call, proposal, settings.ask_wait_s)
    return proposal


async def wait_for_decision(call: Call, proposal: Proposal, limit_s: float) -> Proposal:
    """Wait up to ``limit_s`` seconds, with progress; the end of the connection ends the wait."""
    start = time.monotonic()
    closing = asyncio.ensure_future(call.conversation.closing.wait())
    try:
        while proposal.open and not closing.done():
            waited = time.monotonic() - start
            if waited >= limit_s:
                break
            await call.report(waited, limit_s, "waiting for a person to decide")
            step = asyncio.ensure_future(
                call.engine.proposals.wait(
                    proposal.proposal_id, min(TELL_EVERY_S, limit_s - waited)
                )
            )
            try:
                await asyncio.wait((step, closing), return_when=asyncio.FIRST_COMPLETED)
                if step.done():
                    proposal = await _successor(call, step.result())
            finally:
                step.cancel()
    finally:
        closing.cancel()
    return proposal


async def _successor(call: Call, proposal: Proposal) -> Proposal:
    """A plan that expired because its items changed lives on in the one that replaced it."""
    while proposal.replaced_by is not None:
        proposal = await call.engine.proposals.get(proposal.replaced_by)
    return proposal
