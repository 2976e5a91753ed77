"""opencode's sessions: a SQLite database since 1.2, a tree of JSON files before.

Rows and files change in place while an answer streams, so a turn counts once its message, or its
tool call, is finished; at import everything counts as it stands. Since 2.x the database has
messages in one table (see ``opencode_v2``); it holds the older ones too, so one is read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sakur4_core.errors import InvalidInput
from sakur4_core.harness import opencode_v2
from sakur4_core.harness.lines import mapping, number, parsed, text
from sakur4_core.harness.opencode_message import HARNESS, Message, read_message
from sakur4_core.harness.records import Record, SessionSeen, Skipped

_TABLES = {"session", "message", "part"}


@dataclass(frozen=True, slots=True)
class Live:
    """What is read of a database that is in use: only what changes no more.

    Attributes:
        directory: The work tree whose sessions are read, those in folders below it included.
        active_ms: Only sessions updated at or after this time, in milliseconds since 1970.
        since_ms: Only messages updated at or after this time.
    """

    directory: Path
    active_ms: int
    since_ms: int


def read_database(file: Path, live: Live | None = None) -> Iterator[Record]:
    """The records of a database, opened for reading only; the newest session last.

    Args:
        live: What to read of a database in use; None for all of it as it stands.

    Raises:
        InvalidInput: The file is no opencode database.
    """
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as db:
            db.row_factory = sqlite3.Row
            tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
            newer = opencode_v2.has_messages(db, tables)
            if not newer and not tables >= _TABLES:
                raise InvalidInput(f"{file} is no opencode database.", "Name opencode.db.")
            since_ms = 0 if live is None else live.since_ms
            finished_only = live is not None
            for seen in _sessions(db, tables, newer=newer, live=live):
                yield seen
                sidechain = seen.parent_session is not None
                if newer:
                    yield from opencode_v2.read_session(
                        db, seen.session_id, sidechain, since_ms, finished_only=finished_only
                    )
                    continue
                for message in _messages(db, seen.session_id, since_ms):
                    yield from read_message(message, sidechain, finished_only=finished_only)
    except sqlite3.Error as error:
        raise InvalidInput(f"{file} cannot be read: {error}.", "Name opencode.db.") from error


def read_storage(folder: Path) -> Iterator[Record]:
    """The records of the older tree of JSON files: ``message/``, ``part/``, ``session/``."""
    sessions: dict[str, SessionSeen] = {}
    for file in sorted(folder.glob("session/*/*.json")):
        info = _load(file)
        session_id = text(info.get("id"))
        if session_id is not None:
            sessions[session_id] = SessionSeen(
                session_id,
                HARNESS,
                text(info.get("parentID")),
                text(info.get("directory")),
                title=text(info.get("title")),
            )
    groups = {group.name: group for group in sorted((folder / "message").glob("*"))}
    ages = {name: _newest(group) for name, group in groups.items()}
    names = sessions.keys() | groups.keys()
    for name in sorted(names, key=lambda name: (ages.get(name, 0), name)):
        seen = sessions.get(name) or SessionSeen(name, HARNESS)
        yield seen
        if name not in groups:
            continue
        for message in _files(folder, groups[name]):
            if isinstance(message, Skipped):
                yield message
            else:
                yield from read_message(message, seen.parent_session is not None)


def is_database(file: Path) -> bool:
    """Whether a file is an opencode database, of either generation."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as db:
            tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
    except sqlite3.Error:
        return False
    return tables >= _TABLES or "session_message" in tables


def _sessions(
    db: sqlite3.Connection, tables: set[str], *, newer: bool, live: Live | None
) -> list[SessionSeen]:
    found: dict[str, tuple[int, SessionSeen]] = {}
    for table in ("session", "session_v2"):
        if table not in tables or (table == "session_v2" and not newer):
            continue
        for row in db.execute(f"SELECT * FROM {table}"):
            columns = dict(row)
            seen = SessionSeen(
                str(columns["id"]),
                HARNESS,
                text(columns.get("parent_id")),
                text(columns.get("directory")),
                title=text(columns.get("title")),
            )
            updated = number(columns.get("time_updated")) or 0
            if live is None or (
                updated >= live.active_ms
                and seen.cwd is not None
                and Path(seen.cwd).is_relative_to(live.directory)
            ):
                found[seen.session_id] = (updated, seen)
    aged = sorted(found.values(), key=lambda one: (one[0], one[1].session_id))
    return [seen for _, seen in aged]


def _messages(db: sqlite3.Connection, session_id: str, since_ms: int) -> Iterator[Message]:
    rows = db.execute(
        "SELECT id, data FROM message m WHERE session_id = ?1 AND (time_updated >= ?2 OR EXISTS"
        " (SELECT 1 FROM part p WHERE p.message_id = m.id AND p.time_updated >= ?2))"
        " ORDER BY time_created, id",
        (session_id, since_ms),
    )
    for row in rows:
        parts = db.execute(
            "SELECT id, data FROM part WHERE message_id = ? ORDER BY time_created, id",
            (row["id"],),
        )
        yield Message(
            row["id"],
            session_id,
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
            (text(part.get("id")) or f"{message_id}-{place}", part)
            for place, part in enumerate(parts)
        )
        messages.append((_created(info), message_id, Message(message_id, group.name, info, named)))
    for _, _, message in sorted(messages, key=lambda entry: entry[:2]):
        yield message


def _newest(group: Path) -> int:
    return max((_created(_load(file)) for file in group.glob("*.json")), default=0)


def _created(info: dict[str, Any]) -> int:
    return number(mapping(info.get("time")).get("created")) or 0


def _load(file: Path) -> dict[str, Any]:
    try:
        return _data(file.read_bytes())
    except OSError:
        return {}


def _data(source: object) -> dict[str, Any]:
    data = source if isinstance(source, bytes) else str(source).encode("utf-8", "replace")
    found = parsed(data)
    return {} if isinstance(found, str) else found
