"""A store with a transcript, a code ledger and an Atlas, without the rest of the engine."""

from __future__ import annotations

from dataclasses import dataclass, field

from sakur4_core.clock import FakeClock, SequentialIds
from sakur4_core.context.tokens import LocalCounter
from sakur4_core.events import INDEX_UPDATED
from sakur4_core.memory.atlas import Atlas
from sakur4_core.memory.episodes import Episodes
from sakur4_core.models import Committed
from sakur4_core.paths import Home, Project, place_store
from sakur4_core.recall.recaller import Recaller
from sakur4_core.settings import Settings
from sakur4_core.store.database import Database, Transaction
from sakur4_core.workspace import Workspace


@dataclass
class Disk:
    """What the code index would find on the disk: facts to write when a path is refreshed."""

    database: Database
    changes: dict[str, list[tuple[str, tuple[object, ...]]]] = field(default_factory=dict)
    too_slow: set[str] = field(default_factory=set)
    asked: list[set[str]] = field(default_factory=list)

    async def refresh(self, paths: set[str], budget_s: float) -> set[str]:
        self.asked.append(set(paths))
        due = [step for path in sorted(paths) for step in self.changes.pop(path, [])]

        def work(tx: Transaction) -> None:
            for statement, values in due:
                tx.db.execute(statement, values)
            tx.emit(INDEX_UPDATED, actor="watcher")

        if due:
            await self.database.write(work)
        return paths & self.too_slow


@dataclass
class Memory:
    """The parts that recall works with, on one store."""

    workspace: Workspace
    disk: Disk
    episodes: Episodes
    atlas: Atlas
    recaller: Recaller

    async def say(self, content: str, **more: object) -> Committed:
        given = {"role": "user", "session_id": "s1", **more}
        return await self.episodes.commit(content=content, **given)  # type: ignore[arg-type]

    async def define(
        self, name: str, signature: str, path: str = "src/auth.py", body: str = "b1"
    ) -> str:
        """Write a function as the code index does."""
        fact_id = f"f_{name}"

        def work(tx: Transaction) -> None:
            tx.db.execute(
                "INSERT OR IGNORE INTO file (path, size, mtime_ns, status, indexed_at)"
                " VALUES (?, 1, 1, 'parsed', ?)",
                (path, tx.now()),
            )
            tx.db.execute(
                "INSERT INTO fact (fact_id, kind, qualified_name, file_path, line_start,"
                " signature, interface_hash, body_hash, source, scope)"
                " VALUES (?, 'function', ?, ?, 7, ?, 'i1', ?, 'tree-sitter', 'project')",
                (fact_id, name, path, signature, body),
            )
            tx.emit(INDEX_UPDATED, actor="watcher")

        await self.workspace.database.write(work)
        return fact_id

    async def execute(self, statement: str, *values: object) -> None:
        def work(tx: Transaction) -> None:
            tx.db.execute(statement, values)

        await self.workspace.database.write(work)


async def open_memory(project: Project, home: Home, clock: FakeClock) -> Memory:
    place = place_store(project, home, None)
    database = await Database.open(place.file, clock)
    workspace = Workspace(
        project, place, Settings(), database, clock, SequentialIds(), LocalCounter(), home
    )
    disk = Disk(database)
    return Memory(
        workspace, disk, Episodes(workspace), Atlas(workspace, disk), Recaller(workspace, disk)
    )
