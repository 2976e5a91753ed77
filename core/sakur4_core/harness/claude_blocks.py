"""The content blocks of a Claude message, as what was said in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sakur4_core.harness.lines import plain, text
from sakur4_core.harness.records import Kind
from sakur4_core.models import Role

_APART = ("tool_use", "tool_result", "thinking", "redacted_thinking")


@dataclass(frozen=True, slots=True)
class Said:
    """One thing said: a text, a thought, a call or a result."""

    role: Role
    kind: Kind
    content: str
    tool_name: str | None = None
    tool_call_id: str | None = None


def said_by(kind: str, blocks: list[dict[str, Any]], tools: dict[str, str]) -> Iterator[Said]:
    """What a line's blocks say, in order; neighbouring texts and pictures are one text.

    Args:
        kind: The line's type, ``user`` or ``assistant``.
        tools: Names of calls by their ids: calls are added, results take theirs.
    """
    for block in _joined(blocks):
        form = block.get("type")
        if form == "tool_use":
            yield _call(block, tools)
        elif form == "tool_result":
            call = text(block.get("tool_use_id"))
            name = tools.pop(call or "", None)
            yield Said(Role.TOOL, Kind.TOOL_RESULT, plain(block.get("content")), name, call)
        elif form in _APART:
            thought = text(block.get("thinking"))
            if thought is not None:
                yield Said(Role.ASSISTANT, Kind.THINKING, thought)
        elif content := plain([block]):
            role = Role.ASSISTANT if kind == "assistant" else Role.USER
            yield Said(role, Kind.TEXT, content)


def _call(block: dict[str, Any], tools: dict[str, str]) -> Said:
    call, name = text(block.get("id")), text(block.get("name"))
    if call and name:
        tools[call] = name
    return Said(Role.ASSISTANT, Kind.TOOL_CALL, plain(block.get("input")), name, call)


def _joined(blocks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    waiting: list[dict[str, Any]] = []
    for block in blocks:
        if block.get("type") in _APART:
            if waiting:
                yield {"type": "text", "text": plain(waiting)}
                waiting = []
            yield block
        else:
            waiting.append(block)
    if waiting:
        yield {"type": "text", "text": plain(waiting)}
