"""The whole surface through the SDK's own client, in both protocol eras."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from gateway import RawClient, request
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent, TextResourceContents
from sakur4_core.context.tokens import LocalCounter
from sakur4_core.engine import Engine

from sakur4_tui.gate import EngineGate
from sakur4_tui.mcp.call import Conversation
from sakur4_tui.mcp.server import Gateway
from sakur4_tui.mcp.tools import ALL, toolset

DESIGN_TOOLS = [
    "memory_commit_episode",
    "memory_pin",
    "memory_recall",
    "memory_fold",
    "memory_unfold",
    "memory_recall_fold",
    "memory_staleness",
    "code_get_repo_map",
    "code_query_symbol",
    "code_impact_of_change",
    "context_receipt",
    "context_plan_eviction",
    "context_record_usage",
    "context_proposal",
    "session_snapshot",
    "session_restore",
    "sakur4_status",
    "sakur4_dream",
]
Mode = Literal["legacy", "2026-07-28"]
MODES: tuple[Mode, ...] = ("legacy", "2026-07-28")


@asynccontextmanager
async def in_process(engine: Engine, mode: Mode) -> AsyncIterator[Client]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Engine]:
        yield engine

    gate = EngineGate(opened)
    conversation = Conversation()
    async with Client(Gateway(gate, lambda _: conversation, "full").server(), mode=mode) as client:
        yield client
    await gate.close()


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    assert not result.is_error, result.content
    assert isinstance(result.content[0], TextContent)
    assert result.content[0].text
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def exercise(client: Client) -> set[str]:
    """Call every tool once; the client checks each result against its output schema."""
    called = set()

    async def use(tool: str, **arguments: Any) -> dict[str, Any]:
        called.add(tool)
        return await call(client, tool, **arguments)

    first = await use("memory_commit_episode", role="user", content="Where is check_user used?")
    await use(
        "memory_commit_episode",
        role="tool",
        content="src/api.py:1:from src.auth import check_user",
        tool_name="Grep",
        tool_call_id="call-1",
    )
    assert (await use("memory_pin", content="Never log e-mail addresses."))["status"] == "pending"
    assert (await use("memory_recall", query="check_user"))["rendered"]
    fold = await use("memory_fold", description="look around", goal="find the callers")
    await call(client, "memory_commit_episode", role="assistant", content="It is used in api.py.")
    await use("memory_unfold", fold_id=fold["fold_id"], result_summary="Used by login in api.py.")
    recalled = await use("memory_recall_fold", fold_id=fold["fold_id"])
    assert recalled["episodes"][0]["content"] == "It is used in api.py."
    await use("memory_staleness")
    assert (await use("code_get_repo_map", token_budget=500))["tokens_used"] <= 500
    assert (await use("code_query_symbol", name="check_user"))["found"]
    await use("code_impact_of_change", name="check_user")
    await use("context_record_usage", prompt_tokens=1200, provider="anthropic", model="claude")
    receipt = await use("context_receipt", history=5)
    assert receipt["session_id"] == first["session_id"]
    assert (await use("context_plan_eviction"))["status"] == "planned"
    status = await use("sakur4_status")
    assert status["pending"] == 1
    pending = await call(client, "memory_pin", content="Never log e-mail addresses.")
    decision = await use("context_proposal", proposal_id=pending["proposal_id"])
    assert decision["status"] == "pending"
    snapshot = await use("session_snapshot")
    await use("session_restore", snapshot_id=snapshot["snapshot_id"])
    await use("sakur4_dream")
    return called


@pytest.mark.parametrize("mode", MODES)
async def test_field_defect_32_every_tool_answers_as_its_schema_says(
    engine: Engine, mode: Mode
) -> None:
    await engine.index()
    async with in_process(engine, mode) as client:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == DESIGN_TOOLS
        assert await exercise(client) == set(DESIGN_TOOLS)


@pytest.mark.parametrize("mode", MODES)
async def test_resources_and_the_prompt_read(engine: Engine, mode: Mode) -> None:
    await engine.pin("Never log e-mail addresses.")
    async with in_process(engine, mode) as client:
        templates = (await client.list_resource_templates()).resource_templates
        assert [template.uri_template for template in templates] == [
            "sakur4://repo-map/{project}",
            "sakur4://anchors/{project}",
            "sakur4://status/{project}",
        ]
        listed = (await client.list_resources()).resources
        assert len(listed) == 4
        for resource in listed:
            [content] = (await client.read_resource(resource.uri)).contents
            assert isinstance(content, TextResourceContents)
            if content.mime_type == "application/json":
                json.loads(content.text)
        with pytest.raises(MCPError, match="No resource"):
            await client.read_resource("sakur4://status/another")
        prompt = await client.get_prompt("sakur4_system_preamble")
        [message] = prompt.messages
        assert isinstance(message.content, TextContent)
        assert "commit every turn" in message.content.text.lower()
        assert "- Never log e-mail addresses." in message.content.text


async def test_the_real_process_serves_the_sdks_client(
    server_parameters: StdioServerParameters, project: Path
) -> None:
    async with Client(server_parameters) as client:
        assert client.protocol_version == "2026-07-28"
        first = await call(client, "memory.commit_episode", role="user", content="hello")
        assert first["seq"] == 1
        assert (await call(client, "sakur4.status"))["project"] == str(project)


async def test_lists_are_the_same_bytes_each_time(raw: RawClient) -> None:
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        await raw.send(request(f"{method} 1", method), request(f"{method} 2", method))
        first, second = await raw.answer(f"{method} 1"), await raw.answer(f"{method} 2")
        assert json.dumps(first["result"]) == json.dumps(second["result"])


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("memory_recall", {}, "query: Field required"),
        ("memory_recall", {"query": "x", "k": "8"}, "k: Input should be a valid integer"),
        ("memory_recall", {"query": "x", "k": 0}, "k: Input should be greater"),
        ("memory_recall", {"query": "x", "kinds": ["song"]}, "kinds.0: Input should be"),
        ("memory_commit_episode", {"role": "bard", "content": ""}, "role: Input should be"),
        ("sakur4_status", {"verbose": True}, "verbose: Extra inputs are not permitted"),
        ("context_proposal", {"proposal_id": "pr_0"}, "No proposal 'pr_0'. List them"),
    ],
)
async def test_field_defect_33_what_does_not_fit_is_a_tool_error_that_names_it(
    raw: RawClient, tool: str, arguments: dict[str, Any], named: str
) -> None:
    await raw.send(raw.call(1, tool, **arguments))
    result = (await raw.answer(1))["result"]
    assert result["isError"] is True
    assert named in result["content"][0]["text"]


async def test_field_defect_33_an_unexpected_failure_answers_with_a_reference(
    raw: RawClient,
    engine: Engine,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(engine, "staleness", None)
    await raw.send(raw.call(1, "memory_staleness"), raw.call(2, "sakur4_status"))
    result = (await raw.answer(1))["result"]
    assert result["isError"] is True
    assert "NoneType" not in result["content"][0]["text"]
    [record] = [r for r in caplog.records if r.exc_info]
    assert record.getMessage().rsplit(" ", 1)[1] in result["content"][0]["text"]
    assert (await raw.answer(2))["result"]["isError"] is False


def test_field_defect_32_what_the_tool_list_costs() -> None:
    counter = LocalCounter()

    def cost(name: str) -> int:
        return sum(
            counter.count(json.dumps([tool.name, tool.description, tool.input_schema]))
            for tool in toolset(name)
        )

    assert cost("full") <= 3000
    assert cost("core") <= 1200
    assert sum(counter.count(json.dumps(tool.output_schema)) for tool in ALL) <= 8000


def test_the_core_set_has_eight_tools() -> None:
    assert len(toolset("core")) == 8


def test_recall_says_what_to_trust() -> None:
    [recall] = [tool for tool in ALL if tool.name == "memory_recall"]
    assert "trust current_value, not text" in recall.description
