"""Schema versions: numbered SQL files, each applied once, each in its own transaction."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass
from functools import cache
from importlib import resources

from sakur4_core.errors import SchemaTooNew, StoreError


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema: ``version`` is the number its file name starts with."""

    version: int
    name: str
    sql: str


@cache
def migrations() -> tuple[Migration, ...]:
    """All steps, in order, without a gap."""
    folder = resources.files("sakur4_core.store") / "migrations"
    steps = []
    for entry in folder.iterdir():
        match = re.fullmatch(r"(\d{4})_(\w+)\.sql", entry.name)
        if match:
            steps.append(Migration(int(match[1]), match[2], entry.read_text("utf-8")))
    steps.sort(key=lambda step: step.version)
    return tuple(steps)


def latest_version() -> int:
    """The schema version that this program writes."""
    return migrations()[-1].version


def migrate(db: sqlite3.Connection) -> int:
    """Bring ``db`` to the latest version; return it.

    Raises:
        SchemaTooNew: The file was written by a newer program; nothing is changed.
        StoreError: A database of another application.
    """
    version, tables = _state(db)
    if version > latest_version():
        raise SchemaTooNew(
            f"The store has schema {version}, newer than this program's {latest_version()}.",
            "Update sakur4-tui, or name another store with --store.",
        )
    if version == latest_version():
        return version
    if version == 0 and tables:
        raise StoreError(
            "The file is a SQLite database of another application.",
            "Name another file with --store.",
        )
    for step in migrations():
        if step.version > version:
            _apply(db, step)
    return latest_version()


def _state(db: sqlite3.Connection) -> tuple[int, int]:
    """The schema's version and its number of objects, as of one moment."""
    db.execute("BEGIN")
    try:
        version: int = db.execute("PRAGMA user_version").fetchone()[0]
        objects: int = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    finally:
        db.execute("ROLLBACK")
    return version, objects


def _apply(db: sqlite3.Connection, step: Migration) -> None:
    db.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have taken the same step while this one waited.
        if db.execute("PRAGMA user_version").fetchone()[0] < step.version:
            for statement in _statements(step.sql):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {step.version}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _statements(sql: str) -> list[str]:
    """Split a script at the semicolons that end a statement (not those inside triggers)."""
    statements, buffer = [], ""
    for line in sql.splitlines(keepends=True):
        buffer += line
        if line.rstrip().endswith(";") and sqlite3.complete_statement(buffer):
            statements.append(buffer.strip())
            buffer = ""
    if buffer.strip():
        statements.append(buffer.strip())
    return statements
