"""What no plan may name: the newest turn, what is still open, and errors not yet resolved."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Final

from sakur4_core.memory.ledger import tool_scope
from sakur4_core.models import Role
from sakur4_core.store import failures as sql
from sakur4_core.store.window import Frame, WindowRow

# An error that this many later results did not touch has become history.
ERROR_REACH: Final = 64
# What unresolved errors may fill of the window, the newest first.
ERROR_SHARE: Final = 0.10
CALL_CHARS: Final = 200

# Read once: a lookup on the enum is dear where it is done for every episode.
_USER: Final = Role.USER
_TOOL: Final = Role.TOOL


def protected(frame: Frame, errors: Iterable[int] = ()) -> frozenset[int]:
    """Places that no plan may name: the newest turn, the newest user message, a call that
    waits for its result, an open fold, and ``errors``."""
    places: set[int] = set(errors)
    answered: set[str | None] = set()
    for row in reversed(frame.rows):
        role, call = row.role, row.tool_call_id
        if role is _TOOL:
            answered.add(call)
        elif role is _USER:
            places.add(row.seq)
            break
        if call is not None and call not in answered:
            places.add(row.seq)
    places.update(row.seq for row in frame.rows[-1:])
    if frame.open_fold_seq is not None:
        places.update(row.seq for row in frame.rows if row.seq >= frame.open_fold_seq)
    return frozenset(places)


def unresolved(db: sqlite3.Connection, frame: Frame) -> tuple[int, ...]:
    """Places of results whose error nothing after them has resolved, the newest first.

    A failing test is resolved, or told anew, by the next result that names it; a failing
    command by the next call of the same tool with the same words.
    """
    results = [row for row in frame.rows if row.role is Role.TOOL][-ERROR_REACH:]
    scopes = {tool_scope(frame.session_id, _call(row)): row for row in results}
    failed = sql.failures(db, scopes)
    if not failed:
        return ()
    tests = {failure.test for failure in failed if failure.test is not None}
    told = sql.tested(db, scopes, tests) if tests else frozenset()
    calls = _calls(db, frame.session_id, results)
    open_places: set[int] = set()
    for failure in failed:
        row = scopes[failure.scope]
        later = [other for other in results if other.seq > row.seq]
        if failure.test is None:
            touched = any(calls[other.seq] == calls[row.seq] for other in later)
        else:
            touched = any(
                (tool_scope(frame.session_id, _call(other)), failure.test) in told
                for other in later
            )
        if not touched:
            open_places.add(row.seq)
    return tuple(sorted(open_places, reverse=True))


def within_share(frame: Frame, errors: Iterable[int], window: float) -> frozenset[int]:
    """The newest errors that fill at most ``ERROR_SHARE`` of the window together."""
    tokens = {row.seq: row.tokens for row in frame.rows}
    kept: set[int] = set()
    room = window * ERROR_SHARE
    for seq in errors:
        room -= tokens[seq]
        if room < 0:
            break
        kept.add(seq)
    return frozenset(kept)


def _calls(
    db: sqlite3.Connection, session_id: str, results: Sequence[WindowRow]
) -> dict[int, tuple[str | None, str]]:
    """What was called, by the place of its result: the tool, and the end of the call's text."""
    ids = [row.tool_call_id for row in results if row.tool_call_id is not None]
    texts = sql.call_texts(db, session_id, ids, CALL_CHARS)
    return {row.seq: (row.tool_name, texts.get(row.tool_call_id or "", "")) for row in results}


def _call(row: WindowRow) -> str:
    """The name that the facts of a result are kept under."""
    return row.tool_call_id or row.episode_id
