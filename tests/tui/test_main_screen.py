"""What the main screen does: keys, decisions, sessions, live events, failures."""

from __future__ import annotations

from typing import Any

import pytest
from sakur4_core import events as e
from sakur4_core import models as m
from sakur4_core.errors import AlreadyDecided, StoreBusy
from sakur4_core.harness.reach import Reach

from sakur4_tui.actions import PANES
from sakur4_tui.screens.help import HelpScreen
from sakur4_tui.screens.main import MainScreen, arrangement
from sakur4_tui.screens.plan import PlanScreen
from sakur4_tui.screens.reason import ReasonScreen
from sakur4_tui.widgets.activity import ActivityPane
from sakur4_tui.widgets.inbox import InboxPane

from .conftest import screen_text, settle, until
from .scene import ANCHORS, PROPOSALS, RECEIPT, SESSION, SESSIONS, FakeEngine, at

PLAN, PIN = (proposal.proposal_id for proposal in PROPOSALS)


@pytest.mark.parametrize(
    ("size", "kind"),
    [
        ((120, 40), "wide"), ((119, 40), "medium"), ((120, 29), "medium"), ((80, 24), "medium"),
        ((79, 24), "narrow"), ((80, 23), "narrow"), ((60, 20), "narrow"), ((59, 20), "tiny"),
        ((60, 19), "tiny"),
    ],
)  # fmt: skip
def test_arrangement_fits_the_terminal(size: tuple[int, int], kind: str) -> None:
    assert arrangement(*size) == kind


async def test_approve_acts_at_once_and_can_be_undone(open_app: Any, fake: FakeEngine) -> None:
    app = open_app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "undo" not in screen_text(app).splitlines()[-1]
        await pilot.press("a")
        await until(pilot, lambda: bool(fake.proposals.decided))
        await settle(pilot)
        assert fake.proposals.decided == [("approve", PLAN, None, "person")]
        assert app.query_one(InboxPane).selected == PROPOSALS[1]
        assert "undo" in screen_text(app).splitlines()[-1]
        await pilot.press("u")
        await until(pilot, lambda: len(fake.proposals.decided) == 2)
        assert fake.proposals.decided[-1] == ("undo", PLAN, "person")


async def test_reject_asks_for_a_reason(open_app: Any, fake: FakeEngine) -> None:
    app = open_app(fake)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("down", "x")
        await pilot.pause()
        assert isinstance(app.screen, ReasonScreen)
        await pilot.press(*"aqz x", "enter")
        await until(pilot, lambda: bool(fake.proposals.decided))
        assert fake.proposals.decided == [("reject", PIN, "aqz x", "person")]


async def test_escape_keeps_it_waiting(open_app: Any, fake: FakeEngine) -> None:
    app = open_app(fake)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("x", "n", "escape")
        await settle(pilot)
        assert app.screen is app.main
        assert fake.proposals.decided == []


async def test_a_refused_decision_says_why(open_app: Any, fake: FakeEngine) -> None:
    fake.proposals.refuse = AlreadyDecided("It was decided before.", "See the activity.")
    app = open_app(fake)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("a")
        await until(pilot, lambda: "It was decided before." in screen_text(app))


async def test_keys_reach_every_pane(open_app: Any, fake: FakeEngine) -> None:
    app = open_app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for number, name in enumerate(PANES, 1):
            await pilot.press(str(number))
            await until(pilot, lambda name=name: app.focused.id == name)
        seen = []
        for _ in PANES:
            await pilot.press("tab")
            await pilot.pause()
            seen.append(app.focused.id)
        assert seen == list(PANES)
        await pilot.press("shift+tab")
        await until(pilot, lambda: app.focused.id == PANES[-2])


