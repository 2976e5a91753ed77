"""opencode's sessions: a SQLite database since 1.2, a tree of JSON files before.

Rows and files change in place while an answer streams, so a turn counts once its message, or its
tool call, is finished; at import everything counts as it stands.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sakur4_core.errors import InvalidInput
from sakur4_core.harness.lines import mapping, number, plain, text
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

HARNESS = "opencode"
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}
QUIET_PARTS = frozenset(
    {"step-start", "step-finish", "snapshot", "patch", "agent", "subtask", "retry"}
)
_FINISHED = ("completed", "error")
_TABLES = {"session", "message", "part"}


@dataclass(frozen=True, slots=True)
class Message:
    """One message with its parts, in order."""

    message_id: str
    session_id: str
    data: dict[str, Any]
    parts: tuple[tuple[str, dict[str, Any]], ...]


def read_database(
    file: Path, *, directory: str | None = None, since_ms: int = 0, finished_only: bool = False
) -> Iterator[Record]:
    """The records of a database, opened for reading only.

    Args:
        directory: Only sessions of this work tree.
        since_ms: Only messages updated at or after this time.
        finished_only: Leave out what may still change (a live database).

    Raises:
        InvalidInput: The file is no opencode database.
    """
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as db:
            db.row_factory = sqlite3.Row
            tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
            if not tables >= _TABLES:
                raise InvalidInput(f"{file} is no opencode database.", "Name opencode.db.")
            sessions = _sessions(db, directory)
            parents = {seen.session_id: seen.parent_session for seen in sessions}
            yield from sessions
            for message in _rows(db, set(parents), since_ms):
                sidechain = parents.get(message.session_id) is not None
                yield from read_message(message, sidechain, finished_only=finished_only)
    except sqlite3.Error as error:
        raise InvalidInput(f"{file} cannot be read: {error}.", "Name opencode.db.") from error


def read_storage(folder: Path) -> Iterator[Record]:
    """The records of the older tree of JSON files: ``message/``, ``part/``, ``session/``."""
    parents: dict[str, str | None] = {}
    for file in sorted(folder.glob("session/*/*.json")):
        info = _load(file)
        session = text(info.get("id"))
        if session is not None:
            parents[session] = text(info.get("parentID"))
            yield _session(session, parents[session], info.get("directory"), info.get("title"))
    for group in sorted((folder / "message").glob("*")):
        if group.name not in parents:
            parents[group.name] = None
            yield _session(group.name, None, None, None)
        for message in _files(folder, group):
            if isinstance(message, Skipped):
                yield message
            else:
                yield from read_message(message, parents[group.name] is not None)


def read_message(
    message: Message, sidechain: bool, *, finished_only: bool = False
) -> Iterator[Record]:
    """The records of one message: its turns, its tokens, a compaction it marks."""
    data = message.data
    role = _ROLES.get(str(data.get("role")))
    if role is None:
        yield Unknown(f"role {data.get('role')}", json.dumps(data).encode())
        return
    done = role is not Role.ASSISTANT or mapping(data.get("time")).get("completed") is not None
    for part_id, part in message.parts:
        if done or part.get("type") == "tool" or not finished_only:
            yield from _part(message, part_id, part, role, sidechain)
    if role is Role.ASSISTANT and (done or not finished_only):
        yield _spend(message, sidechain)
        model = text(data.get("modelID"))
        if model is not None:
            yield SessionSeen(message.session_id, HARNESS, model=model)


def _part(
    message: Message, part_id: str, part: dict[str, Any], role: Role, sidechain: bool
) -> Iterator[Record]:
    form = str(part.get("type"))
    key, session = f"opencode:{part_id}", message.session_id
    if form == "compaction":
        trigger = "auto" if part.get("auto") else "manual"
        yield Compacted(key, session, trigger, sidechain=sidechain)
    elif form == "tool":
        yield from _tool(key, session, part, sidechain)
    elif form in ("text", "reasoning", "file"):
        content = plain([part]) if form == "file" else text(part.get("text"))
        if content and not part.get("ignored"):
            kind = _kind(message, part, form)
            typed = role is Role.USER and kind is Kind.TEXT and form == "text" and not sidechain
            yield Turn(key, session, role, kind, content, typed=typed, sidechain=sidechain)
    elif form not in QUIET_PARTS:
        yield Unknown(f"part {form}", json.dumps(part).encode())


def _kind(message: Message, part: dict[str, Any], form: str) -> Kind:
    if form == "reasoning":
        return Kind.THINKING
    if part.get("synthetic"):
        return Kind.INJECTED
    return Kind.SUMMARY if message.data.get("summary") is True else Kind.TEXT


def _tool(key: str, session: str, part: dict[str, Any], sidechain: bool) -> Iterator[Record]:
    state = mapping(part.get("state"))
    name, call = text(part.get("tool")), text(part.get("callID"))
    if state.get("status") in ("running", *_FINISHED):
        yield Turn(
            f"{key}:call",
            session,
            Role.ASSISTANT,
            Kind.TOOL_CALL,
            plain(state.get("input")),
            tool_name=name,
            tool_call_id=call,
            sidechain=sidechain,
        )
    if state.get("status") in _FINISHED:
        yield Turn(
            f"{key}:result",
            session,
            Role.TOOL,
            Kind.TOOL_RESULT,
            plain(state.get("output") or state.get("error")),
            tool_name=name,
            tool_call_id=call,
            sidechain=sidechain,
        )


def _spend(message: Message, sidechain: bool) -> Spend:
    tokens = mapping(message.data.get("tokens"))
    cache = mapping(tokens.get("cache"))
    fresh, output = number(tokens.get("input")), number(tokens.get("output"))
    read, written = number(cache.get("read")), number(cache.get("write"))
    known = [count for count in (fresh, output, read, written) if count is not None]
    context = number(tokens.get("total"))
    if context is None and known:
        context = sum(known)
    return Spend(
        f"opencode:{message.message_id}",
        message.session_id,
        input_tokens=fresh,
        cache_creation_tokens=written,
        cache_read_tokens=read,
        output_tokens=output,
        context_tokens=context or None,
        sidechain=sidechain,
        model=text(message.data.get("modelID")),
        provider=text(message.data.get("providerID")),
    )


def _session(session: str, parent: str | None, directory: Any, title: Any) -> SessionSeen:
    return SessionSeen(session, HARNESS, parent, text(directory), title=text(title))


def _sessions(db: sqlite3.Connection, directory: str | None) -> list[SessionSeen]:
    rows = db.execute("SELECT * FROM session ORDER BY time_created, id").fetchall()
    found = []
    for row in rows:
        keys = row.keys()
        where = row["directory"] if "directory" in keys else None
        if directory is None or where == directory:
            parent = row["parent_id"] if "parent_id" in keys else None
            title = row["title"] if "title" in keys else None
            found.append(_session(row["id"], parent, where, title))
    return found


def _rows(db: sqlite3.Connection, sessions: set[str], since_ms: int) -> Iterator[Message]:
    rows = db.execute(
        "SELECT id, session_id, data FROM message m WHERE time_updated >= ?1 OR EXISTS"
        " (SELECT 1 FROM part p WHERE p.message_id = m.id AND p.time_updated >= ?1)"
        " ORDER BY session_id, time_created, id",
        (since_ms,),
    ).fetchall()
    for row in rows:
        if row["session_id"] in sessions:
            parts = db.execute(
                "SELECT id, data FROM part WHERE message_id = ? ORDER BY time_created, id",
                (row["id"],),
            )
            yield Message(
                row["id"],
                row["session_id"],
                _data(row["data"]),
                tuple((part["id"], _data(part["data"])) for part in parts),
            )


def _files(folder: Path, group: Path) -> Iterator[Message | Skipped]:
    messages = []
    for file in sorted(group.glob("*.json")):
        info = _load(file)
        message_id = text(info.get("id"))
        if message_id is None:
            yield Skipped(0, f"{file.name}: no message")
            continue
        parts = [_load(part) for part in sorted((folder / "part" / message_id).glob("*.json"))]
        named = tuple(
            (text(part.get("id")) or str(place), part) for place, part in enumerate(parts)
        )
        created = number(mapping(info.get("time")).get("created")) or 0
        messages.append((created, message_id, Message(message_id, group.name, info, named)))
    for _, _, message in sorted(messages, key=lambda entry: entry[:2]):
        yield message


def _load(file: Path) -> dict[str, Any]:
    try:
        return _data(file.read_text("utf-8", "replace"))
    except OSError:
        return {}


def _data(source: str) -> dict[str, Any]:
    try:
        return mapping(json.loads(source))
    except (ValueError, RecursionError):
        return {}
