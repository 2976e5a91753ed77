"""The one door into the Symbolic Ledger for facts of tool output."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from sakur4_core.models import Fact, FactKind
from sakur4_core.store.database import Transaction

COLUMNS = (
    "fact_id, kind, qualified_name, file_path, line_start, line_end, signature, value,"
    " interface_hash, body_hash, source, scope"
)


def insert_tool_facts(tx: Transaction, facts: Iterable[Fact]) -> int:
    """Write facts of one tool result; the same natural key keeps its first row.

    Returns:
        How many were new.
    """
    rows = [
        (
            fact.fact_id,
            str(fact.kind),
            fact.qualified_name,
            fact.file_path,
            fact.line_start,
            fact.line_end,
            fact.signature,
            fact.value,
            fact.interface_hash,
            fact.body_hash,
            fact.source,
            fact.scope,
        )
        for fact in facts
    ]
    cursor = tx.db.executemany(
        f"INSERT INTO fact ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (fact_id) DO NOTHING",
        rows,
    )
    return max(cursor.rowcount, 0)


def delete_scope(tx: Transaction, scope: str) -> None:
    """Remove the facts of one tool result (a redaction)."""
    tx.db.execute("DELETE FROM fact WHERE source = 'tool-output' AND scope = ?", (scope,))


def of_scope(db: sqlite3.Connection, scope: str) -> tuple[Fact, ...]:
    """The facts of one tool result."""
    rows = db.execute(
        f"SELECT {COLUMNS} FROM fact WHERE source = 'tool-output' AND scope = ? ORDER BY fact_row",
        (scope,),
    )
    return tuple(_fact(row) for row in rows)


def _fact(row: sqlite3.Row) -> Fact:
    values = dict(row)
    values["kind"] = FactKind(values["kind"])
    return Fact(**values)
