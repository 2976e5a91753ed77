"""Codex's rollouts: JSON Lines of ``{timestamp, type, payload}``, cumulative token counts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from typing import Any

from sakur4_core.harness.codex_fork import ForkGate, spawned_by
from sakur4_core.harness.codex_words import Words
from sakur4_core.harness.lines import items, mapping, number, plain, read_object, text
from sakur4_core.harness.records import (
    Compacted,
    Kind,
    Line,
    Record,
    RolledBack,
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
    "<collaboration_mode>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<skill>",
    "# agents.md instructions",
)
# Calls whose outputs have not come: the newest are remembered.
REMEMBERED = 256
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
        pairs = zip(astuple(self), astuple(before), strict=True)
        return _Vector(*(max(0, now - then) for now, then in pairs))

    def restarted(self, before: _Vector) -> bool:
        """Whether these totals cannot follow those before."""
        return self.input < before.input or self.output < before.output


_ZERO = _Vector(0, 0, 0, 0)


class CodexReader:
    """Reads one rollout.

    Args:
        session: The session that the file's name gives, where no line says it.
        gate: Tells which lines are a copy of the parent's history.
    """

    def __init__(self, session: str | None = None, gate: ForkGate | None = None) -> None:
        self._file_session = session
        self._gate = gate or ForkGate()
        self._session: str | None = None
        self._subagent = False
        self._inherits = False
        self._model: str | None = None
        self._provider: str | None = None
        self._totals = _ZERO
        self._last: _Vector | None = None
        self._tools: dict[str, str] = {}
        self._words = Words()
        # Compactions told by items that wait for their events, less those told by events.
        self._compactions = 0

    def state(self) -> dict[str, Any]:
        """See :class:`~sakur4_core.harness.records.LineReader`."""
        return {
            "session": self._session,
            "subagent": self._subagent,
            "inherits": self._inherits,
            "model": self._model,
            "provider": self._provider,
            "totals": astuple(self._totals),
            "last": None if self._last is None else astuple(self._last),
            "tools": self._tools,
            "words": self._words.state(),
            "compactions": self._compactions,
            "gate": self._gate.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """See :class:`~sakur4_core.harness.records.LineReader`."""
        self._session = text(state.get("session"))
        self._subagent = bool(state.get("subagent"))
        self._inherits = bool(state.get("inherits"))
        self._model = text(state.get("model"))
        self._provider = text(state.get("provider"))
        self._totals = _Vector(*(items(state.get("totals")) or (0, 0, 0, 0)))
        last = items(state.get("last"))
        self._last = _Vector(*last) if last else None
        self._tools = dict(mapping(state.get("tools")))
        self._words.restore(mapping(state.get("words")))
        self._compactions = int(state.get("compactions") or 0)
        self._gate.restore(mapping(state.get("gate")))

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
            yield Unknown(f"codex:{self._id}:{line.number}", text(kind) or "no type", line.data)
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
        self._session = text(payload.get("id")) or text(payload.get("session_id")) or self._id
        self._provider = text(payload.get("model_provider"))
        parent = spawned_by(payload)
        self._subagent = bool(mapping(payload.get("source")).get("subagent"))
        self._inherits = self._subagent or text(payload.get("forked_from_id")) is not None
        return SessionSeen(
            self._session,
            HARNESS,
            parent_session=parent or text(payload.get("forked_from_id")),
            cwd=text(payload.get("cwd")),
            branch=text(mapping(payload.get("git")).get("branch")),
        )

    @property
    def _id(self) -> str:
        return self._session or self._file_session or "unknown"

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
            yield from self._message(payload, line, timestamp)
        elif form in _CALLS:
            name = text(payload.get("name")) or form.removesuffix("_call")
            if call is not None:
                self._tools[call] = name
                if len(self._tools) > REMEMBERED:
                    del self._tools[next(iter(self._tools))]
            content = plain(payload.get(_CALLS[form]))
            yield self._turn(line, Role.ASSISTANT, Kind.TOOL_CALL, content, timestamp, name, call)
        elif form in _OUTPUTS:
            known = self._tools.pop(call or "", None)
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
            said = plain(payload.get("message"))
            if said.strip() and self._words.event_is_new(role, said):
                yield self._say(role, said, line, timestamp)
        elif form == "token_count":
            yield from self._count(mapping(payload.get("info")), line, timestamp)
        elif form == "context_compacted":
            yield from self._compacted("event", payload, line, timestamp)
        elif form == "thread_rolled_back":
            turns = number(payload.get("num_turns"))
            if turns:
                yield RolledBack(self._key(line), self._id, turns)

    def _message(
        self, payload: dict[str, Any], line: Line, timestamp: str | None
    ) -> Iterator[Record]:
        role = _ROLES.get(str(payload.get("role")), Role.SYSTEM)
        blocks = [mapping(block) for block in items(payload.get("content"))]
        parts = [said for block in blocks if (said := text(block.get("text")))]
        content = plain(blocks)
        if content.strip() and (
            # What Codex adds itself has no event.
            _is_injected(role, content) or self._words.item_is_new(role, parts or [content])
        ):
            yield self._say(role, content, line, timestamp)

    def _say(self, role: Role, content: str, line: Line, timestamp: str | None) -> Turn:
        kind = Kind.INJECTED if _is_injected(role, content) else Kind.TEXT
        return self._turn(line, role, kind, content, timestamp)

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
            self._key(line) if kind is not Kind.SUMMARY else f"{self._key(line)}#1",
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

    def _count(self, info: dict[str, Any], line: Line, timestamp: str | None) -> Iterator[Record]:
        total, last = _vector(info.get("total_token_usage")), _vector(info.get("last_token_usage"))
        if total is not None:
            if total == self._totals:
                return
            # The first totals of a fork may hold what its parent spent, or begin anew with what
            # the last call alone spent.
            fresh = (
                total.restarted(self._totals)
                or total == last
                or (self._inherits and self._totals == _ZERO)
            )
            spent = (last or total) if fresh else total.minus(self._totals)
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
            self._key(line),
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
            timestamp=timestamp,
        )

    def _compacted(
        self, via: str, payload: dict[str, Any], line: Line, timestamp: str | None
    ) -> Iterator[Record]:
        step = 1 if via == "compacted" else -1
        if self._compactions * step >= 0:
            yield Compacted(self._key(line), self._id, sidechain=self._subagent)
        self._compactions += step
        summary = text(payload.get("message"))
        if summary is not None:
            yield self._turn(line, Role.ASSISTANT, Kind.SUMMARY, summary, timestamp)

    def _key(self, line: Line) -> str:
        """A line's identity: its place and what stands there, as a file may be cut and go on."""
        mark = hashlib.blake2b(line.data, digest_size=6).hexdigest()
        return f"codex:{self._id}:{line.number}:{mark}"


def _is_injected(role: Role, content: str) -> bool:
    return role is Role.USER and content[:200].lstrip().lower().startswith(_INJECTED)


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
