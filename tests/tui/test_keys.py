"""Keys come from one registry; the person's own are checked before they are used."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sakur4_tui.actions import ACTIONS
from sakur4_tui.keymap import PRESETS, resolve

from .conftest import settle, until
from .scene import FakeEngine


def test_ids_are_unique_and_named_by_scope() -> None:
    assert max(Counter(action.id for action in ACTIONS).values()) == 1
    assert all("." in action.id and action.help.endswith(".") for action in ACTIONS)


@pytest.mark.parametrize("preset", PRESETS)
def test_no_preset_gives_a_key_two_meanings(preset: str) -> None:
    keys = PRESETS[preset]
    everything = {action.id: keys.get(action.id, action.keys) for action in ACTIONS}
    assert resolve(preset, everything).problems == ()


def test_unknown_ids_and_conflicts_are_reported_and_left_out() -> None:
    keymap = resolve("default", {"main.zoom": "a", "main.fly": "f", "app.quit": "ctrl+q"})
    assert keymap.keys == {"app.quit": "ctrl+q"}
    assert keymap.problems == (
        "tui.keys: main.fly is not an action; help lists them.",
        "tui.keys: main.zoom = a is taken by inbox.approve.",
    )


async def test_own_keys_work_and_show(open_app: Any, tmp_path: Path) -> None:
    fake = FakeEngine(tmp_path, keys={"inbox.approve": "y"})
    app = open_app(fake)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("a")
        await pilot.press("y")
        await until(pilot, lambda: len(fake.proposals.decided) == 1)


async def test_the_vim_preset_loads(open_app: Any, tmp_path: Path) -> None:
    app = open_app(FakeEngine(tmp_path, keymap="vim"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("l")
        await until(pilot, lambda: app.focused.id == "stale")
        await pilot.press("h")
        await until(pilot, lambda: app.focused.id == "inbox")
