"""The interface over the made-up afternoon, and where its pictures are kept."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from pytest_textual_snapshot import SVGImageExtension
from syrupy.location import PyTestLocation
from textual.pilot import Pilot

from sakur4_tui.app import Sakur4App

from .scene import FakeEngine, gate_of, opening_of

if TYPE_CHECKING:
    pass

SNAPSHOTS = Path(__file__).parents[2] / "snapshots"


def _dirname(cls: type, *, test_location: PyTestLocation) -> str:
    return str(SNAPSHOTS / Path(test_location.filepath).stem)


SVGImageExtension.dirname = classmethod(_dirname)  # type: ignore[method-assign,assignment]


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures do not depend on who runs the tests, where or when."""
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    for name in ("NO_COLOR", "COLORTERM", "TEXTUAL_THEME", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def fake(tmp_path: Path) -> FakeEngine:
    return FakeEngine(tmp_path)


@pytest.fixture
def open_app() -> Callable[..., Sakur4App]:
    """An app over a fake engine, times shown in UTC."""

    def opener(engine: Any, **options: Any) -> Sakur4App:
        return Sakur4App(opening_of(engine), gate_of(engine), zone=UTC, **options)

    return opener


async def settle(pilot: Pilot[Any]) -> None:
    """Wait until every topic was read once and what came of it is drawn."""
    main = cast(Sakur4App, pilot.app).main
    for _ in range(200):
        await pilot.pause()
        if main.facts.sessions is not None and not main.reading:
            break
    else:
        raise AssertionError("the main screen did not come to rest")
    await pilot.pause()
    await pilot.pause()


async def until(pilot: Pilot[Any], condition: Callable[[], bool]) -> None:
    """Wait for a condition, at most 200 turns of the loop."""
    for _ in range(200):
        if condition():
            await pilot.pause()
            return
        await pilot.pause()
    raise AssertionError("the condition did not come true")


def screen_text(app: Sakur4App) -> str:
    """What stands on the screen, as text."""
    width, height = app.size
    strips = app.screen._compositor.render_strips()
    assert len(strips) <= height + 1 and width
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)
