"""Another project's store, named deliberately and read only."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol, TypeVar

from sakur4_core.errors import NotFound, StoreError
from sakur4_core.paths import Home, registered
from sakur4_core.store.connection import StoreConnection, connect
from sakur4_core.store.faults import translate
from sakur4_core.store.migrate import latest_version

T = TypeVar("T")

NAMED_IN_HINT = 5


class Reader(Protocol):
    """Where a recall reads from: this project's database, or another's store."""

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` on a connection, in one snapshot."""
        ...


class OtherStore:
    """A read connection to a store that belongs to another project."""

    def __init__(self, path: Path, connection: StoreConnection) -> None:
        self._path = path
        self._connection = connection

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` in one snapshot. Raises StoreError where SQLite refuses."""

        def snapshot(raw: sqlite3.Connection) -> T:
            raw.execute("BEGIN")
            try:
                return work(raw)
            finally:
                raw.execute("ROLLBACK")

        try:
            return await self._connection.run(snapshot)
        except sqlite3.Error as error:
            raise translate(error, self._path) from error


def resolve(project: str, home: Home) -> str:
    """The id of the project that ``project`` names by its id or its root folder.

    Raises:
        NotFound: No project of that name is known to this user.
    """
    known = registered(home)
    if project in known:
        return project
    for project_id, root in sorted(known.items()):
        if str(root) == project.rstrip("/"):
            return project_id
    some = ", ".join(str(root) for root in sorted(known.values())[:NAMED_IN_HINT])
    raise NotFound(f"No project {project!r} is known.", f"Known are, by folder: {some}.")


@asynccontextmanager
async def open_other(project_id: str, home: Home) -> AsyncIterator[OtherStore]:
    """Another project's store, closed with the block.

    Raises:
        NotFound: The project has no store yet.
        StoreError: Its store has another version than this program writes, or is none.
    """
    path = home.project_store(project_id)
    if not path.exists():
        raise NotFound(f"Project {project_id} has no memory yet.", "Open it once first.")
    connection = connect(path, read_only=True)
    try:
        await connection
        store = OtherStore(path, connection)
        version = await store.read(lambda db: db.execute("PRAGMA user_version").fetchone()[0])
        if version != latest_version():
            raise StoreError(
                f"The store of project {project_id} has schema {version},"
                f" this program reads {latest_version()}.",
                "Open that project once with this version, or update sakur4-tui.",
            )
        yield store
    except sqlite3.Error as error:
        raise translate(error, path) from error
    finally:
        await connection.close()
