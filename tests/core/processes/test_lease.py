"""The lease and the list of processes after a death."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from sakur4_core.engine import Engine
from sakur4_core.paths import Home

# A poll of the lease takes 2 s; the promise is 5 s on a machine that has time.
HAND_OVER_S = 5.0
BUSY_MACHINE = 4


@contextmanager
def held(project: Path, home: Home, kind: str) -> Iterator[subprocess.Popen[str]]:
    """Another process with an engine on the project's store; killed at the end at the latest."""
    script = Path(__file__).with_name("holder.py")
    process = subprocess.Popen(
        [sys.executable, str(script), str(project), str(home.data), kind],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait for a condition, bounded."""
    async with asyncio.timeout(HAND_OVER_S * BUSY_MACHINE):
        while not await condition():
            await asyncio.sleep(0.05)


@pytest.fixture
async def second(project: Path, home: Home) -> AsyncIterator[Callable[[], Awaitable[Engine]]]:
    """Opens an engine that wants the lease, in this process."""
    opened = []

    async def opener() -> Engine:
        context = Engine.open(project, home=home, kind="serve")
        opened.append(context)
        return await context.__aenter__()

    yield opener
    for context in opened:
        await context.__aexit__(None, None, None)


async def test_the_lease_of_a_killed_process_goes_to_another_within_seconds(
    project: Path, home: Home, second: Callable[[], Awaitable[Engine]]
) -> None:
    with held(project, home, "serve") as holder:
        engine = await second()
        status = await engine.status()
        assert (status.lease_holder, status.holds_lease) == (holder.pid, False)
        assert {process.pid for process in status.processes} >= {holder.pid}
        children = psutil.Process(holder.pid).children(recursive=True)
        holder.kill()
        holder.wait()

        async def taken_over() -> bool:
            return (await engine.status()).holds_lease

        await until(taken_over)
        pids = {process.pid for process in (await engine.status()).processes}
        assert holder.pid not in pids

        async def childless() -> bool:
            return not any(child.is_running() for child in children)

        await until(childless)


async def test_a_killed_process_is_no_longer_listed(
    project: Path, home: Home, second: Callable[[], Awaitable[Engine]]
) -> None:
    engine = await second()
    with held(project, home, "tui") as other:
        assert engine.person_is_watching()
        assert any(process.pid == other.pid for process in engine.processes())
    assert not engine.person_is_watching()
    assert all(process.pid != other.pid for process in engine.processes())
    names = [file.name for file in engine.workspace.place.presence.iterdir()]
    assert not [name for name in names if name.startswith("tui-")]


async def test_a_process_of_a_passing_kind_never_takes_the_lease(
    engine: Engine, second: Callable[[], Awaitable[Engine]]
) -> None:
    assert (await engine.status()).lease_holder is None
    serving = await second()

    async def has_it() -> bool:
        return (await serving.status()).holds_lease

    await until(has_it)
    assert not (await engine.status()).holds_lease
