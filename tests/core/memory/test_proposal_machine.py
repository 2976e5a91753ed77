"""The proposal state machine, walked at random against a model of a few lines."""

from __future__ import annotations

import asyncio
import subprocess
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule
from sakur4_core.clock import FakeClock, SequentialIds
from sakur4_core.engine import Engine
from sakur4_core.errors import AlreadyDecided, Expired, InvalidInput, NotFound
from sakur4_core.events import PROPOSAL_DECIDED
from sakur4_core.paths import Home
from sakur4_core.settings import ContextSettings, Settings

SESSION = "s-1"


class ProposalMachine(RuleBasedStateMachine):
    """``known`` maps each proposal to the status that the rules of DESIGN section 4 give it."""

    proposals = Bundle("proposals")

    @initialize()
    def open(self) -> None:
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.folder = tempfile.TemporaryDirectory()
        root = Path(self.folder.name) / "project"
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        self.clock = FakeClock()
        home = Home(Path(self.folder.name) / "home", Path(self.folder.name) / "home")
        small = Settings(context=ContextSettings(window=3_000, reserve_output=0))
        self.engine = self.runner.run(
            self.stack.enter_async_context(
                Engine.open(root, home=home, clock=self.clock, ids=SequentialIds(), settings=small)
            )
        )
        self.known: dict[str, str] = {}
        self.expires: dict[str, float] = {}
        self.plans: list[str] = []
        self.counter = 0
        self.add_turns()

    def teardown(self) -> None:
        if hasattr(self, "runner"):
            self.runner.run(self.stack.aclose())
            self.runner.close()
            self.folder.cleanup()

    @rule()
    def add_turns(self) -> None:
        async def turns() -> None:
            for _ in range(3):
                self.counter += 1
                await self.engine.commit_episode(
                    "user", f"look at table {self.counter}", session_id=SESSION
                )
                await self.engine.commit_episode(
                    "tool", f"row {self.counter} of it\n" * 60, session_id=SESSION
                )

        self.runner.run(turns())

    @rule(target=proposals)
    def propose_anchor(self) -> str:
        self.counter += 1
        proposal = self.runner.run(
            self.engine.proposals.propose_anchor(f"rule {self.counter}", kind="task_contract")
        )
        return self.remember(proposal.proposal_id)

    @rule(target=proposals)
    def propose_plan(self) -> str:
        try:
            proposal = self.runner.run(self.engine.plan_eviction(SESSION, target=0.1))
        except InvalidInput:
            return ""
        if proposal.proposal_id not in self.known:
            for plan in self.plans:
                if self.known[plan] == "pending":
                    self.known[plan] = "expired"
            self.plans.append(proposal.proposal_id)
        return self.remember(proposal.proposal_id)

    def remember(self, proposal_id: str) -> str:
        self.known.setdefault(proposal_id, "pending")
        self.expires.setdefault(proposal_id, self.clock.monotonic() + 24 * 3600)
        return proposal_id

    @rule(chosen=proposals)
    def approve(self, chosen: str) -> None:
        self.decide(chosen, self.engine.proposals.approve, "applied")

    @rule(chosen=proposals)
    def reject(self, chosen: str) -> None:
        self.decide(chosen, self.engine.proposals.reject, "rejected")

    def decide(self, chosen: str, decision: object, outcome: str) -> None:
        if not chosen:
            return
        try:
            self.runner.run(decision(chosen))  # type: ignore[operator]
        except AlreadyDecided:
            assert self.known[chosen] not in ("pending", "expired")
        except Expired:
            fresh = self.runner.run(self.engine.proposals.get(chosen)).replaced_by
            self.known[chosen] = "expired"
            if fresh is not None:
                self.plans.append(self.remember(fresh))
        else:
            assert self.known[chosen] == "pending"
            self.known[chosen] = outcome

    @rule(chosen=proposals)
    def undo(self, chosen: str) -> None:
        if not chosen:
            return
        try:
            self.runner.run(self.engine.proposals.undo(chosen))
        except (InvalidInput, NotFound):
            newer = self.plans[self.plans.index(chosen) + 1 :] if chosen in self.plans else []
            assert self.known[chosen] != "applied" or any(
                self.known[plan] == "applied" for plan in newer
            )
        else:
            assert self.known[chosen] == "applied"
            self.known[chosen] = "undone"

    @rule(hours=st.sampled_from([1, 25]))
    def wait(self, hours: int) -> None:
        self.clock.advance(hours * 3600)
        self.runner.run(self.engine.proposals.pending())
        for proposal_id, status in self.known.items():
            if status == "pending" and self.expires[proposal_id] <= self.clock.monotonic():
                self.known[proposal_id] = "expired"

    @invariant()
    def the_store_agrees(self) -> None:
        if not hasattr(self, "known"):
            return
        recent = self.runner.run(self.engine.proposals.recent(500))
        assert {p.proposal_id: p.status.value for p in recent} == self.known
        decided = [
            event.subject
            for event in self.runner.run(self.engine.recent_events(5_000))
            if event.kind == PROPOSAL_DECIDED
        ]
        assert len(decided) == len(set(decided))
        assert set(decided) == {key for key, status in self.known.items() if status != "pending"}


TestProposalMachine = ProposalMachine.TestCase
TestProposalMachine.settings = settings(max_examples=12, stateful_step_count=14, deadline=None)
