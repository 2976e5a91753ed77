"""What an import found, counted: each turn, call and API message once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from sakur4_core.harness.records import (
    Compacted,
    Kind,
    Node,
    Record,
    SessionSeen,
    Skipped,
    Spend,
    Turn,
    Unknown,
)
from sakur4_core.models import Role

# Skipped lines and names of unknown types that are listed; all are counted.
LISTED = 1_000


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The figures of an import. Token sums are what the harnesses report, each call once.

    ``context_tokens`` is the newest main-thread message's; None where it is not known.
    ``unknown`` has the lines of each unknown type; of skipped lines the first are listed.
    """

    sessions: int
    episodes: int
    prompts: int
    tool_calls: int
    tool_results: int
    api_messages: int
    input_tokens: int
    cache_creation_tokens: int
    cache_read_tokens: int
    output_tokens: int
    context_tokens: int | None
    compactions: int
    skipped_lines: int
    skipped: tuple[Skipped, ...]
    unknown_types: int
    unknown: dict[str, int]
    pending_bytes: int
    files: int


@dataclass(slots=True)
class _Call:
    """The field-wise maximum over the rows of one API message."""

    sidechain: bool
    input: int = 0
    created: int = 0
    read: int = 0
    output: int = 0

    def take(self, spend: Spend) -> None:
        if spend.sidechain and not self.sidechain:
            return  # A subagent's replay of a main message is the same call.
        self.input = max(self.input, spend.input_tokens or 0)
        self.created = max(self.created, spend.cache_creation_tokens or 0)
        self.read = max(self.read, spend.cache_read_tokens or 0)
        self.output = max(self.output, spend.output_tokens or 0)


@dataclass(slots=True)
class _Context:
    """A session's newest API message, and what it sent; None where that is not known."""

    sidechain: bool
    order: int
    time: str = ""
    key: str | None = None
    tokens: int | None = None


@dataclass(slots=True)
class Tally:
    """Counts records as they come; the order of files does not matter."""

    files: int = 0
    pending_bytes: int = 0
    _sessions: set[str] = field(default_factory=set)
    _turns: set[str] = field(default_factory=set)
    _prompts: set[str] = field(default_factory=set)
    _calls: set[str] = field(default_factory=set)
    _results: set[str] = field(default_factory=set)
    _spends: dict[str, _Call] = field(default_factory=dict)
    _compactions: set[str] = field(default_factory=set)
    _skipped_lines: int = 0
    _skipped: list[Skipped] = field(default_factory=list)
    _unknown: Counter[str] = field(default_factory=Counter)
    _origins: dict[str, str] = field(default_factory=dict)
    _contexts: dict[str, _Context] = field(default_factory=dict)

    def add(self, records: Iterable[Record]) -> None:
        """Count records; ones already counted under the same key add nothing."""
        for record in records:
            match record:
                case Turn():
                    self._add_turn(record)
                case Spend():
                    self._add_spend(record)
                case Compacted():
                    self._add_compaction(record)
                case Node(node=node, origin=str(origin)):
                    self._origins[node] = self._origins.get(origin, origin)
                case SessionSeen():
                    self._sessions.add(record.session_id)
                case Skipped():
                    self._skipped_lines += 1
                    if len(self._skipped) < LISTED:
                        self._skipped.append(record)
                case Unknown():
                    if record.name in self._unknown or len(self._unknown) < LISTED:
                        self._unknown[record.name] += 1
                case _:
                    pass

    def _add_spend(self, spend: Spend) -> None:
        context = self._context(spend)
        key = self._original(spend.key)
        known = self._spends.get(key)
        if known is None:
            known = self._spends[key] = _Call(spend.sidechain)
            context.key, context.tokens = key, spend.context_tokens
        elif context.key == key and spend.context_tokens is not None:
            context.tokens = max(context.tokens or 0, spend.context_tokens)
        known.take(spend)

    def _add_compaction(self, compacted: Compacted) -> None:
        key = self._original(compacted.key)
        if key not in self._compactions:
            self._compactions.add(key)
            context = self._context(compacted)
            context.key = context.tokens = None

    def _context(self, record: Spend | Compacted | Turn) -> _Context:
        context = self._contexts.get(record.session_id)
        if context is None:
            context = _Context(record.sidechain, len(self._contexts))
            self._contexts[record.session_id] = context
        if not isinstance(record, Compacted) and record.timestamp is not None:
            context.time = record.timestamp
        return context

    def _newest_context(self) -> int | None:
        """What the newest main thread sent last; of a subagent's file alone, what that sent."""
        contexts = self._contexts.values()
        main = [context for context in contexts if not context.sidechain] or list(contexts)
        newest = max(main, key=lambda context: (context.time, context.order), default=None)
        return None if newest is None else newest.tokens

    def _add_turn(self, turn: Turn) -> None:
        key = self._original(turn.key)
        if key in self._turns:
            return
        self._turns.add(key)
        if turn.role is Role.ASSISTANT and turn.kind is not Kind.SUMMARY:
            self._context(turn)
        if turn.typed:
            self._prompts.add(turn.node or key)
        # A subagent may begin with what its parent said; calls have one id in both.
        thread = turn.session_id.partition("/")[0]
        identity = f"{thread} {turn.tool_call_id}" if turn.tool_call_id else key
        if turn.kind is Kind.TOOL_CALL:
            self._calls.add(identity)
        elif turn.kind is Kind.TOOL_RESULT:
            self._results.add(identity)

    def _original(self, key: str) -> str:
        """The key of what a fork of a fork copied."""
        node, mark, place = key.partition("#")
        return self._origins.get(node, node) + mark + place

    def report(self) -> ImportReport:
        """The figures so far."""
        spends = self._spends.values()
        return ImportReport(
            sessions=len(self._sessions),
            episodes=len(self._turns),
            prompts=len(self._prompts),
            tool_calls=len(self._calls),
            tool_results=len(self._results),
            api_messages=len(self._spends),
            input_tokens=sum(call.input for call in spends),
            cache_creation_tokens=sum(call.created for call in spends),
            cache_read_tokens=sum(call.read for call in spends),
            output_tokens=sum(call.output for call in spends),
            context_tokens=self._newest_context(),
            compactions=len(self._compactions),
            skipped_lines=self._skipped_lines,
            skipped=tuple(self._skipped),
            unknown_types=len(self._unknown),
            unknown=dict(sorted(self._unknown.items())),
            pending_bytes=self.pending_bytes,
            files=self.files,
        )
