"""What each way of keeping a window does with the same session."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from model import Model, count
from sakur4_core.clock import FakeClock, SequentialIds
from sakur4_core.engine import Engine
from sakur4_core.models import Pressure, Recall, Receipt
from sakur4_core.paths import Home
from sakur4_core.settings import ContextSettings, RecallSettings, Settings
from session import Step, Work

# Where harnesses compact by themselves: Codex at 90 % of the window unless told otherwise.
BASELINE_TRIGGER = 0.90
# What a summary may hold, about what models write when they are asked for one.
SUMMARY_TOKENS = 1_200
SUMMARY_PROMPT = (
    "You summarise conversations. Write down what was asked, done, found and decided, so that"
    " the work can go on from your summary alone."
)
# The agent looks something up at each so many turns, within so many tokens of its window.
LOOKUP_EVERY = 6
LOOKUP_TOKENS = 600
# Each fact is asked for at the end, with recall's own defaults.
ASKED_TOKENS = 4_000
ASKED_HITS = 8
SESSION_ID = "bench"


@dataclass
class Outcome:
    """What came of one arm."""

    arm: str
    turns: int = 0
    calls: int = 0
    compactions: int = 0
    tokens_sent: int = 0
    tokens_evaluated: int = 0
    tokens_retrieved: int = 0
    rules_due: int = 0
    rules_present: int = 0
    facts: int = 0
    recalled: int = 0
    receipts: int = 0
    sums_wrong: int = 0
    pressure_wrong: int = 0
    missed: list[str] = field(default_factory=list)

    def saw(self, prompt: str, rules: Iterable[str]) -> None:
        """Look for the rules in the bytes of a prompt."""
        for rule in rules:
            self.rules_due += 1
            self.rules_present += rule in prompt

    def settle(self, model: Model) -> None:
        """Take over what the server counted."""
        self.calls = model.calls
        self.tokens_sent = model.sent
        self.tokens_evaluated = model.evaluated


def joined(*parts: str) -> str:
    """A prompt's text, as every arm lays it out."""
    return "\n\n".join(part for part in parts if part)


def summarising(work: Work, window: int, model: Model, *, appended: bool) -> Outcome:
    """Everything becomes a summary when the window is nearly full.

    The summary is written by a call of its own: with a prompt of its own before the
    conversation, or with the request appended to the conversation, so that the cache serves it.
    """
    outcome = Outcome("summarise, appended" if appended else "summarise everything")
    fixed = (work.system, work.tools)
    summary: list[str] = []
    history: list[Step] = []
    known: list[str] = []
    for number, turn in enumerate(work.turns):
        outcome.turns += 1
        known += [work.rules[number]] if number in work.rules else []
        for place, step in enumerate(turn):
            if step.role == "assistant":
                prompt = joined(*fixed, *summary[-1:], *(s.content for s in history))
                if count(prompt) > window * BASELINE_TRIGGER:
                    asks = (prompt, SUMMARY_PROMPT) if appended else (SUMMARY_PROMPT, prompt)
                    model.complete(joined(*asks))
                    summary = [_summary(summary, history)]
                    history = list(turn[:place])
                    outcome.compactions += 1
                    prompt = joined(*fixed, *summary, *(s.content for s in history))
                outcome.saw(prompt, known)
                model.complete(prompt)
            history.append(step)
    last = joined(*fixed, *summary, *(s.content for s in history))
    _ask(outcome, work, last)
    outcome.settle(model)
    return outcome


def sliding(work: Work, window: int, model: Model) -> Outcome:
    """The oldest turns fall out as soon as the window is nearly full."""
    outcome = Outcome("sliding window")
    fixed = joined(work.system, work.tools)
    sizes: list[int] = []
    history: list[Step] = []
    room = window * BASELINE_TRIGGER - count(fixed)
    known: list[str] = []
    for number, turn in enumerate(work.turns):
        outcome.turns += 1
        known += [work.rules[number]] if number in work.rules else []
        for step in turn:
            if step.role == "assistant":
                dropped = 0
                while sum(sizes[dropped:]) > room:
                    dropped += 1
                outcome.compactions += bool(dropped)
                del sizes[:dropped], history[:dropped]
                prompt = joined(fixed, *(s.content for s in history))
                outcome.saw(prompt, known)
                model.complete(prompt)
            history.append(step)
            sizes.append(count(step.content) + 1)
    _ask(outcome, work, joined(fixed, *(s.content for s in history)))
    outcome.settle(model)
    return outcome