async def test_zoom_and_back(open_app: Any, fake: FakeEngine) -> None:
    app = open_app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("4", "z")
        await until(pilot, lambda: app.query_one("#stale").size.width > 100)
        assert not app.query_one("#receipt").display
        await pilot.press("5")
        await until(pilot, lambda: app.query_one("#anchors").size.width > 100)
        await pilot.press("escape")
        await until(pilot, lambda: app.query_one("#receipt").display)
        assert app.focused.id == "anchors"


async def test_resize_keeps_focus_and_selection(open_app: Any, fake: FakeEngine) -> None:
    app = open_app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("down")
        for size in ((80, 24), (60, 20), (40, 10), (120, 40)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        assert app.focused.id == "inbox"
        assert app.query_one(InboxPane).cursor == PIN


async def test_help_from_either_key_names_every_action(open_app: Any, fake: FakeEngine) -> None:
    app = open_app(fake)
    async with app.run_test(size=(120, 60)) as pilot:
        await settle(pilot)
        for key in ("question_mark", "f1"):
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, HelpScreen))
            assert "Approve the selected item." in screen_text(app)
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is app.main)


async def test_palette_finds_and_runs_an_action(open_app: Any, fake: FakeEngine) -> None:
    app = open_app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: "Approve the selected item" in screen_text(app))
        await pilot.press(*"whole screen")
        await until(pilot, lambda: "Approve the selected item" not in screen_text(app))
        await until(pilot, lambda: "Give the whole screen" in screen_text(app))
        await pilot.press("enter")
        await pilot.press("enter")
        await until(pilot, lambda: app.main.zoomed)


async def test_plan_review_takes_items_out_and_approves_the_rest(
    open_app: Any, fake: FakeEngine
) -> None:
    app = open_app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, PlanScreen))
        await pilot.press("space")
        await until(pilot, lambda: ("plan", frozenset({"ep_88"})) in fake.asked)
        await until(pilot, lambda: "≈17.9k" in screen_text(app))
        await pilot.press("a")
        await until(pilot, lambda: bool(fake.proposals.decided))
        assert fake.proposals.decided[0][2] == ("ep_91", "ep_89", "ep_93")
        await until(pilot, lambda: app.screen is app.main)


async def test_plan_preview_is_stored_before_it_is_approved(
    open_app: Any, fake: FakeEngine
) -> None:
    app = open_app(fake)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("p")
        await until(pilot, lambda: isinstance(app.screen, PlanScreen))
        assert "Plan preview" in screen_text(app)
        await pilot.press("a")
        await until(pilot, lambda: bool(fake.proposals.decided))
        assert fake.proposals.decided[0][1] == PLAN


async def test_events_move_what_they_concern(open_app: Any, fake: FakeEngine) -> None:
    app = open_app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        fake.asked.clear()
        detail = {"seq": 215, "role": "user", "tokens": 9, "preview": "go on"}
        fake.events.publish(
            e.Event(9, e.EPISODE_COMMITTED, at("10:42:13"), "agent", SESSION, "ep_215", detail)
        )
        await until(pilot, lambda: "#215 user" in screen_text(app))
        await settle(pilot)
        asked = {name for name, _ in fake.asked}
        assert {"receipt", "tiers"} <= asked
        assert "repo_map" not in asked


async def test_a_flood_of_events_costs_few_reads(open_app: Any, fake: FakeEngine) -> None:
    app = open_app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        fake.asked.clear()
        for seq in range(10, 3_010):
            fake.events.publish(
                e.Event(seq, e.EPISODE_COMMITTED, at("10:42:13"), "agent", SESSION, f"e{seq}")
            )
        feed = app.query_one(ActivityPane)
        await until(pilot, lambda: feed.events[-1].seq == 3_009)
        await settle(pilot)
        assert sum(name == "receipt" for name, _ in fake.asked) < 10


