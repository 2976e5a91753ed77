"""Whose store this is, and how much it holds."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from sakur4_core.errors import WrongProject
from sakur4_core.paths import Project
from sakur4_core.store.database import Transaction


@dataclass(frozen=True, slots=True)
class Counts:
    """Rows by kind, for the status."""

    schema_version: int
    episodes: int
    facts: int
    files: int
    sessions: int
    anchors: int
    pending: int
    stale: int
    atlas: int
    indexed_at: str | None


def meta(db: sqlite3.Connection, key: str) -> str | None:
    """One value of the store's own notes."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else row[0]


def set_meta(db: sqlite3.Connection, key: str, value: str) -> None:
    """Write one value of the store's own notes."""
    db.execute(
        "INSERT INTO meta (key, value) VALUES (?, ?)"
        " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (key, value),
    )


def claim(tx: Transaction, project: Project) -> None:
    """Bind a new store to its project, or check that it is this one's.

    Raises:
        WrongProject: The store records another project.
    """
    owner = meta(tx.db, "project_id")
    if owner is None:
        set_meta(tx.db, "project_id", project.project_id)
    elif owner != project.project_id:
        root = meta(tx.db, "project_root") or "another folder"
        raise WrongProject(
            f"The store belongs to the project at {root}.",
            "Name that project with --project, or another file with --store.",
        )
    if meta(tx.db, "project_root") != str(project.root):
        set_meta(tx.db, "project_root", str(project.root))


def counts(db: sqlite3.Connection) -> Counts:
    """Count what the store holds, in one snapshot."""
    row = db.execute(
        "SELECT (SELECT count(*) FROM episode) AS episodes,"
        " (SELECT count(*) FROM fact) AS facts,"
        " (SELECT count(*) FROM file) AS files,"
        " (SELECT count(*) FROM session) AS sessions,"
        " (SELECT count(*) FROM anchor WHERE unpinned_at IS NULL) AS anchors,"
        " (SELECT count(*) FROM proposal WHERE status = 'pending') AS pending,"
        " (SELECT count(DISTINCT atlas_id) FROM atlas_staleness WHERE stale) AS stale,"
        " (SELECT count(*) FROM atlas WHERE retired_at IS NULL) AS atlas"
    ).fetchone()
    return Counts(
        schema_version=db.execute("PRAGMA user_version").fetchone()[0],
        indexed_at=meta(db, "indexed_at"),
        **dict(row),
    )
