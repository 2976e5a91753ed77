"""Codex's rollouts, forked and cut anywhere: each turn arrives once, with right totals."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sakur4_core.engine import Engine

from .codex_world import Threads
from .watching import Watching, everything, made_up_project, reported, spent, watching

STEPS = (
    *("talk",) * 4,
    *("write",) * 6,
    *("look",) * 3,
    *("fork",) * 2,
    "compact",
    "replace",
    "restart",
)
Step = tuple[str, int, int]
scripts = st.lists(
    st.tuples(st.sampled_from(STEPS), st.integers(0, 7), st.integers(0, 3_000)),
    min_size=4,
    max_size=30,
)


async def play(threads: Threads, watch: Watching, script: list[Step]) -> None:
    """Take the steps; what a step cannot be taken on is left out."""
    for name, which, amount in script:
        file = threads.files[which % len(threads.files)]
        match name:
            case "talk":
                threads.talk(file, amount)
            case "write":
                file.write(amount)
                await watch.look(amount % 2)
            case "look":
                await watch.look(1 + amount % 4)
            case "fork" if len(file.on_disk()) > 1:
                threads.fork(
                    file,
                    restamped=amount % 2 == 1,
                    restarts=amount % 3 == 1,
                    spawned=amount % 5 == 1,
                )
            case "compact":
                threads.compact(file)
            case "replace" if file.path.exists():
                other = file.path.with_suffix(".new")
                other.write_bytes(file.path.read_bytes())
                other.replace(file.path)
            case "restart":
                await watch.restart()


async def check(threads: Threads, engine: Engine) -> None:
    """Hold the store against the reference."""
    found = await everything(engine)
    said: dict[str, list[str]] = {}
    for _, session, content, *_ in found["episodes"]:
        said.setdefault(session, []).append(content)
    assert said == {file.session: file.said for file in threads.files if file.said}
    calls, read_in, created, cached, output = await spent(engine)
    assert (calls, created) == (len(threads.calls), 0)
    assert (read_in, cached, output) == threads.totals
    assert len(found["compactions"]) == threads.compactions
    assert (await engine.verify()).ok


@settings(max_examples=40, deadline=None)
@given(script=scripts, turn_ids=st.booleans())
async def test_each_turn_of_a_rollout_arrives_once_in_order_with_right_totals(
    tmp_path_factory: pytest.TempPathFactory, script: list[Step], turn_ids: bool
) -> None:
    base = tmp_path_factory.mktemp("threads")
    root = made_up_project(base)
    threads = Threads(root, base / "home", turn_ids)
    async with watching(root, base / "home") as watch:
        threads.talk(threads.files[0], 1)
        await play(threads, watch, script)
        for file in threads.files:
            file.write()
        await watch.settle()
        assert watch.follower.degraded == ()
        await check(threads, watch.engine)
        before = await everything(watch.engine)
        again = await watch.engine.importer.run(threads.sessions)
        assert again.new_episodes == 0
        assert await everything(watch.engine) == before
        report = again.report
        assert (report.api_messages, report.compactions) == (
            len(threads.calls),
            threads.compactions,
        )
        assert threads.totals == (
            report.input_tokens,
            report.cache_read_tokens,
            report.output_tokens,
        )
        async with watching(root, base / "other") as other:
            await other.engine.importer.run(threads.sessions)
            assert await reported(other.engine) == await reported(watch.engine)


@pytest.mark.parametrize("restamped", [True, False])
async def test_a_fork_whose_parent_is_gone_holds_its_own_turns_only(
    tmp_path_factory: pytest.TempPathFactory, restamped: bool
) -> None:
    base = tmp_path_factory.mktemp("orphan")
    root = made_up_project(base)
    threads = Threads(root, base / "home")
    (parent,) = threads.files
    threads.talk(parent, 1)
    parent.write()
    child = threads.fork(parent, restamped=restamped, restarts=False)
    parent.path.unlink()
    threads.files.remove(parent)
    threads.calls.clear()
    threads.talk(child, 1)
    child.write()
    async with watching(root, base / "home") as watch:
        await watch.settle()
        assert watch.follower.degraded == ()
        await check(threads, watch.engine)


async def test_a_fork_that_counts_anew_is_counted_in_full(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Its own first call is larger than all that its parent spent: no total ever falls."""
    base = tmp_path_factory.mktemp("anew")
    root = made_up_project(base)
    threads = Threads(root, base / "home", turn_ids=False)
    (parent,) = threads.files
    threads.talk(parent, 2)
    parent.write()
    child = threads.fork(parent, restamped=True, restarts=True)
    threads.talk(child, 3_000)
    child.write()
    async with watching(root, base / "home") as watch:
        await watch.settle()
        await check(threads, watch.engine)
