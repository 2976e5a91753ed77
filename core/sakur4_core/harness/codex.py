"""Codex's rollouts: JSON Lines of ``{timestamp, type, payload}``, cumulative token counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sakur4_core.harness.codex_fork import ForkGate
from sakur4_core.harness.lines import Line, items, mapping, number, plain, read_object, text
from sakur4_core.harness.records import (
    Compacted,
    Kind,
    Record,
    SessionSeen,
    Skipped,
    Spend,
    Turn,
    Unknown,
)
from sakur4_core.models import Role

HARNESS = "codex"
KNOWN = frozenset(
    {
        "session_meta",
        "turn_context",
        "response_item",
        "event_msg",
        "compacted",
        "world_state",
        "inter_agent_communication",
        "token_usage_record",
    }
)
_ROLES = {
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
}
# What Codex puts into user messages itself.
_INJECTED = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<skill>",
    "# AGENTS.md instructions",
)
_CALLS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "web_search_call": "action",
    "tool_search_call": "arguments",
}
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "tool_search_output"})


@dataclass(frozen=True, slots=True)
class _Vector:
    """One set of token counts; input includes what was cached."""

    input: int
    cached: int
    written: int
    output: int

    def minus(self, before: _Vector) -> _Vector:
        return _Vector(
            self.input - before.input,
            self.cached - before.cached,
            self.written - before.written,
            self.output - before.output,
        )

    def restarted(self, before: _Vector) -> bool:
        """Whether these totals cannot follow those before."""
        return self.input < before.input or self.output < before.output


_ZERO = _Vector(0, 0, 0, 0)


class CodexReader:
    """Reads one rollout.

    Args:
        gate: Tells which lines are a copy of the parent's history.
    """

    def __init__(self, gate: ForkGate | None = None) -> None:
        self._gate = gate or ForkGate()
        self._session: str | None = None
        self._subagent = False
        self._model: str | None = None
        self._provider: str | None = None
        self._totals = _ZERO
        self._last: _Vector | None = None
        self._tools: dict[str, str] = {}
        self._said: Counter[tuple[str, str, str]] = Counter()
        self._compactions: Counter[str] = Counter()

    def read(self, line: Line) -> Iterator[Record]:
        """The records of one line."""
        entry = read_object(line)
        if entry is None:
            return
        if isinstance(entry, Skipped):
            yield entry
            return
        kind = entry.get("type")
        payload = mapping(entry.get("payload"))
        if kind not in KNOWN:
            yield Unknown(str(kind), line.data)
            return
        if kind == "session_meta" and self._session is None:
            self._gate.opened(text(entry.get("timestamp")))
            yield self._open(payload)
            return
        copied = self._gate.is_copy(str(kind), payload, text(entry.get("timestamp")))
        for record in self._records(str(kind), payload, line, text(entry.get("timestamp"))):
            if not copied:
                yield record

    def _open(self, payload: dict[str, Any]) -> SessionSeen:
        self._session = text(payload.get("id")) or "unknown"
        self._provider = text(payload.get("model_provider"))
        spawned = mapping(
            mapping(mapping(payload.get("source")).get("subagent")).get("thread_spawn")
        )
        parent = text(spawned.get("parent_thread_id"))
        self._subagent = bool(mapping(payload.get("source")).get("subagent"))
        return SessionSeen(
            self._session,
            HARNESS,
            parent_session=parent or text(payload.get("forked_from_id")),
            cwd=text(payload.get("cwd")),
            branch=text(mapping(payload.get("git")).get("branch")),
        )

    @property
    def _id(self) -> str:
        return self._session or "unknown"

    def _records(
        self, kind: str, payload: dict[str, Any], line: Line, timestamp: str | None
    ) -> Iterator[Record]:
        if kind == "turn_context":
            model = text(payload.get("model"))
            if model is not None and model != self._model:
                self._model = model
                yield SessionSeen(self._id, HARNESS, model=model)
        elif kind == "response_item":
            yield from self._item(payload, line, timestamp)
        elif kind == "event_msg":
            yield from self._event(payload, line, timestamp)
        elif kind == "compacted":
            yield from self._compacted("compacted", payload, line, timestamp)

    def _item(
        self, payload: dict[str, Any], line: Line, timestamp: str | None
    ) -> Iterator[Record]:
        form = str(payload.get("type"))
        call = text(payload.get("call_id")) or text(payload.get("id"))
        if form == "message":
            role = _ROLES.get(str(payload.get("role")), Role.SYSTEM)
            yield from self._say(
                "item", role, plain(items(payload.get("content"))), line, timestamp
            )
        elif form in _CALLS:
            name = text(payload.get("name")) or form.removesuffix("_call")
            if call is not None:
                self._tools[call] = name
            content = plain(payload.get(_CALLS[form]))
            yield self._turn(line, Role.ASSISTANT, Kind.TOOL_CALL, content, timestamp, name, call)
        elif form in _OUTPUTS:
            known = self._tools.get(call or "")
            content = _output(payload.get("output"))
            yield self._turn(line, Role.TOOL, Kind.TOOL_RESULT, content, timestamp, known, call)
        elif form == "reasoning":
            thought = plain(items(payload.get("summary")))
            if thought:
                yield self._turn(line, Role.ASSISTANT, Kind.THINKING, thought, timestamp)

    def _event(
        self, payload: dict[str, Any], line: Line, timestamp: str | None
    ) -> Iterator[Record]:
        form = payload.get("type")
        if form in ("user_message", "agent_message"):
            role = Role.USER if form == "user_message" else Role.ASSISTANT
            yield from self._say("event", role, plain(payload.get("message")), line, timestamp)
        elif form == "token_count":
            yield from self._count(mapping(payload.get("info")), line)
        elif form == "context_compacted":
            yield from self._compacted("event", payload, line, timestamp)

    def _say(
        self, via: str, role: Role, content: str, line: Line, timestamp: str | None
    ) -> Iterator[Record]:
        """A message stands in the file twice, as an item and as an event: it is one turn."""
        folded = " ".join(content.split())
        if not folded:
            return
        other = ("event" if via == "item" else "item", role.value, folded)
        if self._said[other]:
            self._said[other] -= 1
            return
        self._said[(via, role.value, folded)] += 1
        injected = role is Role.USER and content.lstrip().startswith(_INJECTED)
        yield self._turn(line, role, Kind.INJECTED if injected else Kind.TEXT, content, timestamp)

    def _turn(
        self,
        line: Line,
        role: Role,
        kind: Kind,
        content: str,
        timestamp: str | None,
        tool_name: str | None = None,
        call: str | None = None,
    ) -> Turn:
        typed = role is Role.USER and kind is Kind.TEXT and not self._subagent
        return Turn(
            f"codex:{self._id}:{line.number}",
            self._id,
            role,
            kind,
            content,
            tool_name=tool_name,
            tool_call_id=call,
            typed=typed,
            sidechain=self._subagent,
            timestamp=timestamp,
        )

    def _count(self, info: dict[str, Any], line: Line) -> Iterator[Record]:
        total, last = _vector(info.get("total_token_usage")), _vector(info.get("last_token_usage"))
        if total is not None:
            if total == self._totals:
                return
            restarted = total.restarted(self._totals)
            spent = (last or total) if restarted else total.minus(self._totals)
            self._totals = total
        elif last is not None and last != self._last:
            spent = last
        else:
            return
        self._last = last
        context = number(mapping(info.get("last_token_usage")).get("total_tokens"))
        if context is None and last is not None:
            context = last.input + last.output
        yield Spend(
            f"codex:{self._id}:{line.number}",
            self._id,
            input_tokens=spent.input,
            cache_creation_tokens=spent.written,
            cache_read_tokens=spent.cached,
            output_tokens=spent.output,
            context_tokens=context,
            sidechain=self._subagent,
            model=self._model,
            provider=self._provider or "openai",
            window=number(info.get("model_context_window")),
            input_has_cache=True,
        )

    def _compacted(
        self, via: str, payload: dict[str, Any], line: Line, timestamp: str | None
    ) -> Iterator[Record]:
        other = "event" if via == "compacted" else "compacted"
        if self._compactions[other]:
            self._compactions[other] -= 1
            return
        self._compactions[via] += 1
        yield Compacted(f"codex:{self._id}:{line.number}", self._id, sidechain=self._subagent)
        summary = text(payload.get("message"))
        if summary is not None:
            yield self._turn(line, Role.ASSISTANT, Kind.SUMMARY, summary, timestamp)


def _vector(value: Any) -> _Vector | None:
    if not isinstance(value, dict):
        return None
    return _Vector(
        number(value.get("input_tokens")) or 0,
        number(value.get("cached_input_tokens")) or 0,
        number(value.get("cache_write_input_tokens")) or 0,
        number(value.get("output_tokens")) or 0,
    )


def _output(value: Any) -> str:
    """A result's text; some versions wrap it with metadata."""
    if isinstance(value, dict) and isinstance(value.get("content"), str | list):
        return plain(value["content"])
    return plain(value)
