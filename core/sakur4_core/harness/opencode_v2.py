"""opencode's messages since 2.x: one table, the role in ``type``, the content in one object."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

from sakur4_core.harness.lines import items, mapping, parsed, plain, text
from sakur4_core.harness.opencode_message import (
    HARNESS,
    behind_answer,
    is_done,
    moment,
    spend_of,
    tool_turns,
)
from sakur4_core.harness.records import Compacted, Kind, Record, SessionSeen, Turn, Unknown
from sakur4_core.models import Role

_SAYS = {
    "user": (Role.USER, Kind.TEXT),
    "system": (Role.SYSTEM, Kind.TEXT),
    "synthetic": (Role.USER, Kind.INJECTED),
    "shell": (Role.USER, Kind.INJECTED),
}
_QUIET = frozenset({"model-switched", "agent-switched"})


def has_messages(db: sqlite3.Connection, tables: set[str]) -> bool:
    """Whether a database holds messages of this shape."""
    return "session_message" in tables and (
        db.execute("SELECT 1 FROM session_message LIMIT 1").fetchone() is not None
    )


def read_session(
    db: sqlite3.Connection,
    session_id: str,
    sidechain: bool,
    since_ms: int,
    *,
    finished_only: bool,
) -> Iterator[Record]:
    """The records of one session's messages that changed at or after ``since_ms``."""
    rows = db.execute(
        "SELECT id, type, data FROM session_message WHERE session_id = ? AND time_updated >= ?"
        " ORDER BY seq, time_created, id",
        (session_id, since_ms),
    )
    for row in rows:
        found = parsed(str(row["data"]).encode("utf-8", "replace"))
        data = {} if isinstance(found, str) else found
        message = _Message(str(row["id"]), session_id, str(row["type"]), data, sidechain)
        yield from message.records(finished_only)


class _Message:
    def __init__(
        self, message_id: str, session_id: str, form: str, data: dict[str, Any], sidechain: bool
    ) -> None:
        self._id = message_id
        self._session = session_id
        self._form = form
        self._data = data
        self._sidechain = sidechain
        self._node = f"opencode:{message_id}"

    def records(self, finished_only: bool) -> Iterator[Record]:
        if self._form in _SAYS:
            yield from self._said()
        elif self._form == "assistant":
            yield from self._answer(finished_only)
        elif self._form == "compaction":
            yield from self._compaction()
        elif self._form not in _QUIET:
            raw = json.dumps(self._data).encode()
            yield Unknown(self._node, f"message {self._form}", raw)

    def _said(self) -> Iterator[Record]:
        role, kind = _SAYS[self._form]
        data = self._data
        content = (
            plain([data.get("command"), data.get("output")])
            if self._form == "shell"
            else plain(data.get("text") or data.get("content"))
        )
        if content:
            yield self._turn(self._node, role, kind, content)

    def _answer(self, finished_only: bool) -> Iterator[Record]:
        data = self._data
        done = is_done(data) or not finished_only
        spend = spend_of(self._id, self._session, data, self._sidechain) if done else None
        if spend is not None and spend.model is not None:
            yield SessionSeen(self._session, HARNESS, model=spend.model)
        yield from behind_answer(self._blocks(done), spend)

    def _blocks(self, done: bool) -> Iterator[Record]:
        data = self._data
        for place, block in enumerate(map(mapping, items(data.get("content")))):
            form, key = block.get("type"), f"{self._node}#{place}"
            if form == "tool":
                yield from tool_turns(
                    key, self._session, block, self._sidechain, self._node, moment(data)
                )
            elif done and (content := text(block.get("text"))):
                kind = Kind.THINKING if form == "reasoning" else Kind.TEXT
                yield self._turn(key, Role.ASSISTANT, kind, content)

    def _compaction(self) -> Iterator[Record]:
        reason = text(self._data.get("reason"))
        yield Compacted(self._node, self._session, reason, sidechain=self._sidechain)
        summary = text(self._data.get("summary")) or text(self._data.get("text"))
        if summary is not None:
            yield self._turn(f"{self._node}#1", Role.ASSISTANT, Kind.SUMMARY, summary)

    def _turn(self, key: str, role: Role, kind: Kind, content: str) -> Turn:
        typed = role is Role.USER and kind is Kind.TEXT and not self._sidechain
        return Turn(
            key,
            self._session,
            role,
            kind,
            content,
            typed=typed,
            sidechain=self._sidechain,
            node=self._node,
            timestamp=moment(self._data),
        )
