"""The frame stands before the engine does; a store that cannot be opened ends in one sentence."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC
from typing import Any

import pytest
from sakur4_core.errors import StoreError

from sakur4_tui.app import Sakur4App
from sakur4_tui.gate import EngineGate

from .conftest import screen_text, settle, until
from .scene import FakeEngine, opening_of


class SlowOpening:
    """An engine that opens, or fails to, when the test says so."""

    def __init__(self, engine: FakeEngine, failure: Exception | None = None) -> None:
        self.asked = asyncio.Event()
        self.let = asyncio.Event()
        self._engine, self._failure = engine, failure

    @asynccontextmanager
    async def engine(self) -> AsyncIterator[Any]:
        self.asked.set()
        await self.let.wait()
        if self._failure is not None:
            raise self._failure
        yield self._engine


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20)])
async def test_the_frame_is_drawn_before_the_engine_is_open(
    fake: FakeEngine, size: tuple[int, int]
) -> None:
    slow = SlowOpening(fake)
    gate = EngineGate(slow.engine)
    app = Sakur4App(opening_of(fake), gate, zone=UTC)
    async with app.run_test(size=size) as pilot:
        await until(pilot, slow.asked.is_set)
        drawn = screen_text(app)
        assert "3 Inbox" in drawn
        assert "Reading." in drawn
        # What was not read yet is not called empty (field defect 12).
        for word in ("no session", "othing", "No ", "live"):
            assert word not in drawn
        assert not fake.asked
        slow.let.set()
        await until(pilot, lambda: app.main.facts.sessions is not None)
        await settle(pilot)
        assert "Reading." not in screen_text(app)
    await gate.close()


@pytest.mark.parametrize("key", ["p", "u", "r", "z", "2"])
async def test_no_key_fails_while_the_engine_opens(fake: FakeEngine, key: str) -> None:
    slow = SlowOpening(fake)
    gate = EngineGate(slow.engine)
    app = Sakur4App(opening_of(fake), gate, zone=UTC)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, slow.asked.is_set)
        await pilot.press(key)
        slow.let.set()
        await settle(pilot)
    await gate.close()


@pytest.mark.parametrize(
    "failure",
    [
        StoreError("The store is newer than this program.", "Update sakur4-tui."),
        ImportError("a part of the program is missing"),
    ],
    ids=["foreseen", "unforeseen"],
)
async def test_an_engine_that_does_not_open_ends_the_program(
    fake: FakeEngine, failure: Exception
) -> None:
    slow = SlowOpening(fake, failure)
    gate = EngineGate(slow.engine)
    app = Sakur4App(opening_of(fake), gate, zone=UTC)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, slow.asked.is_set)
        slow.let.set()
        await until(pilot, lambda: app.unopened is not None)
    assert app.unopened is failure
    assert app.return_code == 1
    await gate.close()
