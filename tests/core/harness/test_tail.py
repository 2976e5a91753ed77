"""A running session arrives turn by turn, each once and in order, however it is written."""

from __future__ import annotations

import json
import os
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sakur4_core.clock import SystemClock
from sakur4_core.engine import Engine
from sakur4_core.harness.discover import Homes
from sakur4_core.harness.tail import Follower
from sakur4_core.paths import Home

from .claude_writer import SESSION, Writer, project_folder


def conversation(root: Path, turns: int) -> Writer:
    writer = Writer(root)
    for number in range(turns):
        writer.says(f"question {number}: why is “retry” capped at {number}?")
        writer.answers(f"answer {number}: the queue’s limit is {number}.", 1_000 + 10 * number)
    return writer


@asynccontextmanager
async def following(project: Path, home: Path) -> AsyncIterator[tuple[Engine, Follower]]:
    places = Home(home / "sakur4", home / "sakur4")
    async with Engine.open(project, home=places, clock=SystemClock()) as engine:
        homes = Homes.of({}, home)
        yield engine, Follower(engine.workspace, engine.importer, homes)


async def drain(follower: Follower) -> None:
    """Looks enough that new files are found and a last line without an end is at rest."""
    for _ in range(6):
        await follower.once()


async def texts(engine: Engine) -> list[str]:
    episodes = await engine.episodes.page(limit=500)
    return [episode.content for episode in reversed(episodes)]


def spoken(writer: Writer) -> list[str]:
    found = []
    for line in writer.lines:
        content = json.loads(line)["message"]["content"]
        found.append(content if isinstance(content, str) else content[0]["text"])
    return found


async def test_a_running_session_is_found_and_followed(project: Path, private_home: Path) -> None:
    writer = conversation(project, 3)
    file = project_folder(private_home, project) / f"{SESSION}.jsonl"
    async with following(project, private_home) as (engine, follower):
        for line in writer.lines:
            with file.open("ab") as stream:
                stream.write(line)
            await drain(follower)
        assert await texts(engine) == spoken(writer)
        (session,) = await engine.sessions.list()
        assert session.harness == "claude-code"
        receipt = await engine.receipt(session.session_id)
        assert receipt.total.value is not None
        assert follower.degraded == ()


async def test_sessions_of_other_projects_are_left_alone(
    project: Path, private_home: Path, tmp_path: Path
) -> None:
    other = tmp_path / "project-two"
    other.mkdir()
    writer = conversation(other, 1)
    (project_folder(private_home, other) / f"{SESSION}.jsonl").write_bytes(b"".join(writer.lines))
    async with following(project, private_home) as (engine, follower):
        await drain(follower)
        assert await texts(engine) == []


async def test_a_line_that_is_no_json_is_passed_over(project: Path, private_home: Path) -> None:
    writer = conversation(project, 2)
    whole = writer.lines[0] + b"{not json}\n\xff\xfe\n" + b"".join(writer.lines[1:])
    (project_folder(private_home, project) / f"{SESSION}.jsonl").write_bytes(whole)
    async with following(project, private_home) as (engine, follower):
        await drain(follower)
        assert await texts(engine) == spoken(writer)


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(seed=st.integers(0, 2**32 - 1))
async def test_split_anywhere_with_restarts_each_turn_arrives_once(
    tmp_path_factory: pytest.TempPathFactory,
    open_project: Callable[[Path], Path],
    seed: int,
) -> None:
    base = tmp_path_factory.mktemp("tail")
    project, home = open_project(base), base / "home"
    chance = random.Random(seed)
    writer = conversation(project, 6)
    data = b"".join(writer.lines)
    cuts = sorted(chance.sample(range(1, len(data)), 8))
    pieces = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    file = project_folder(home, project) / f"{SESSION}.jsonl"
    while pieces:
        async with following(project, home) as (engine, follower):
            for _ in range(chance.randint(1, 4)):
                if pieces:
                    with file.open("ab") as stream:
                        stream.write(pieces.pop(0))
                    os.utime(file)
                for _ in range(chance.randint(1, 3)):
                    await follower.once()
    async with following(project, home) as (engine, follower):
        await drain(follower)
        assert await texts(engine) == spoken(writer)
        assert (await engine.verify()).ok


@pytest.fixture
def open_project() -> Callable[[Path], Path]:
    def opener(base: Path) -> Path:
        root = base / "project"
        root.mkdir()
        (root / "pyproject.toml").write_text("[project]\nname = 'made-up'\n")
        return root

    return opener


async def test_a_turn_that_the_agent_commits_too_is_one(project: Path, private_home: Path) -> None:
    writer = conversation(project, 2)
    file = project_folder(private_home, project) / f"{SESSION}.jsonl"
    file.write_bytes(b"".join(writer.lines))
    async with following(project, private_home) as (engine, follower):
        await drain(follower)
        (session,) = await engine.sessions.list()
        committed: Any = await engine.commit_episode(
            "user", spoken(writer)[0], session_id=session.session_id
        )
        assert committed.duplicate
        assert await engine.episodes.count() == 4
