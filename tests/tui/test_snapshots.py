"""How the screens look. Each picture is one state; its docstring says what must be seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from .conftest import screen_text, settle
from .scene import FakeEngine, empty

Compare = Callable[..., bool]
SIZES = {"wide": (120, 40), "medium": (80, 24), "narrow": (60, 20)}


def keys(*names: str) -> Callable[[Pilot[Any]], Any]:
    async def press(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        for name in names:
            await pilot.press(name)
            await pilot.pause()
        await settle(pilot)

    return press


@pytest.mark.parametrize("size", SIZES)
def test_main(snap_compare: Compare, open_app: Any, fake: FakeEngine, size: str) -> None:
    """Wide: seven panes. Medium: short receipt, inbox, a line per other pane. Narrow: inbox only.
    The first line tells fill, what is next, money where it fits, what waits, what is stale."""
    assert snap_compare(open_app(fake), terminal_size=SIZES[size], run_before=keys())


@pytest.mark.parametrize("size", SIZES)
def test_empty(snap_compare: Compare, open_app: Any, fake: FakeEngine, size: str) -> None:
    """Before any agent: each pane says why it is empty; no 0 stands for what is not known."""
    app = open_app(empty(fake))
    assert snap_compare(app, terminal_size=SIZES[size], run_before=keys())


def test_light(snap_compare: Compare, open_app: Any, fake: FakeEngine) -> None:
    """The light theme, same places, same signs."""
    app = open_app(fake, theme="sakur4-light")
    assert snap_compare(app, terminal_size=SIZES["wide"], run_before=keys())


def test_ascii(snap_compare: Compare, open_app: Any, tmp_path: Path) -> None:
    """No character beyond ASCII: borders, signs, bars, marks."""
    app = open_app(FakeEngine(tmp_path, ascii=True))
    assert snap_compare(app, terminal_size=SIZES["medium"], run_before=keys())


def test_zoomed_receipt(snap_compare: Compare, open_app: Any, fake: FakeEngine) -> None:
    """The receipt alone over the whole screen; parts that are not reported are named."""
    assert snap_compare(open_app(fake), terminal_size=SIZES["medium"], run_before=keys("1", "z"))


@pytest.mark.parametrize("size", ["wide", "medium"])
def test_plan_review(snap_compare: Compare, open_app: Any, fake: FakeEngine, size: str) -> None:
    """Head with figures and marks; one item taken out; reasons of the selected one."""
    app = open_app(fake)
    assert snap_compare(app, terminal_size=SIZES[size], run_before=keys("enter", "down", "space"))


def test_help(snap_compare: Compare, open_app: Any, fake: FakeEngine) -> None:
    """Every key of the inbox, the main screen, lists and the whole program; the signs below."""
    assert snap_compare(
        open_app(fake), terminal_size=SIZES["wide"], run_before=keys("question_mark")
    )


def test_sessions(snap_compare: Compare, open_app: Any, fake: FakeEngine) -> None:
    """Two sessions, the shown one ticked, each with its age."""
    assert snap_compare(open_app(fake), terminal_size=SIZES["medium"], run_before=keys("s"))


def test_too_small(snap_compare: Compare, open_app: Any, fake: FakeEngine) -> None:
    """One sentence: what is needed, what there is, what to do."""
    assert snap_compare(open_app(fake), terminal_size=(50, 15), run_before=keys())


async def test_ascii_is_ascii(open_app: Any, tmp_path: Path) -> None:
    app = open_app(FakeEngine(tmp_path, ascii=True))
    async with app.run_test(size=SIZES["wide"]) as pilot:
        await settle(pilot)
        assert screen_text(app).isascii()
        await pilot.press("enter")
        await pilot.pause()
        assert screen_text(app).isascii()
