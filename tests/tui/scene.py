"""One made-up afternoon: a session at 71 % of its window, two decisions waiting, three stale."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sakur4_core import events as e
from sakur4_core import models as m
from sakur4_core.clock import FakeClock
from sakur4_core.errors import Sakur4Error
from sakur4_core.events import EventBus
from sakur4_core.harness.reach import HOOKED, Reach
from sakur4_core.paths import Home
from sakur4_core.settings import Settings, TuiSettings

from sakur4_tui.gate import EngineGate
from sakur4_tui.opening import Opening

NOW = datetime(2026, 3, 4, 10, 42, 14, tzinfo=UTC)
SESSION = "s_00000000000000000000007f3a"


def at(hour_minute_second: str) -> str:
    return f"2026-03-04T{hour_minute_second}.000000Z"


def estimated(value: float) -> m.Figure:
    return m.Figure(value, m.Basis.ESTIMATED, 0.04)


def measured(value: float) -> m.Figure:
    return m.Figure(value, m.Basis.MEASURED)


def predicted(value: float) -> m.Figure:
    return m.Figure(value, m.Basis.PREDICTED)


SESSIONS = (
    m.Session(SESSION, "claude-code", None, None, "claude-sonnet", "main", at("09:58:00"),
              "Move the store to SQLite", at("10:42:07")),
    m.Session("s_000000000000000000000a210", "codex", None, None, "gpt-5", "main",
              at("08:10:00"), "Fix the retry policy", at("09:31:00")),
)  # fmt: skip

HISTORY_PARTS = (
    m.ReceiptPart("user", estimated(6_000)),
    m.ReceiptPart("assistant", estimated(21_400)),
    m.ReceiptPart("Read", estimated(52_000)),
    m.ReceiptPart("Bash", estimated(31_000)),
)

RECEIPT = m.Receipt(
    receipt_id="r_1",
    session_id=SESSION,
    turn=42,
    created_at=at("10:42:07"),
    window=m.counted(200_000),
    total=measured(142_300),
    fill=measured(0.7115),
    parts=(
        m.ReceiptPart("system_prompt", m.NOT_KNOWN),
        m.ReceiptPart("tool_schemas", m.NOT_KNOWN),
        m.ReceiptPart("pinned_anchors", estimated(400)),
        m.ReceiptPart("fold_summaries", m.counted(0)),
        m.ReceiptPart("raw_recent_history", estimated(110_400), HISTORY_PARTS),
        m.ReceiptPart("other", measured(31_500)),
    ),
    per_tool=(),
    overhead=estimated(400),
    cache=m.CacheState(
        m.Verdict.PARTIAL_REUSE, m.Basis.MEASURED, measured(0.91), "one new tool result"
    ),
    pressure=m.Pressure.RELAXED,
    trigger_tokens=150_000,
    target_tokens=90_000,
    counter="o200k_base",
    backend="none",
    price=estimated(0.07),
    session_price=estimated(1.84),
    evicted_tokens=m.counted(0),
    compactions=1,
)


def _history() -> tuple[m.Receipt, ...]:
    totals = [14, 22, 34, 47, 61, 80, 96, 118, 139, 151, 62, 70, 78, 90, 101, 112, 125, 133, 142]
    receipts = [
        replace(RECEIPT, turn=24 + i, total=measured(k * 1000), compactions=int(i >= 10))
        for i, k in enumerate(totals)
    ]
    return tuple(reversed(receipts))


def item(seq: int, tool: str, preview: str, before: int, rungs: tuple[m.Rung, ...]) -> m.PlanItem:
    return m.PlanItem(
        f"ep_{seq}", seq, m.Role.TOOL, tool, preview, before, rungs[-1].tokens, m.Tier.LIVE,
        rungs[-1].tier, rungs, 1.2,
        (
            m.Contribution("recency", 0.4, "32 turns ago"),
            m.Contribution("role", 3.3, "tool result"),
            m.Contribution("size", -2.0, f"{before:,} tokens"),
            m.Contribution("tool", -0.5, tool),
        ),
        f"g{seq}", "2 failures, exit code 1" if tool == "Bash" else "",
    )  # fmt: skip


def down(masked: int, referenced: int | None = None) -> tuple[m.Rung, ...]:
    first = m.Rung(m.Tier.MASKED, masked)
    return (first,) if referenced is None else (first, m.Rung(m.Tier.REFERENCED, referenced))


ITEMS = (
    item(88, "Read", "src/schema.sql", 9_120, down(812, 64)),
    item(91, "Bash", "pytest -q\nFAILED tests/test_auth.py::test_login", 6_402, down(880)),
    item(89, "Read", "src/models.py", 7_044, down(640, 71)),
    item(93, "Read", "docs/api.md", 5_510, down(590, 58)),
)

PLAN = m.Plan(
    session_id=SESSION, pressure=m.Pressure.COMPACTING, items=ITEMS, window=m.counted(200_000),
    tokens_before=measured(152_000), tokens_after=predicted(124_997),
    tokens_freed=estimated(27_003), target_tokens=90_000, trigger_tokens=150_000,
    prefix_kept=estimated(64_200), tokens_to_prefill=estimated(46_800), price=estimated(0.16),
    break_even_turns=14, savings_curve=(152_000, 142_944, 137_422, 130_449, 124_997),
    profile="balanced", reaches_target=False,
)  # fmt: skip

PROPOSALS = (
    m.Proposal("pr_0000000000000000000p12", m.ProposalKind.EVICTION, m.ProposalStatus.PENDING,
               SESSION, {}, "rev", "agent", at("10:42:00"), at("23:00:00"), plan=PLAN),
    m.Proposal("pr_0000000000000000000p13", m.ProposalKind.ANCHOR, m.ProposalStatus.PENDING,
               SESSION, {"content": "Never edit generated migrations.",
                         "kind": "safety_constraint", "scope": "project",
                         "excerpt": "please never edit generated migrations, ok?",
                         "rule": "never", "confidence": 0.7},
               "rev", "engine", at("10:40:59"), at("23:00:00")),
)  # fmt: skip


def _stale(number: int, name: str, place: str, said: str, now: str | None, why: str) -> Any:
    anchor = m.StaleAnchor("symbol", f"f_{number}", name, place, "a", now and "b", said, now, why)
    return m.AtlasEntry(
        f"at_{number}", f"{name}: {said}", "dream", at("10:20:00"), True, (anchor,)
    )


STALE = m.Staleness(
    41, 3, 3 / 41,
    (
        _stale(1, "auth.check_user", "src/auth.py:41", "def check_user(email: str) -> bool",
               "def check_user(user_id: int) -> bool", "signature changed"),
        _stale(2, "retry.policy", "src/net.py:12", "class policy", None, "deleted"),
        _stale(3, "store.open", "src/store.py:8", "def open(path)", "def open(path, mode)",
               "signature changed"),
    ),
)  # fmt: skip


def _pin(number: int, kind: m.AnchorKind, scope: m.Scope, text: str, cost: int) -> m.Anchor:
    return m.Anchor(f"an_{number}", kind, scope, text, None, "person", cost, at("10:00:00"))


ANCHORS = (
    _pin(1, m.AnchorKind.SAFETY_CONSTRAINT, m.Scope.PROJECT, "Never force-push to main.", 9),
    _pin(2, m.AnchorKind.SAFETY_CONSTRAINT, m.Scope.PROJECT, "No network in tests.", 7),
    _pin(3, m.AnchorKind.TASK_CONTRACT, m.Scope.SESSION, "All endpoints return JSON.", 8),
    _pin(4, m.AnchorKind.USER_CORRECTION, m.Scope.SESSION, "The limit is seven.", 6),
)

MAP = m.RepoMap(
    "core/engine.py:\n  class Engine\n    async def open(root)\nstore/db.py:\n  class Database\n"
    "    async def read(work)\nsrc/auth.py:\n  def check_user(user_id: int)\n",
    2_011, 2_048,
    (m.RankedFile("core/engine.py", 1.0), m.RankedFile("store/db.py", 0.83),
     m.RankedFile("src/auth.py", 0.61)),
    ("core/engine.py", "store/db.py", "src/auth.py"), at("10:41:00"),
    {"parsed": 412, "binary": 2, "too_large": 1},
)  # fmt: skip

TIERS = m.Tiers(
    SESSION,
    (
        m.TierCount(m.Tier.LIVE, 61, estimated(107_100)),
        m.TierCount(m.Tier.MASKED, 14, estimated(3_100)),
        m.TierCount(m.Tier.REFERENCED, 9, estimated(200)),
        m.TierCount(m.Tier.ARCHIVED, 31, m.counted(0)),
        m.TierCount(m.Tier.DROPPED, 0, m.counted(0)),
    ),
    118, ITEMS,
)  # fmt: skip

EVENTS = (
    e.Event(1, e.SESSION_OPENED, at("09:58:00"), "engine", SESSION, SESSION,
            {"harness": "claude-code"}),
    e.Event(2, e.INDEX_UPDATED, at("10:41:50"), "watcher", None, None,
            {"path": "src/auth.py", "facts": 3}),
    e.Event(3, e.RECALL_RAN, at("10:42:01"), "agent", SESSION, None,
            {"query": "retry policy", "hits": 8}),
    e.Event(4, e.PROPOSAL_STORED, at("10:42:02"), "agent", SESSION, "pr_p12",
            {"kind": "eviction", "preview": "evict 4 turns"}),
    e.Event(5, e.EPISODE_COMMITTED, at("10:42:07"), "agent", SESSION, "ep_214",
            {"seq": 214, "turn": 42, "role": "assistant", "tool": None, "tokens": 412,
             "preview": "I moved the check to the store."}),
)  # fmt: skip


@dataclass
class FakeProposals:
    """Decisions, remembered."""

    waiting: tuple[m.Proposal, ...] = PROPOSALS
    decided: list[tuple[Any, ...]] = field(default_factory=list)
    refuse: Sakur4Error | None = None

    async def pending(self) -> tuple[m.Proposal, ...]:
        return self.waiting

    def _take(self, *decision: Any) -> None:
        if self.refuse is not None:
            raise self.refuse
        self.decided.append(decision)
        self.waiting = tuple(p for p in self.waiting if p.proposal_id != decision[1])

    async def approve(self, proposal_id: str, items: Any = None, *, by: str) -> None:
        self._take("approve", proposal_id, items, by)

    async def reject(self, proposal_id: str, reason: str, *, by: str) -> None:
        self._take("reject", proposal_id, reason, by)

    async def undo(self, proposal_id: str, *, by: str) -> None:
        self._take("undo", proposal_id, by)


REACH = Reach(True, HOOKED, (), 1)


class FakeEngine:
    """What the interface asks of an engine, answered from this scene."""

    def __init__(self, tmp_path: Path, **tui: Any) -> None:
        self.project = SimpleNamespace(root=Path("/somewhere/myrepo"), project_id="p1")
        self.settings = Settings(tui=TuiSettings(animations=False, **tui))
        self.home = Home(tmp_path, tmp_path)
        self.workspace = SimpleNamespace(clock=FakeClock(NOW))
        self.events = EventBus()
        self.proposals = FakeProposals()
        self.sessions = self
        self.known: dict[str, Any] = {
            "sessions": SESSIONS, "receipt": RECEIPT, "receipts": _history(), "tiers": TIERS,
            "staleness": STALE, "anchors": ANCHORS, "repo_map": MAP, "events": EVENTS,
            "plan": PLAN, "reach": REACH,
        }  # fmt: skip
        self.asked: list[tuple[str, Any]] = []

    async def _answer(self, name: str, argument: Any = None) -> Any:
        self.asked.append((name, argument))
        value = self.known[name]
        if isinstance(value, Exception):
            raise value
        return value

    async def list(self) -> Any:
        return await self._answer("sessions")

    async def status(self) -> Any:
        return None

    async def receipt(self, session_id: str) -> Any:
        return await self._answer("receipt", session_id)

    async def receipts(self, session_id: str, limit: int) -> Any:
        return await self._answer("receipts", session_id)

    async def tiers(self, session_id: str) -> Any:
        return await self._answer("tiers", session_id)

    async def reach(self, session_id: str) -> Any:
        return await self._answer("reach", session_id)

    async def staleness(self) -> Any:
        return await self._answer("staleness")

    async def anchors(self, session_id: str | None) -> Any:
        return await self._answer("anchors", session_id)

    async def repo_map(self, budget: int) -> Any:
        return await self._answer("repo_map", budget)

    async def recent_events(self, limit: int) -> Any:
        return await self._answer("events", limit)

    async def preview_plan(self, session_id: str, *, without: Any = ()) -> Any:
        plan = await self._answer("plan", frozenset(without))
        left = tuple(i for i in plan.items if i.episode_id not in set(without))
        freed = sum(i.tokens_before - i.tokens_after for i in left)
        return replace(plan, items=left, tokens_freed=estimated(freed))

    async def plan_eviction(self, session_id: str, *, asked_by: str) -> m.Proposal:
        return PROPOSALS[0]


def empty(engine: FakeEngine) -> FakeEngine:
    """The same engine before any agent came."""
    engine.known |= {
        "sessions": (), "staleness": m.Staleness(0, 0, 0.0, ()), "anchors": (),
        "repo_map": m.RepoMap("", 0, 2_048, (), (), None, {}), "events": (),
    }  # fmt: skip
    engine.proposals.waiting = ()
    return engine


def opening_of(engine: Any) -> Opening:
    """The project, settings and clock of an engine that stands already."""
    clock = engine.workspace.clock
    return Opening(engine.project.root, None, engine.settings, engine.home, "tui", clock)


def gate_of(engine: Any) -> EngineGate:
    """A gate that gives this engine."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Any]:
        yield engine

    return EngineGate(opened)
