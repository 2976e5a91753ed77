"""Calls on one connection take effect in the order in which they arrive."""

from __future__ import annotations

from gateway import RawClient


async def test_pipelined_commits_keep_their_order(raw: RawClient) -> None:
    await raw.send(
        *(
            raw.call(n, "memory_commit_episode", role="user", content=f"turn {n}")
            for n in range(30)
        )
    )
    answers = [(await raw.answer(n))["result"]["structuredContent"] for n in range(30)]
    assert [answer["seq"] for answer in answers] == list(range(1, 31))
    assert len({answer["session_id"] for answer in answers}) == 1


async def test_a_read_sees_the_write_before_it_and_not_the_one_after(raw: RawClient) -> None:
    await raw.send(
        raw.call(1, "memory_commit_episode", role="user", content="the marmalade rule"),
        raw.call(2, "memory_recall", query="marmalade"),
        raw.call(3, "memory_commit_episode", role="user", content="another marmalade"),
    )
    first = (await raw.answer(1))["result"]["structuredContent"]["episode_id"]
    hits = (await raw.answer(2))["result"]["structuredContent"]["hits"]
    assert [hit["id"] for hit in hits if hit["kind"] == "episode"] == [first]


async def test_a_refused_call_gives_its_place_up(raw: RawClient) -> None:
    await raw.send(
        raw.call(1, "memory_commit_episode", role="nobody", content="x"),
        raw.call(2, "no_such_tool"),
        raw.call(3, "memory_commit_episode", role="user", content="y"),
    )
    assert (await raw.answer(1))["result"]["isError"] is True
    assert (await raw.answer(2))["error"]["code"] == -32602
    assert (await raw.answer(3))["result"]["structuredContent"]["seq"] == 1
