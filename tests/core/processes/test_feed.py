"""The feed across processes: in order, without loss, and honest where it falls behind."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sakur4_core.engine import Engine
from sakur4_core.events import RECALL_RAN, Event, EventBus

BURST = 5_000


@contextmanager
def bursting(store: str, events: int, size: int) -> Iterator[subprocess.Popen[str]]:
    """A process that has the store open and emits once its input is closed."""
    process = subprocess.Popen(
        [
            sys.executable,
            str(Path(__file__).with_name("burst.py")),
            store,
            str(events),
            str(size),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "open\n"
        yield process
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


async def test_a_burst_of_two_processes_arrives_whole_and_in_order(engine: Engine) -> None:
    store = str(engine.workspace.place.file)
    seen: list[Event] = []
    async with engine.events.subscribe() as events:
        with ExitStack() as stack:
            for size in (7, 50):
                process = stack.enter_context(bursting(store, BURST // 2, size))
                assert process.stdin is not None
                process.stdin.close()
            async with asyncio.timeout(60):
                while len(seen) < BURST:
                    event = await events.get()
                    if event.kind == RECALL_RAN:
                        seen.append(event)
        assert not events.lagged
    places = [event.seq for event in seen]
    assert places == sorted(set(places))
    assert places[-1] - places[0] == BURST - 1
    subjects = sorted(int(event.subject or -1) for event in seen)
    assert subjects == sorted([*range(BURST // 2), *range(BURST // 2)])


async def test_a_subscriber_that_does_not_keep_up_is_told_and_has_the_newest(
    engine: Engine,
) -> None:
    capacity = EventBus()._capacity

    def work(tx: object) -> None:
        for number in range(BURST):
            tx.emit(RECALL_RAN, actor="agent", subject=str(number))  # type: ignore[attr-defined]

    async with engine.events.subscribe() as slow, engine.events.subscribe() as quick:
        await engine.workspace.database.write(work)
        async with asyncio.timeout(60):
            async for event in quick:
                if event.subject == str(BURST - 1):
                    break
        assert slow.lagged
        waiting = slow.drain()
        assert [event.subject for event in waiting] == [
            str(number) for number in range(BURST - capacity, BURST)
        ]
        assert not slow.lagged
        await engine.workspace.database.write(lambda tx: tx.emit(RECALL_RAN, actor="agent"))
        assert (await slow.get()).seq == waiting[-1].seq + 1


async def test_field_defect_11_a_read_right_after_a_write_sees_it(engine: Engine) -> None:
    for number in range(50):
        committed = await engine.commit_episode("assistant", f"step {number}", session_id="s")
        newest, *_ = await engine.episodes.page(limit=1)
        assert newest.episode_id == committed.episode_id
        assert (await engine.status()).episodes == number + 1
