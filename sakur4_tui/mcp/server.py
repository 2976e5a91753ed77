"""The gateway: the SDK's server over the tools, resources and the prompt."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from typing import Any, Final

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from sakur4_core import __version__
from sakur4_core.errors import NotFound, Sakur4Error
from sakur4_core.models import to_json

from sakur4_tui.gate import EngineGate
from sakur4_tui.mcp import resources, texts
from sakur4_tui.mcp.call import Call, Conversation
from sakur4_tui.mcp.order import Place
from sakur4_tui.mcp.registry import Tool
from sakur4_tui.mcp.tools import toolset as tools_of

log = logging.getLogger(__name__)

NAME: Final = "sakur4"
PROMPT: Final = "sakur4_system_preamble"
FIXED = CacheHint(ttl_ms=3_600_000, scope="private")
"""The lists do not change while a process lives."""

Context = ServerRequestContext[Any, Any]


class Gateway:
    """Answers the protocol's requests from one engine.

    Args:
        gate: Where the engine comes from; lists and handshakes do not wait for it.
        conversation_of: The connection that a request came in on.
        toolset: ``core`` or ``full``.
    """

    def __init__(
        self,
        gate: EngineGate,
        conversation_of: Callable[[Context], Conversation],
        toolset: str,
    ) -> None:
        self._gate = gate
        self._conversation_of = conversation_of
        self._tools = {tool.name: tool for tool in tools_of(toolset)}
        self._tool_list = types.ListToolsResult(tools=[_listed(t) for t in self._tools.values()])

    def server(self) -> Server[Any]:
        """The SDK's server with every handler of ours."""
        server: Server[Any] = Server(
            NAME,
            version=__version__,
            title="sakur4",
            instructions=texts.INSTRUCTIONS,
            cache_hints={
                "tools/list": FIXED,
                "prompts/list": FIXED,
                "resources/list": FIXED,
                "resources/templates/list": FIXED,
                "server/discover": FIXED,
            },
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )
        # The only middleware is the SDK's own tracing, which has no exporter here.
        server.middleware.clear()
        return server

    # -- tools -------------------------------------------------------------------

    async def _list_tools(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return self._tool_list

    async def _call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        # `memory.recall` is `memory_recall`, for clients that write names that way.
        tool = self._tools.get(params.name.replace(".", "_", 1))
        conversation = self._conversation_of(ctx)
        async with conversation.order.place() as place:
            if tool is None:
                raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
            try:
                return await self._run(tool, ctx, conversation, place, params.arguments)
            except Sakur4Error as error:
                return _refused(str(error))
            except Exception:
                reference = secrets.token_hex(4)
                log.exception("%s failed, reference %s", tool.name, reference)
                return _refused(
                    f"{tool.name} failed inside sakur4-tui; the log has it as {reference}. "
                    "The session goes on."
                )

    async def _run(
        self,
        tool: Tool,
        ctx: Context,
        conversation: Conversation,
        place: Place,
        arguments: dict[str, Any] | None,
    ) -> types.CallToolResult:
        checked = tool.check(arguments)
        engine = await self._gate.engine()
        call = Call(engine, conversation, place, ctx.session.report_progress)
        reply = await tool.run(call, **checked)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=reply.text)],
            structured_content=to_json(reply.data),
        )

    # -- resources ---------------------------------------------------------------

    async def _list_resources(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        engine = await self._engine_or_error()
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=resource.of(engine.project.project_id),
                    name=resource.name,
                    description=resource.description,
                    mime_type=resource.mime_type,
                )
                for resource in resources.ALL
            ]
        )

    async def _list_templates(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    uri_template=resource.uri,
                    name=resource.name,
                    description=resource.description,
                    mime_type=resource.mime_type,
                )
                for resource in resources.ALL
                if resource.is_template
            ]
        )

    async def _read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        conversation = self._conversation_of(ctx)
        async with conversation.order.place():
            engine = await self._engine_or_error()
            try:
                resource = resources.find(uri, engine)
                text = await resource.read(engine, conversation.session_id)
            except NotFound as error:
                raise MCPError(types.INVALID_PARAMS, str(error), {"uri": uri}) from error
            except Sakur4Error as error:
                raise MCPError(types.INTERNAL_ERROR, str(error)) from error
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type=resource.mime_type, text=text)]
        )

    # -- the prompt ----------------------------------------------------------------

    async def _list_prompts(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(
                    name=PROMPT,
                    description="How to work with sakur4, and the statements that are pinned.",
                )
            ]
        )

    async def _get_prompt(
        self, ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        if params.name != PROMPT:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name}")
        conversation = self._conversation_of(ctx)
        async with conversation.order.place():
            engine = await self._engine_or_error()
            anchors = await engine.anchors(conversation.session_id)
            text = texts.preamble(engine.anchor_set.render(anchors))
        return types.GetPromptResult(
            messages=[
                types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
            ]
        )

    async def _engine_or_error(self) -> Any:
        try:
            return await self._gate.engine()
        except Sakur4Error as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from error


def _listed(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations(
            read_only_hint=tool.reads,
            destructive_hint=tool.destructive,
            open_world_hint=False,
        ),
    )


def _refused(why: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=why)], is_error=True)