async def ours(
    work: Work, window: int, model: Model, folder: Path, *, target: float | None
) -> Outcome:
    """The engine plans, the plan is approved and put in effect; rules are pinned."""
    outcome = Outcome("sakur4")
    settings = Settings(
        context=ContextSettings(
            window=window,
            reserve_output=0,
            profile="window-first",
            backend="none",
            anchor_budget=0.2,
        ),
        recall=RecallSettings(),
    )
    root = folder / "project"
    root.mkdir(parents=True)
    home = Home(folder / "home", folder / "home")
    clock = FakeClock()
    async with Engine.open(
        root, home=home, settings=settings, clock=clock, ids=SequentialIds()
    ) as engine:
        agent = _Agent(engine, model, outcome, clock, target)
        await engine.sessions.open(SESSION_ID, harness="bench")
        await engine.window.submit_prompt_part(SESSION_ID, "system_prompt", work.system)
        await engine.window.submit_prompt_part(SESSION_ID, "tool_schemas", work.tools)
        for number, turn in enumerate(work.turns):
            outcome.turns += 1
            for step in turn:
                if step.role == "assistant":
                    await agent.call()
                await agent.commit(step)
                if step.role == "user" and number in work.rules:
                    await agent.pin(work.rules[number])
            if number % LOOKUP_EVERY == LOOKUP_EVERY - 1:
                told = [fact for fact in work.facts if fact.turn < number]
                if told:
                    await agent.look_up(told[number % len(told)].question, f"look_{number}")
        last = (await engine.window.assemble_sent(SESSION_ID)).text
        for fact in work.facts:
            found = await agent.recall(fact.question, ASKED_HITS, ASKED_TOKENS)
            outcome.tokens_retrieved += found.tokens
            text = "\n".join(hit.text for hit in found.hits)
            _note(outcome, fact.question, fact.answer, f"{last}\n{text}")
    outcome.settle(model)
    return outcome


class _Agent:
    """One session of the engine, as a proxy and an agent would drive it."""

    def __init__(
        self,
        engine: Engine,
        model: Model,
        outcome: Outcome,
        clock: FakeClock,
        target: float | None,
    ) -> None:
        self._engine = engine
        self._model = model
        self._outcome = outcome
        self._clock = clock
        self._target = target
        self._rules: list[str] = []

    async def pin(self, rule: str) -> None:
        await self._engine.pin(rule, kind="safety_constraint")
        self._rules.append(rule)

    async def commit(self, step: Step) -> None:
        self._clock.advance(2)
        await self._engine.episodes.commit(
            step.role,
            step.content,
            session_id=SESSION_ID,
            tool_name=step.tool_name,
            tool_call_id=step.call,
        )
        self._engine.recaller.turn_committed()

    async def call(self) -> None:
        """Plan where it is due, send the prompt, report its usage, read the receipt."""
        receipt = await self._engine.receipt(SESSION_ID)
        if receipt.pressure is Pressure.COMPACTING:
            proposal = await self._engine.plan_eviction(SESSION_ID, target=self._target)
            await self._engine.proposals.approve(proposal.proposal_id)
            await self._engine.proposals.mark_enforced(proposal.proposal_id, "proxy")
            self._outcome.compactions += 1
        prompt = (await self._engine.window.assemble_sent(SESSION_ID)).text
        self._outcome.saw(prompt, self._rules)
        call = self._model.complete(prompt)
        await self._engine.record_usage(
            session_id=SESSION_ID,
            prompt_tokens=call.prompt,
            cache_read_tokens=call.cached,
            completion_tokens=0,
            provider="llama.cpp",
            model="stand-in",
        )
        self._check(await self._engine.receipt(SESSION_ID))

    async def look_up(self, question: str, call: str) -> None:
        """A recall in the midst of the work: the answer stands in the prompt from then on."""
        tool = "mcp__sakur4__memory_recall"
        await self.commit(Step("assistant", question, tool, call))
        found = await self.recall(question, ASKED_HITS, LOOKUP_TOKENS)
        text = "\n".join(f"[{hit.seq}] {hit.text}" for hit in found.hits)
        await self.commit(Step("tool", f"Recalled from memory\n{text}", tool, call))
        await self.call()

    async def recall(self, question: str, hits: int, tokens: int) -> Recall:
        return await self._engine.recall(
            question, k=hits, session_id=SESSION_ID, budget_tokens=tokens
        )

    def _check(self, receipt: Receipt) -> None:
        total = receipt.total.value or 0
        self._outcome.receipts += 1
        self._outcome.sums_wrong += total != sum(part.tokens.value or 0 for part in receipt.parts)
        over = total >= (receipt.trigger_tokens or 0)
        self._outcome.pressure_wrong += over is not (receipt.pressure is Pressure.COMPACTING)


def _summary(before: list[str], history: list[Step]) -> str:
    """A stand-in for a model's summary: what was asked, whole, and how each answer begins.

    The newest are kept where not all fit, as models do when they are asked again and again.
    """
    lines = before[-1].splitlines()[1:] if before else []
    for step in history:
        if step.role == "user":
            lines.append(f"- asked: {' '.join(step.content.split())[:400]}")
        elif step.role == "assistant" and step.call is None:
            lines.append(f"- answered: {re.split(r'(?<=[.;?]) ', step.content)[0][:200]}")
    kept: list[str] = []
    room = SUMMARY_TOKENS
    for line in reversed(lines):
        room -= count(line)
        if room < 0:
            break
        kept.append(line)
    return "\n".join(["Summary of the conversation so far", *reversed(kept)])


def _ask(outcome: Outcome, work: Work, prompt: str) -> None:
    """Which facts can still be read off the prompt at the end."""
    for fact in work.facts:
        _note(outcome, fact.question, fact.answer, prompt)


def _note(outcome: Outcome, question: str, answer: str, text: str) -> None:
    outcome.facts += 1
    # The answer as a word of its own, so that 131 is not found in 4131.
    if re.search(rf"(?<![\w.-]){re.escape(answer)}(?![\w-])", text):
        outcome.recalled += 1
    else:
        outcome.missed.append(question)
