"""Frames in and out: every request is answered once, whatever stands between."""

from __future__ import annotations

import asyncio
import json
import os

import pytest
from gateway import INITIALIZE, RawClient, raw_server, request
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import JSONRPCRequest
from sakur4_core.engine import Engine

from sakur4_tui.mcp.stdio import Refusal, parse
from sakur4_tui.mcp.wire import MAX_FRAME, FrameReader, FrameWriter, WireClosed

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND = -32700, -32600, -32601


async def read_all(data: bytes) -> list[bytes | None]:
    source, sink = os.pipe()
    writing = asyncio.create_task(asyncio.to_thread(write_and_close, sink, data))
    frames = [frame async for frame in FrameReader(source).frames()]
    await writing
    os.close(source)
    return frames


def write_and_close(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.close(descriptor)


async def test_field_defect_30_frames_end_at_line_feeds_only() -> None:
    frames = await read_all("{a\u2028b\x85c}\n\r\n{d}".encode())
    assert frames == ["{a\u2028b\x85c}".encode(), b"\r", b"{d}"]


async def test_a_large_frame_passes_and_an_oversized_one_is_named() -> None:
    large = b"x" * 5_000_000
    assert await read_all(large + b"\ny\n") == [large, b"y"]
    assert await read_all(b"z" * (MAX_FRAME + 70_000) + b"\nlast\n") == [None, b"last"]


async def test_a_writer_whose_reader_left_says_so() -> None:
    source, sink = os.pipe()
    os.close(source)
    with pytest.raises(WireClosed):
        await FrameWriter(sink).write(b"{}")
    os.close(sink)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_a_refusal(frame: bytes) -> None:
    outcome = parse(frame)
    assert isinstance(outcome, Refusal) or outcome.jsonrpc == "2.0"


@pytest.mark.parametrize(
    ("frame", "code", "request_id"),
    [
        (b"{", PARSE_ERROR, None),
        (b"[]", INVALID_REQUEST, None),
        (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', INVALID_REQUEST, 7),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', INVALID_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', INVALID_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":"a","method":"ping","params":[1]}', INVALID_REQUEST, "a"),
        (b'{"jsonrpc":"2.0","id":4,"method":"ping\xff"}', PARSE_ERROR, 4),
        (None, PARSE_ERROR, None),
    ],
)
def test_what_is_no_frame_is_refused_with_its_id_where_it_has_one(
    frame: bytes | None, code: int, request_id: object
) -> None:
    outcome = parse(frame)
    assert isinstance(outcome, Refusal)
    assert (outcome.code, outcome.request_id) == (code, request_id)


def test_a_request_parses() -> None:
    assert isinstance(parse(b'{"jsonrpc":"2.0","id":"x","method":"ping"}\r'), JSONRPCRequest)


async def test_malformed_frames_are_answered_and_the_session_goes_on(raw: RawClient) -> None:
    await raw.send(b"not json\n", b'{"jsonrpc":"2.0","id":5,"method":7}\n', b"\n")
    refusals = [await raw.read(), await raw.read()]
    assert [frame and (frame["id"], frame["error"]["code"]) for frame in refusals] == [
        (None, PARSE_ERROR),
        (5, INVALID_REQUEST),
    ]
    await raw.send(request(6, "no/such/method"), raw.call(7, "sakur4_status"))
    assert (await raw.answer(6))["error"]["code"] == METHOD_NOT_FOUND
    assert (await raw.answer(7))["result"]["isError"] is False


async def test_frames_split_at_every_byte_and_with_carriage_returns(engine: Engine) -> None:
    async with raw_server(engine) as client:
        for byte in json.dumps(INITIALIZE).encode() + b"\r\n":
            await client.send(bytes([byte]))
        assert "result" in await client.answer("init")


async def test_what_was_asked_before_the_end_is_answered(engine: Engine) -> None:
    async with raw_server(engine) as client:
        await client.handshake()
        calls = [
            client.call(n, "memory_commit_episode", role="user", content=f"turn {n}")
            for n in range(40)
        ]
        await client.send(*calls)
        client.close()
        frames = await client.rest()
    assert [frame["id"] for frame in frames] == list(range(40))
    assert [frame["result"]["structuredContent"]["seq"] for frame in frames] == list(range(1, 41))


async def test_a_cancelled_call_does_not_hold_the_end_up(engine: Engine) -> None:
    async with raw_server(engine) as client:
        await client.handshake()
        await client.send(
            client.call(1, "code_get_repo_map", token_budget=500),
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
            client.call(2, "sakur4_status"),
        )
        client.close()
        assert 2 in [frame.get("id") for frame in await client.rest()]
