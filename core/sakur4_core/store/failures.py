"""SQL that reads which tool results failed, from the facts that parsers saw in them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import NamedTuple


class Failure(NamedTuple):
    """One failing thing in one tool result: a test by its name, or None for the exit code."""

    scope: str
    test: str | None


def failures(db: sqlite3.Connection, scopes: Iterable[str]) -> tuple[Failure, ...]:
    """What failed in the results of these scopes."""
    rows = db.execute(
        "SELECT scope, CASE kind WHEN 'test_result' THEN qualified_name END"
        " FROM fact WHERE source = 'tool-output'"
        " AND scope IN (SELECT value FROM json_each(?))"
        " AND ((kind = 'test_result' AND (value GLOB 'failed*' OR value GLOB 'error*'))"
        " OR (kind = 'tool_exit_code' AND value <> '0')) ORDER BY fact_row",
        (json.dumps(list(scopes)),),
    )
    return tuple(Failure(*row) for row in rows)


def tested(
    db: sqlite3.Connection, scopes: Iterable[str], tests: Iterable[str]
) -> frozenset[tuple[str, str]]:
    """Which of the scopes tell of which of the tests, whatever came of them."""
    rows = db.execute(
        "SELECT scope, qualified_name FROM fact WHERE source = 'tool-output'"
        " AND kind = 'test_result' AND scope IN (SELECT value FROM json_each(?))"
        " AND qualified_name IN (SELECT value FROM json_each(?))",
        (json.dumps(list(scopes)), json.dumps(list(tests))),
    )
    return frozenset((row[0], row[1]) for row in rows)


def call_texts(
    db: sqlite3.Connection, session_id: str, calls: Iterable[str], characters: int
) -> dict[str, str]:
    """How the calls were made: the end of what the assistant wrote, by call id."""
    rows = db.execute(
        "SELECT tool_call_id, substr(content, -?) FROM episode WHERE session_id = ?"
        " AND role = 'assistant' AND tool_call_id IN (SELECT value FROM json_each(?))",
        (characters, session_id, json.dumps(list(calls))),
    )
    return {row[0]: row[1] for row in rows}
