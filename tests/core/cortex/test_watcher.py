"""The watcher: what changes on disk is in the index soon after, and it says how it looks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from sakur4_core.cortex import watcher
from sakur4_core.cortex.cortex import Cortex
from sakur4_core.engine import Engine
from sakur4_core.events import INDEX_UPDATED, WATCHER_CHANGED, Event, Subscription

BOUND_S = 20


@asynccontextmanager
async def watching(engine: Engine) -> AsyncIterator[Subscription]:
    """A watch that has begun, and the events from then on."""
    async with engine.events.subscribe() as events:
        task = asyncio.create_task(engine.cortex.watch())
        try:
            await until(events, lambda event: event.kind == WATCHER_CHANGED)
            yield events
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def until(events: Subscription, wanted: Callable[[Event], bool]) -> Event:
    async with asyncio.timeout(BOUND_S):
        while True:
            event = await events.get()
            if wanted(event):
                return event


def updated(path: str) -> Callable[[Event], bool]:
    return lambda event: event.kind == INDEX_UPDATED and path in event.detail["paths"]


async def test_edits_new_files_and_removals_are_followed(
    engine: Engine, cortex: Cortex, project: Path, write: Any
) -> None:
    async with watching(engine) as events:
        assert cortex.watching == "native"
        assert (await engine.status()).files == 2
        # A native watch begins a moment after it is asked for: edits go on until one is seen.
        count = 0
        while not any(updated("src/auth.py")(event) for event in events.drain()):
            count += 1
            assert count < BOUND_S * 10
            write({"src/auth.py": f"def check_user(email, n={count}): ...\n"})
            with suppress(TimeoutError):
                async with asyncio.timeout(0.1):
                    await asyncio.Event().wait()
        write({"src/deep/er/new.py": "def fresh(): ...\n"})
        event = await until(events, updated("src/deep/er/new.py"))
        assert event.actor == "watcher"
        (project / "src" / "deep").rename(project / "src" / "moved")
        await until(events, updated("src/moved/er/new.py"))
        (project / "src" / "api.py").unlink()
        await until(events, updated("src/api.py"))
    assert cortex.watching == "off"
    assert (await cortex.symbol("fresh")).symbols[0].file == "src/moved/er/new.py"
    assert not (await cortex.symbol("login")).found


async def test_without_watches_it_polls_and_says_so(
    engine: Engine, cortex: Cortex, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import watchfiles

    async def refused(*_: object, **__: object) -> AsyncIterator[set[Any]]:
        raise OSError(28, "OS file watch limit reached")
        yield set()

    monkeypatch.setattr(watchfiles, "awatch", refused)
    monkeypatch.setattr(watcher, "POLL_S", 0.05)
    async with watching(engine) as events:
        event = await until(events, lambda event: event.kind == WATCHER_CHANGED)
        assert event.detail == {"watching": "polling: the system is out of file watches"}
        assert cortex.degraded == ("watcher: polling: the system is out of file watches",)
        write({"late.py": "def polled(): ...\n"})
        await until(events, updated("late.py"))


async def test_a_failing_pass_is_told_and_tried_again(
    engine: Engine, cortex: Cortex, project: Path, private_home: Path, monkeypatch: Any
) -> None:
    import watchfiles

    async def refused(*_: object, **__: object) -> AsyncIterator[set[Any]]:
        raise OSError(28, "no space left on device")
        yield set()

    monkeypatch.setattr(watchfiles, "awatch", refused)
    monkeypatch.setattr(watcher, "POLL_S", 0.05)
    monkeypatch.setenv("HOME", str(project))
    async with watching(engine) as events:
        assert any("too wide" in text for text in cortex.degraded)
        monkeypatch.setenv("HOME", str(private_home))
        await until(events, updated("src/auth.py"))
        async with asyncio.timeout(BOUND_S):
            while any("too wide" in text for text in cortex.degraded):
                await asyncio.sleep(0.01)
