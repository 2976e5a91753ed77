"""One message of opencode with its parts, in the shape of 1.x: turns, tokens, compactions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sakur4_core.clock import stamp
from sakur4_core.harness.lines import mapping, number, plain, text
from sakur4_core.harness.records import (
    Compacted,
    Kind,
    Record,
    SessionSeen,
    Spend,
    Turn,
    Unknown,
)
from sakur4_core.models import Role

HARNESS = "opencode"
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}
_QUIET_PARTS = frozenset(
    {"step-start", "step-finish", "snapshot", "patch", "agent", "subtask", "retry"}
)
FINISHED = ("completed", "error")


@dataclass(frozen=True, slots=True)
class Message:
    """One message with its parts, in order."""

    message_id: str
    session_id: str
    data: dict[str, Any]
    parts: tuple[tuple[str, dict[str, Any]], ...]

    @property
    def timestamp(self) -> str | None:
        """When it was made."""
        return moment(self.data)

    @property
    def node(self) -> str:
        """What its turns have in common."""
        return f"opencode:{self.message_id}"


def read_message(
    message: Message, sidechain: bool, *, finished_only: bool = False
) -> Iterator[Record]:
    """The records of one message: its turns, its tokens, a compaction it marks."""
    data = message.data
    role = _ROLES.get(str(data.get("role")))
    if role is None:
        raw = json.dumps(data).encode()
        yield Unknown(message.node, f"role {data.get('role')}", raw)
        return
    done = role is not Role.ASSISTANT or is_done(data)
    if role is Role.ASSISTANT and (model := text(data.get("modelID"))):
        yield SessionSeen(message.session_id, HARNESS, model=model)
    told = role is Role.ASSISTANT and (done or not finished_only)
    spend = _spend(message, sidechain) if told else None
    parts = (
        record
        for part_id, part in message.parts
        if done or part.get("type") == "tool" or not finished_only
        for record in _part(message, part_id, part, role, sidechain)
    )
    yield from behind_answer(parts, spend)


def behind_answer(parts: Iterable[Record], spend: Spend | None) -> Iterator[Record]:
    """A message's records with its tokens behind what they hold: all but results of tools."""
    for record in parts:
        if spend is not None and isinstance(record, Turn) and record.kind is Kind.TOOL_RESULT:
            yield spend
            spend = None
        yield record
    if spend is not None:
        yield spend


def moment(data: dict[str, Any]) -> str | None:
    """When a message was made, in ISO 8601; None where it does not say."""
    created = number(mapping(data.get("time")).get("created"))
    if created is None:
        return None
    try:
        return stamp(datetime.fromtimestamp(created / 1000, UTC))
    except (OverflowError, ValueError, OSError):
        return None


def is_done(data: dict[str, Any]) -> bool:
    """Whether an assistant's message changes no more."""
    return mapping(data.get("time")).get("completed") is not None or bool(data.get("error"))


def _part(
    message: Message, part_id: str, part: dict[str, Any], role: Role, sidechain: bool
) -> Iterator[Record]:
    form = str(part.get("type"))
    key, session = f"opencode:{part_id}", message.session_id
    if form == "compaction":
        tail = text(part.get("tail_start_id"))
        yield Compacted(
            key,
            session,
            "auto" if part.get("auto") else "manual",
            sidechain=sidechain,
            tail=None if tail is None else f"opencode:{tail}",
        )
    elif form == "tool":
        yield from tool_turns(key, session, part, sidechain, message.node, message.timestamp)
    elif form in ("text", "reasoning", "file"):
        content = plain([part]) if form == "file" else text(part.get("text"))
        if content and not part.get("ignored"):
            kind = _kind(message, part, form)
            typed = role is Role.USER and kind is Kind.TEXT and form == "text" and not sidechain
            yield Turn(
                key,
                session,
                role,
                kind,
                content,
                typed=typed,
                sidechain=sidechain,
                node=message.node,
                timestamp=message.timestamp,
            )
    elif form not in _QUIET_PARTS:
        yield Unknown(key, f"part {form}", json.dumps(part).encode())


def _kind(message: Message, part: dict[str, Any], form: str) -> Kind:
    if form == "reasoning":
        return Kind.THINKING
    if part.get("synthetic"):
        return Kind.INJECTED
    return Kind.SUMMARY if message.data.get("summary") is True else Kind.TEXT


def tool_turns(
    key: str,
    session: str,
    part: dict[str, Any],
    sidechain: bool,
    node: str,
    timestamp: str | None,
) -> Iterator[Turn]:
    """A tool's call and, once it ended, its result."""
    state = mapping(part.get("state"))
    status = state.get("status")
    name = text(part.get("tool")) or text(part.get("name"))
    call = text(part.get("callID")) or text(part.get("id"))
    if status in ("running", *FINISHED):
        yield Turn(
            f"{key}:call",
            session,
            Role.ASSISTANT,
            Kind.TOOL_CALL,
            plain(state.get("input")),
            tool_name=name,
            tool_call_id=call,
            sidechain=sidechain,
            node=node,
            timestamp=timestamp,
        )
    if status in FINISHED:
        yield Turn(
            f"{key}:result",
            session,
            Role.TOOL,
            Kind.TOOL_RESULT,
            _output(state),
            tool_name=name,
            tool_call_id=call,
            sidechain=sidechain,
            node=node,
            timestamp=timestamp,
        )


def _output(state: dict[str, Any]) -> str:
    for name in ("output", "content", "error", "structured"):
        if state.get(name):
            value = state[name]
            said = mapping(value).get("message") if name == "error" else None
            return plain(said or value)
    return ""


def _spend(message: Message, sidechain: bool) -> Spend | None:
    return spend_of(message.message_id, message.session_id, message.data, sidechain)


def spend_of(
    message_id: str, session_id: str, data: dict[str, Any], sidechain: bool
) -> Spend | None:
    """The tokens of an assistant's message; None for one that failed or just began."""
    tokens = mapping(data.get("tokens"))
    cache = mapping(tokens.get("cache"))
    fresh, output = number(tokens.get("input")), number(tokens.get("output"))
    read, written = number(cache.get("read")), number(cache.get("write"))
    known = [count for count in (fresh, output, read, written) if count is not None]
    if known and not any(known):
        return None
    context = number(tokens.get("total"))
    if context is None and known:
        context = sum(known)
    # What a compaction's own call sent is no longer the context once it has answered.
    summary = data.get("summary") is True
    model = mapping(data.get("model"))
    return Spend(
        f"opencode:{message_id}",
        session_id,
        input_tokens=fresh,
        cache_creation_tokens=written,
        cache_read_tokens=read,
        output_tokens=output,
        context_tokens=None if summary else context,
        sidechain=sidechain,
        model=text(data.get("modelID")) or text(model.get("id")),
        provider=text(data.get("providerID")) or text(model.get("providerID")),
        timestamp=moment(data),
    )
