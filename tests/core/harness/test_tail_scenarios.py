"""Whatever several Claude Code sessions do to their files, each turn arrives once, in order."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sakur4_core.engine import Engine

from .claude_world import World
from .watching import (
    Watching,
    everything,
    in_order,
    made_up_project,
    reported,
    spent,
    table,
    watching,
)

# How often each step is taken: writing and looking are what a session mostly consists of.
STEPS = (
    *("talk",) * 4,
    *("write",) * 6,
    *("look",) * 3,
    *("fork",) * 2,
    "rewind",
    "compact",
    "resume",
    "spawn",
    "replace",
    "cut",
    "restart",
)
Step = tuple[str, int, int]
scripts = st.lists(
    st.tuples(st.sampled_from(STEPS), st.integers(0, 7), st.integers(0, 2_000)),
    min_size=4,
    max_size=40,
)


async def play(world: World, watch: Watching, script: list[Step]) -> None:
    """Take the steps; what a step cannot be taken on is left out."""
    for name, which, amount in script:
        file = world.files[which % len(world.files)]
        mains = [one for one in world.files if one.agent is None]
        main = mains[which % len(mains)]
        match name:
            case "talk":
                world.talk(main, 1 + amount % 3, tool=amount % 2 == 1)
            case "write":
                file.write(amount)
                await watch.look(amount % 2)
            case "look":
                await watch.look(1 + amount % 4)
            case "rewind":
                world.rewind(main, amount % 8)
            case "compact":
                world.compact(main)
            case "fork" if main.on_disk():
                world.fork(main)
            case "resume" if main.on_disk():
                world.resume(main, 1 + amount % len(main.on_disk()))
            case "spawn":
                world.spawn(main, replays=amount % 2 == 1)
            case "replace" if file.path.exists():
                world.replace(file)
            case "cut" if file.path.exists():
                world.cut(file, amount)
                await watch.look()
                file.write()
            case "restart":
                await watch.restart()


async def check(world: World, engine: Engine) -> None:
    """Hold the store against the reference."""
    found = await everything(engine)
    said: dict[str, list[str]] = {}
    for _, session, content, *_ in found["episodes"]:
        said.setdefault(session, []).append(content)
    assert sorted(text for texts in said.values() for text in texts) == sorted(world.owners)
    files = {world.session_of(file): file for file in world.files}
    for session, texts in said.items():
        assert [text for text in texts if session not in world.owners[text]] == []
        assert in_order(texts, files[session].said), session
    live = {(session, text) for session, file in files.items() for text in file.live}
    assert [
        (session, content)
        for _, session, content, in_window, *_ in found["episodes"]
        if (in_window == "yes") != ((session, content) in live)
    ] == []
    assert await spent(engine) == (len(world.calls), *world.totals)
    assert len(found["compactions"]) == world.compactions
    above = {session: parent for session, parent in found["sessions"] if parent is not None}
    assert above == world.parents
    assert (await engine.verify()).ok


@settings(max_examples=50, deadline=None)
@given(script=scripts)
async def test_each_turn_arrives_once_in_order_with_right_totals(
    tmp_path_factory: pytest.TempPathFactory, script: list[Step]
) -> None:
    base = tmp_path_factory.mktemp("scenario")
    root = made_up_project(base)
    world = World(root, base / "home")
    async with watching(root, base / "home") as watch:
        world.talk(world.files[0], 2, tool=True)
        await play(world, watch, script)
        for file in world.files:
            file.write()
        await watch.settle()
        assert watch.follower.degraded == ()
        await check(world, watch.engine)
        before = await everything(watch.engine)
        again = await watch.engine.importer.run(world.folder)
        assert again.new_episodes == 0
        assert await everything(watch.engine) == before
        report = again.report
        assert (report.episodes, report.api_messages) == (len(world.owners), len(world.calls))
        assert world.totals == (
            report.input_tokens,
            report.cache_creation_tokens,
            report.cache_read_tokens,
            report.output_tokens,
        )
        assert report.compactions == world.compactions
        if all(len(owners) == 1 for owners in world.owners.values()):
            # Read at once, in another store, the files say the same.
            async with watching(root, base / "other") as other:
                await other.engine.importer.run(world.folder)
                assert await reported(other.engine) == await reported(watch.engine)


async def test_a_file_that_is_cut_and_goes_on_otherwise_loses_nothing(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """A stream's error made Claude Code take its last lines back and write others."""
    base = tmp_path_factory.mktemp("cut")
    root = made_up_project(base)
    world = World(root, base / "home")
    (file,) = world.files
    async with watching(root, base / "home") as watch:
        world.talk(file, 1, tool=False)
        world.talk(file, 2, tool=False)
        file.write()
        await watch.settle()
        # The second answer's two lines go; its question stays.
        lines = file.path.read_bytes().splitlines(keepends=True)
        os.truncate(file.path, sum(map(len, lines[:-2])))
        await watch.settle()
        file.last = json.loads(lines[-3])["uuid"]
        world.talk(file, 1, tool=True)
        file.write()
        await watch.settle()
        episodes = await table(
            watch.engine,
            "SELECT content, in_window FROM episode JOIN episode_state USING (seq) ORDER BY seq",
        )
        assert [content for content, _ in episodes] == file.said
        gone = [content for content, in_window in episodes if in_window == "no"]
        assert gone == file.said[3:5]
        assert await spent(watch.engine) == (len(world.calls), *world.totals)


async def test_an_answer_that_a_resumed_session_copied_half_is_counted_to_its_end(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """The first rows of its API message are met in another session's file than the last."""
    base = tmp_path_factory.mktemp("half")
    root = made_up_project(base)
    world = World(root, base / "home")
    (file,) = world.files
    world.talk(file, 3, tool=False)
    lines = file.pending.splitlines(keepends=True)
    file.write(sum(map(len, lines[:2])))
    world.resume(file, 2)
    async with watching(root, base / "home") as watch:
        # The copy is read first: nothing tells it from what it copied.
        world.files[1].write()
        file.path.rename(file.path.with_suffix(".aside"))
        await watch.settle()
        file.path.with_suffix(".aside").rename(file.path)
        file.write()
        await watch.settle()
        await check(world, watch.engine)


async def test_what_forks_copied_belongs_to_the_session_that_said_it(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """All files are found at one look, and some forks' names come before their parent's."""
    base = tmp_path_factory.mktemp("forks")
    root = made_up_project(base)
    world = World(root, base / "home")
    (file,) = world.files
    world.talk(file, 2, tool=True)
    file.write()
    for _ in range(6):
        world.fork(world.files[-1])
        world.talk(world.files[-1], 1, tool=False)
        world.files[-1].write()
    assert min(world.files, key=lambda one: one.path) is not file
    async with watching(root, base / "home") as watch:
        await watch.settle()
        await check(world, watch.engine)
