"""One connection over a wire: frames to the SDK's messages and back, and who is unanswered."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import anyio
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import from_json

from sakur4_tui.mcp.call import Conversation
from sakur4_tui.mcp.wire import FrameReader, FrameWriter, Wire, WireClosed

log = logging.getLogger(__name__)

Write = Callable[[JSONRPCMessage], Awaitable[None]]


class StdioConnection:
    """The two streams that the SDK serves, over descriptors that this process owns.

    The SDK cancels what is in flight when its read stream ends. So the read stream ends only
    when the client has closed its side *and* every request that it sent has been answered.
    """

    def __init__(self, wire: Wire) -> None:
        self.conversation = Conversation()
        self.answered = asyncio.Event()
        """Set with the first frame that was written."""
        self._writer = FrameWriter(wire.sink)
        self._ledger = _Unanswered()
        self._reader = FrameReader(wire.source)
        self.read_stream = _ReadStream(self._reader, self._ledger, self._write, self.conversation)
        self.write_stream = _WriteStream(self._write, self._ledger)

    def end(self) -> None:
        """Take no more frames, as if the client had closed its side."""
        self._reader.end()

    async def _write(self, message: JSONRPCMessage) -> None:
        frame = message.model_dump_json(by_alias=True, exclude_unset=True)
        try:
            await self._writer.write(frame.encode("utf-8"))
        except WireClosed:
            log.debug("the client no longer reads; a frame was dropped")
            self.end()
        self.answered.set()


class _Unanswered:
    """How many requests of the client still wait for their answer."""

    def __init__(self) -> None:
        self._count = 0
        self._none = asyncio.Event()
        self._none.set()

    def add(self) -> None:
        self._count += 1
        self._none.clear()

    async def settle(self) -> None:
        self._count -= 1
        if self._count <= 0:
            self._none.set()

    async def wait_for_none(self) -> None:
        await self._none.wait()


class _Stream:
    """What both streams have in common: closing them is the connection's business."""

    async def aclose(self) -> None:
        await asyncio.sleep(0)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None


class _ReadStream(_Stream):
    def __init__(
        self,
        reader: FrameReader,
        ledger: _Unanswered,
        write: Write,
        conversation: Conversation,
    ) -> None:
        self._messages = self._read(reader, ledger, write, conversation)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        return await anext(self._messages)

    async def receive(self) -> SessionMessage:
        try:
            return await anext(self._messages)
        except StopAsyncIteration:
            raise anyio.EndOfStream from None

    @staticmethod
    async def _read(
        reader: FrameReader,
        ledger: _Unanswered,
        write: Write,
        conversation: Conversation,
    ) -> AsyncIterator[SessionMessage]:
        async for frame in reader.frames():
            if frame is not None and not frame.strip():
                continue
            message = parse(frame)
            if isinstance(message, Refusal):
                await write(message.answer())
                continue
            if isinstance(message, JSONRPCRequest):
                ledger.add()
            yield SessionMessage(
                message, ServerMessageMetadata(on_request_unanswered=ledger.settle)
            )
        conversation.closing.set()
        await ledger.wait_for_none()


class _WriteStream(_Stream):
    def __init__(self, write: Write, ledger: _Unanswered) -> None:
        self._write = write
        self._ledger = ledger

    async def send(self, item: SessionMessage, /) -> None:
        """Write one message; an answer settles its request, whether or not it was read."""
        answer = isinstance(item.message, JSONRPCResponse | JSONRPCError)
        try:
            await self._write(item.message)
        finally:
            if answer:
                await self._ledger.settle()


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a frame is no message, and the id to answer to, as far as it can be told."""

    code: int
    reason: str
    request_id: str | int | None = None

    def answer(self) -> JSONRPCError:
        """The error response for it."""
        return JSONRPCError(
            jsonrpc="2.0",
            id=self.request_id,
            error=ErrorData(code=self.code, message=self.reason),
        )


def parse(frame: bytes | None) -> JSONRPCMessage | Refusal:
    """One frame as a message, or the reason why it is none; None is an oversized frame."""
    if frame is None:
        return Refusal(PARSE_ERROR, "The frame is longer than 64 MiB.")
    try:
        frame.decode("utf-8")
        raw = from_json(frame)
    except UnicodeDecodeError:
        salvaged = _lenient(frame)
        return Refusal(PARSE_ERROR, "The frame is not valid UTF-8.", _request_id(salvaged))
    except ValueError as error:
        return Refusal(PARSE_ERROR, f"The frame is not JSON: {error}.")
    if not isinstance(raw, dict):
        return Refusal(INVALID_REQUEST, "A frame must hold one JSON-RPC object.")
    request_id = _request_id(raw)
    if "method" in raw and "id" in raw and request_id is None:
        return Refusal(INVALID_REQUEST, "id must be a string or an integer.")
    try:
        return jsonrpc_message_adapter.validate_python(raw, by_name=False)
    except ValidationError:
        return Refusal(INVALID_REQUEST, "The frame is no JSON-RPC 2.0 message.", request_id)


def _lenient(frame: bytes) -> Any:
    try:
        return from_json(frame.decode("utf-8", "replace"))
    except ValueError:
        return None


def _request_id(raw: Any) -> str | int | None:
    """The id of what looks like a request; JSON's true is an int to Python, but no id."""
    found = raw.get("id") if isinstance(raw, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None
