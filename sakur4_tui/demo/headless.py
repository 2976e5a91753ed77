"""The demo without a screen: the same replay at full speed, with the decisions made here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from sakur4_core.engine import Engine
from sakur4_core.errors import Expired
from sakur4_core.events import PROPOSAL_STORED
from sakur4_core.models import Proposal, ProposalKind, ProposalStatus

from sakur4_tui.demo.recording import load_steps
from sakur4_tui.demo.replay import replay
from sakur4_tui.demo.stage import seed_stage, set_stage

# What the demo promises to show.
PROMISED = ("turns", "facts", "proposals_decided", "stale_entries")


@dataclass(frozen=True, slots=True)
class DemoReport:
    """What happened. Tokens are those of the plan that was approved; times are seconds."""

    turns: int
    facts: int
    files: int
    tool_calls: int
    files_changed: int
    recalls: int
    usage_reports: int
    summaries: int
    stale_entries: int
    anchors: int
    proposals_decided: int
    plans_applied: int
    tokens_freed: int
    chain_ok: bool
    project: str | None

    def missing(self) -> tuple[str, ...]:
        """What the demo promises and did not show."""
        return tuple(name for name in PROMISED if not getattr(self, name))


class Decisions:
    """Stands in for the person: every plan and the first anchor are approved, others not."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.decided: list[Proposal] = []

    async def run(self) -> None:
        """Decide on what is stored, as it is stored, until cancelled."""
        async with self._engine.events.subscribe() as events:
            await self.decide_all()
            async for event in events:
                if event.kind == PROPOSAL_STORED:
                    await self.decide_all()

    async def decide_all(self) -> None:
        """Decide on all that waits now."""
        for proposal in await self._engine.proposals.pending():
            # A plan that the session has moved on from is replaced; its successor comes next.
            with suppress(Expired):
                self.decided.append(await self._decide(proposal))

    async def _decide(self, proposal: Proposal) -> Proposal:
        inbox = self._engine.proposals
        first = all(other.kind is not ProposalKind.ANCHOR for other in self.decided)
        if proposal.kind is ProposalKind.EVICTION or first:
            return await inbox.approve(proposal.proposal_id, by="person")
        return await inbox.reject(proposal.proposal_id, "The demo accepts one rule.", by="person")


async def run_headless(*, keep: bool, tell: Callable[[str], None]) -> DemoReport:
    """Set the stage, play the recording, decide, and report."""
    with set_stage(keep=keep) as stage:
        await seed_stage(stage)
        tell(f"The sample project is at {stage.project}.")
        async with Engine.open(stage.project) as engine:
            decisions = Decisions(engine)
            deciding = asyncio.create_task(decisions.run())
            try:
                played = await replay(stage.project, load_steps(stage.data), speed=None)
            finally:
                deciding.cancel()
                with suppress(asyncio.CancelledError):
                    await deciding
            await decisions.decide_all()
            status, staleness = await engine.status(), await engine.staleness()
            plans = [p for p in decisions.decided if p.plan is not None]
            return DemoReport(
                turns=status.episodes,
                facts=status.facts,
                files=status.files,
                tool_calls=played.calls.total(),
                files_changed=played.writes,
                recalls=played.calls["memory_recall"],
                usage_reports=played.calls["context_record_usage"],
                summaries=staleness.total,
                stale_entries=staleness.stale_count,
                anchors=status.anchors,
                proposals_decided=len(decisions.decided),
                plans_applied=sum(p.status is ProposalStatus.APPLIED for p in plans),
                tokens_freed=sum(int(p.plan.tokens_freed.value or 0) for p in plans if p.plan),
                chain_ok=(await engine.verify()).ok,
                project=str(stage.project) if keep else None,
            )
