"""The kinds of upkeep, each item in one transaction."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Final, Protocol

from sakur4_core.clock import stamp
from sakur4_core.consolidate.cycle import Check, Outcome
from sakur4_core.events import ATLAS_WRITTEN, PRUNABLE
from sakur4_core.store import atlas as atlas_sql
from sakur4_core.store import dream as sql
from sakur4_core.store.database import Transaction
from sakur4_core.workspace import Freshness, Workspace

# DESIGN: reads and progress are pruned after 30 days; decisions are kept.
KEEP_READS: Final = timedelta(days=30)
# Events that one transaction deletes: a few milliseconds, so that no commit waits for more.
PRUNE_BATCH: Final = 200
# What a cycle may spend on finding out which anchored files are gone from the disk.
REFRESH_BUDGET_S: Final = 1.0

ALL_GONE: Final = "everything it was derived from is gone"
TURN_ENDED: Final = "its turn was corrected or redacted"


class CatchesUp(Protocol):
    """An index that may lag behind the transcript."""

    async def catch_up(self) -> int:
        """Take every turn in; return how many were new."""
        ...


class Archives(Protocol):
    """Moves a session's episodes down the ladder."""

    async def archive(self, session_id: str, keep: Iterable[str], check: Check) -> int:
        """Move all that may go and is not to be kept; return how many moved."""
        ...


class Retire:
    """Summaries that rest on nothing any more end as tombstones."""

    doing = "retiring"
    count = "pruned"

    def __init__(self, workspace: Workspace, freshness: Freshness) -> None:
        self._database = workspace.database
        self._freshness = freshness

    async def due(self, limit: int) -> list[str]:
        """Orphans, and what the consolidator wrote of turns that were corrected or redacted."""
        files = await self._database.read(atlas_sql.anchored_files)
        await self._freshness.refresh(files, REFRESH_BUDGET_S)
        orphans = await self._database.read(lambda db: sql.orphaned_summaries(db, limit))
        ended = await self._database.read(lambda db: sql.ended(db, limit))
        return list(dict.fromkeys([*orphans, *ended]))[:limit]

    async def do(self, item: str, check: Check) -> Outcome:
        """Retire one summary if it is due still; the answer may have changed since."""

        def work(tx: Transaction) -> Outcome:
            check(tx)
            why = sql.why_over(tx.db, item, ALL_GONE, TURN_ENDED)
            if why is None:
                return Outcome()
            atlas_sql.retire(tx, item, why)
            tx.emit(ATLAS_WRITTEN, actor="dream", subject=item, detail={"retired": why})
            return Outcome(1)

        return await self._database.write(work)


class Embed:
    """Turns without vectors get them."""

    doing = "embedding"
    count = "embedded"

    def __init__(self, index: CatchesUp) -> None:
        self._index = index

    async def due(self, limit: int) -> list[str]:
        """The index, which alone knows how far it is behind."""
        return ["index"]

    async def do(self, item: str, check: Check) -> Outcome:
        """Bring the index up to date. It lies beside the store, so nothing is written to that."""
        return Outcome(await self._index.catch_up())


class Archive:
    """Sessions that were silent for long go down the ladder."""

    doing = "archiving"
    count = "archived"

    def __init__(self, workspace: Workspace, archives: Archives) -> None:
        self._workspace = workspace
        self._archives = archives

    async def due(self, limit: int) -> list[str]:
        """Sessions without a turn for ``dream.archive_days``."""
        days = timedelta(days=self._workspace.settings.dream.archive_days)
        before = stamp(self._workspace.clock.now() - days)
        return await self._workspace.database.read(lambda db: sql.cold_sessions(db, before, limit))

    async def do(self, item: str, check: Check) -> Outcome:
        """Move one session's episodes, and note that it was looked at."""
        database = self._workspace.database
        kept = await database.read(lambda db: sql.rested_on(db, item))

        def and_note(tx: Transaction) -> None:
            check(tx)
            sql.tried(tx, item, "archived as far as it may be")

        moved = await self._archives.archive(item, kept, and_note)
        if not moved:
            await database.write(and_note)
            return Outcome(skipped="nothing of a cold session may be archived")
        return Outcome(moved)


class Prune:
    """Old reads leave the trail of events."""

    doing = "pruning"
    count = "pruned"

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def due(self, limit: int) -> list[str]:
        """A batch for every so many events that are old."""
        before = self._before()
        batches = await self._workspace.database.read(
            lambda db: sql.prunable_batches(db, PRUNABLE, before, PRUNE_BATCH)
        )
        return ["events"] * batches

    async def do(self, item: str, check: Check) -> Outcome:
        """Delete one batch."""
        before = self._before()

        def work(tx: Transaction) -> Outcome:
            check(tx)
            return Outcome(sql.prune(tx, sql.prunable(tx.db, PRUNABLE, before, PRUNE_BATCH)))

        return await self._workspace.database.write(work)

    def _before(self) -> str:
        return stamp(self._workspace.clock.now() - KEEP_READS)