async def test_paused_holds_and_resumes(open_app: Any, fake: FakeEngine) -> None:
    app = open_app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("space")
        await until(pilot, lambda: "paused" in screen_text(app))
        fake.events.publish(e.Event(9, e.ATLAS_WRITTEN, at("10:42:13"), "dream", None, "at_9"))
        await until(pilot, lambda: bool(app.main._held))
        assert app.query_one(ActivityPane).events[-1].seq == 5
        await pilot.press("space")
        await until(pilot, lambda: app.query_one(ActivityPane).events[-1].seq == 9)


async def test_switching_the_session_reads_its_own(open_app: Any, fake: FakeEngine) -> None:
    app = open_app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("s", "down", "enter")
        await until(pilot, lambda: app.main.session_id == SESSIONS[1].session_id)
        await settle(pilot)
        assert ("receipt", SESSIONS[1].session_id) in fake.asked
        assert "codex s:a210" in screen_text(app)


async def test_what_cannot_be_read_says_so_in_its_place(open_app: Any, fake: FakeEngine) -> None:
    fake.known["receipt"] = StoreBusy("The store is busy.", "It is tried again.")
    fake.known["anchors"] = RuntimeError("boom")
    app = open_app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        text = screen_text(app)
        assert "The store is busy." in text
        assert "2 not readable" in text
        assert "Traceback" not in text
        fake.known["receipt"] = RECEIPT
        await pilot.press("f5")
        await until(pilot, lambda: "142.3k" in screen_text(app))


async def test_unknown_is_never_nought(open_app: Any, fake: FakeEngine) -> None:
    from dataclasses import replace

    unknown = m.NOT_KNOWN
    fake.known["receipt"] = replace(
        RECEIPT, total=unknown, fill=unknown, window=unknown, price=unknown,
        session_price=unknown, trigger_tokens=None, target_tokens=None,
        cache=m.CacheState(m.Verdict.UNKNOWN, m.Basis.UNKNOWN),
    )  # fmt: skip
    app = open_app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        first = screen_text(app).splitlines()[0]
        assert "window ?/? ?" in first
        assert "price ?" in first
        assert "price not known" in screen_text(app)


async def test_mouse_selects_and_footer_acts(open_app: Any, fake: FakeEngine) -> None:
    app = open_app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.click("#inbox", offset=(5, 7))
        await until(pilot, lambda: app.query_one(InboxPane).cursor == PIN)
        column = screen_text(app).splitlines()[-1].index("quit")
        await pilot.click("KeyBar", offset=(column, 0))
        await until(pilot, lambda: not app.is_running or app._exit)


def test_the_main_screen_is_the_default(open_app: Any, fake: FakeEngine) -> None:
    assert isinstance(open_app(fake).main, MainScreen)


async def test_a_cycle_of_the_consolidator_shows_how_far_it_is(
    open_app: Any, fake: FakeEngine
) -> None:
    app = open_app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        told = {"doing": "promoting", "done": 3, "total": 12}
        fake.events.publish(e.Event(9, e.DREAM_PROGRESSED, at("10:42:13"), "dream", detail=told))
        await until(pilot, lambda: "promoting ███░░░░░░░░░ 3/12" in screen_text(app))
        done = {"reason": "done", "promoted": 12}
        fake.events.publish(e.Event(10, e.DREAM_FINISHED, at("10:42:14"), "dream", detail=done))
        await until(pilot, lambda: "3/12" not in screen_text(app))
        # A cycle whose process was killed a while ago told of no end.
        fake.events.publish(e.Event(11, e.DREAM_PROGRESSED, at("10:40:00"), "dream", detail=told))
        await settle(pilot)
        assert "3/12" not in screen_text(app)


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_a_rule_that_the_agent_does_not_have_is_named(
    open_app: Any, fake: FakeEngine, size: tuple[int, int]
) -> None:
    gone = ANCHORS[1]
    fake.known["reach"] = Reach(False, "advised only: it is told", (gone.anchor_id,), 1)
    app = open_app(fake)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        text = screen_text(app)
        assert gone.content.split(" in ")[0] in text
        assert "not in context" in text
        assert "advised only" in text
