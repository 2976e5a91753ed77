"""What an agent asks for waits for a person, is refused by one, or goes through by policy."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from gateway import RawClient, raw_server
from sakur4_core.engine import Engine
from sakur4_core.models import Proposal
from sakur4_core.paths import Home

PolicyEngine = Callable[..., AbstractAsyncContextManager[Engine]]


@asynccontextmanager
async def person(project: Path, home: Home) -> AsyncIterator[Engine]:
    """An interface on the same store, as another process would have it open."""
    async with Engine.open(project, home=home, kind="tui") as watching:
        yield watching


async def first_pending(engine: Engine) -> Proposal:
    async with asyncio.timeout(20), engine.events.subscribe() as events:
        while not (pending := await engine.proposals.pending()):
            await events.get()
        return pending[0]


def data(answer: dict[str, Any]) -> dict[str, Any]:
    assert answer["result"]["isError"] is False, answer["result"]["content"]
    content: dict[str, Any] = answer["result"]["structuredContent"]
    return content


def pin(client: RawClient, number: int) -> dict[str, Any]:
    frame = client.call(number, "memory_pin", content="Never delete user data.")
    frame["params"]["_meta"] = {"progressToken": "p"}
    return frame


async def test_without_a_person_a_pin_is_pending(raw: RawClient, engine: Engine) -> None:
    await raw.send(pin(raw, 1), raw.call(2, "sakur4_status"))
    pinned = data(await raw.answer(1))
    assert (pinned["status"], pinned["anchor_id"]) == ("pending", None)
    assert data(await raw.answer(2))["pending"] == 1
    await raw.send(raw.call(3, "context_proposal", proposal_id=pinned["proposal_id"]))
    assert data(await raw.answer(3))["status"] == "pending"


async def test_asking_twice_finds_the_same_proposal(raw: RawClient) -> None:
    await raw.send(pin(raw, 1), pin(raw, 2))
    first, second = data(await raw.answer(1)), data(await raw.answer(2))
    assert first["proposal_id"] == second["proposal_id"]


async def test_an_approval_ends_the_wait_and_others_are_served_meanwhile(
    project: Path, home: Home, policy_engine: PolicyEngine
) -> None:
    async with (
        policy_engine("ask") as engine,
        person(project, home) as watching,
        raw_server(engine) as client,
    ):
        await client.handshake()
        await client.send(
            pin(client, 1),
            client.call(2, "memory_commit_episode", role="user", content="meanwhile"),
        )
        assert data(await client.answer(2))["seq"] == 1
        proposal = await first_pending(watching)
        await watching.proposals.approve(proposal.proposal_id)
        pinned = data(await client.answer(1))
        assert pinned["status"] == "pinned"
        assert pinned["anchor_id"] == (await watching.anchors())[0].anchor_id
        progress = [f for f in client.seen if f.get("method") == "notifications/progress"]
        assert progress[0]["params"]["message"] == "waiting for a person to decide"


async def test_a_rejection_carries_its_reason(
    project: Path, home: Home, policy_engine: PolicyEngine
) -> None:
    async with (
        policy_engine("ask") as engine,
        person(project, home) as watching,
        raw_server(engine) as client,
    ):
        await client.handshake()
        await client.send(pin(client, 1))
        proposal = await first_pending(watching)
        await watching.proposals.reject(proposal.proposal_id, "too broad")
        pinned = data(await client.answer(1))
        assert (pinned["status"], pinned["reason"]) == ("rejected", "too broad")


async def test_the_wait_has_a_limit(
    project: Path, home: Home, policy_engine: PolicyEngine
) -> None:
    async with (
        policy_engine("ask", wait_s=0.05) as engine,
        person(project, home),
        raw_server(engine) as client,
    ):
        await client.handshake()
        await client.send(pin(client, 1))
        assert data(await client.answer(1))["status"] == "pending"


async def test_the_end_of_the_connection_ends_the_wait(
    project: Path, home: Home, policy_engine: PolicyEngine
) -> None:
    async with (
        policy_engine("ask", wait_s=600) as engine,
        person(project, home) as watching,
        raw_server(engine) as client,
    ):
        await client.handshake()
        await client.send(pin(client, 1))
        await first_pending(watching)
        client.close()
        frames = await client.rest()
    assert data(frames[-1])["status"] == "pending"


async def test_auto_approves_and_plan_only_waits_for_nobody(
    project: Path, home: Home, policy_engine: PolicyEngine
) -> None:
    async with policy_engine("auto") as engine, raw_server(engine) as client:
        await client.handshake()
        await client.send(pin(client, 1))
        pinned = data(await client.answer(1))
        assert pinned["status"] == "pinned"
        decided = await engine.proposals.get(pinned["proposal_id"])
        assert decided.decided_by == "policy auto"
    async with (
        policy_engine("plan-only") as engine,
        person(project, home),
        raw_server(engine) as client,
    ):
        await client.handshake()
        await client.send(client.call(1, "memory_pin", content="Ask before a migration."))
        assert data(await client.answer(1))["status"] == "pending"


async def fill(client: RawClient, turns: int) -> None:
    """Commit long turns until there is something to evict."""
    body = "\n".join(f"line {n} of a long listing of files" for n in range(400))
    await client.send(
        *(
            client.call(
                f"fill{n}",
                "memory_commit_episode",
                role=role,
                content=f"{n} {body}" if role == "tool" else f"question {n}",
                **({"tool_name": "Bash", "tool_call_id": f"c{n}"} if role == "tool" else {}),
            )
            for n, role in enumerate(["user", "tool", "assistant"] * turns)
        )
    )
    await client.answer(f"fill{3 * turns - 1}")


async def test_a_plan_is_shown_without_storing_it_and_applied_by_policy(
    policy_engine: PolicyEngine,
) -> None:
    async with policy_engine("auto") as engine, raw_server(engine) as client:
        await client.handshake()
        await fill(client, 6)
        await client.send(client.call(1, "context_plan_eviction", target=0.02))
        plan = data(await client.answer(1))
        assert (plan["status"], plan["proposal_id"]) == ("planned", None)
        assert plan["items"]
        assert await engine.proposals.pending() == ()
        await client.send(client.call(2, "context_plan_eviction", target=0.02, apply=True))
        applied = data(await client.answer(2))
        assert applied["status"] == "applied"
        await client.send(client.call(3, "context_proposal", proposal_id=applied["proposal_id"]))
        assert data(await client.answer(3))["decided_by"] == "policy auto"
