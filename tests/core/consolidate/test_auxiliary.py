"""A model may write summaries, and whatever it does the outcome is a summary with its reason."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sakur4_core.engine import Engine
from sakur4_core.events import ATLAS_WRITTEN

from .test_summaries import DECISION, own

GOOD = "check_user in src/auth.py accepts any e-mail; sessions keep the limit of 30 minutes."


class Endpoint:
    """An OpenAI-compatible server on a real socket, which answers as it is told."""

    def __init__(self) -> None:
        self.status, self.body, self.hangs = 200, b"", False
        self.asked: list[dict[str, Any]] = []
        self.headers: list[str] = []

    def says(self, text: str) -> None:
        message = {"role": "assistant", "content": text}
        self.body = json.dumps({"choices": [{"message": message}]}).encode()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.headers.append(head)
        length = next(
            int(line.split(":")[1])
            for line in head.splitlines()
            if line.lower().startswith("content-length")
        )
        self.asked.append(json.loads(await reader.readexactly(length)))
        if self.hangs:
            await asyncio.Event().wait()
        writer.write(
            f"HTTP/1.1 {self.status} X\r\nContent-Length: {len(self.body)}\r\n"
            "Content-Type: application/json\r\nConnection: close\r\n\r\n".encode()
            + self.body
        )
        await writer.drain()
        writer.close()


Run = Callable[..., Any]


@pytest.fixture
def model(open_engine: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Run:
    """`async with model() as (endpoint, engine)`."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[tuple[Endpoint, Engine]]:
        endpoint = Endpoint()
        server = await asyncio.start_server(endpoint.serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        monkeypatch.setenv("SAKUR4_DREAM_ENDPOINT", f"http://127.0.0.1:{port}/v1")
        monkeypatch.setenv("SAKUR4_DREAM_ENDPOINT_MODEL", "small")
        monkeypatch.setenv("SAKUR4_DREAM_ENDPOINT_TIMEOUT_S", "0.5")
        monkeypatch.setenv("SAKUR4_DREAM_KEY", "secret-of-mine")
        try:
            async with open_engine() as engine:
                await engine.index()
                await engine.commit_episode("assistant", DECISION, session_id="s1")
                yield endpoint, engine
        finally:
            server.close()

    return opened


async def written(engine: Engine) -> dict[str, Any]:
    event = [one for one in await engine.recent_events(50) if one.kind == ATLAS_WRITTEN][-1]
    return dict(event.detail)


async def test_a_good_answer_is_taken(model: Run) -> None:
    async with model() as (endpoint, engine):
        endpoint.says(GOOD)
        report = await engine.dream(force=True)
        assert (report.promoted, report.skipped) == (1, {})
        (entry,) = await own(engine)
        assert entry.content == GOOD
        assert (await written(engine))["how"] == "small"
        (asked,) = endpoint.asked
        assert asked["model"] == "small"
        assert asked["messages"][1]["content"] == DECISION
        assert "authorization: bearer secret-of-mine" in endpoint.headers[0].lower()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "answered nothing"),
        ("   \n", "answered nothing"),
        ("lorem ipsum dolor consectetur adipiscing tempor incididunt", "about something else"),
        (f"{GOOD} See delete_all_users in src/gone.py.", "names delete_all_users"),
        (DECISION * 2, "not shorter"),
    ],
)
async def test_a_bad_answer_gives_way_to_the_turns_own_words(
    model: Run, text: str, why: str
) -> None:
    async with model() as (endpoint, engine):
        endpoint.says(text)
        await falls_back(engine, why)


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [
        (500, b"oh no", "status 500"),
        (200, b"no json", "no text"),
        (200, b'{"choices": []}', "no text"),
        pytest.param(200, b"x" * 300_000, "no end", id="endless"),
    ],
)
async def test_a_failing_endpoint_gives_way(
    model: Run, status: int, body: bytes, why: str
) -> None:
    async with model() as (endpoint, engine):
        endpoint.status, endpoint.body = status, body
        await falls_back(engine, why)


async def test_an_endpoint_that_hangs_gives_way_in_time(model: Run) -> None:
    async with model() as (endpoint, engine):
        endpoint.hangs = True
        await falls_back(engine, "no answer within 0.5 s")


async def test_one_that_keeps_failing_is_left_alone_for_the_cycle(model: Run) -> None:
    async with model() as (endpoint, engine):
        endpoint.status = 503
        for number in range(5):
            await engine.commit_episode("assistant", f"{number}. {DECISION}", session_id="s1")
        report = await engine.dream(force=True)
        assert report.promoted == 6
        assert len(endpoint.asked) == 2
        assert report.skipped["the model failed before in this cycle"] == 4


async def falls_back(engine: Engine, why: str) -> None:
    """The summary is extractive and says why."""
    report = await engine.dream(force=True)
    assert report.promoted == 1
    (reason,) = report.skipped
    assert why in reason
    (entry,) = await own(engine)
    assert all(line in DECISION for line in entry.content.split("\n"))
    detail = await written(engine)
    assert (detail["how"], detail["why"]) == ("extractive", reason)
