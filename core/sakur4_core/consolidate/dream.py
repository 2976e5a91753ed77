"""The consolidator: upkeep of the store while nobody waits for it."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from sakur4_core.clock import parse_stamp, stamp
from sakur4_core.errors import StoreError
from sakur4_core.events import ATLAS_WRITTEN, PRUNABLE
from sakur4_core.models import DreamReport
from sakur4_core.store import atlas as atlas_sql
from sakur4_core.store import dream as sql
from sakur4_core.store.database import Transaction
from sakur4_core.workspace import Freshness, Workspace

log = logging.getLogger(__name__)

# DESIGN: reads and progress are pruned after 30 days; decisions are kept.
KEEP_READS = timedelta(days=30)
# Events that one transaction deletes: a few milliseconds, so that no commit waits for more.
PRUNE_BATCH = 200
# What a pass may spend on finding out which anchored files are gone from the disk.
REFRESH_BUDGET_S = 1.0

ALL_GONE = "everything it was derived from is gone"


@dataclass(slots=True)
class _Pass:
    """What one pass has done so far, and the newest commit when it began."""

    newest: tuple[int, str] | None
    retired: int = 0
    pruned: int = 0


class _Interrupted(Exception):
    """Somebody committed; the pass ends between two items."""


class Dream:
    """Runs upkeep when the store is quiet, one item a transaction, and yields to any commit."""

    def __init__(self, workspace: Workspace, freshness: Freshness) -> None:
        self._workspace = workspace
        self._freshness = freshness
        self._running = asyncio.Lock()

    async def run(self) -> None:
        """Look every ``dream.poll_s`` whether the store is quiet, until cancelled."""
        while True:
            await asyncio.sleep(self._workspace.settings.dream.poll_s)
            try:
                await self.once()
            except StoreError as error:
                log.warning("The consolidator waits: %s", error)

    async def once(self, *, force: bool = False) -> DreamReport:
        """Run one pass if nothing was committed for ``dream.quiet_s``.

        Args:
            force: Skip the quiet time. A commit during the pass still ends it.

        Returns:
            What was done, and why no more. ``archived`` counts summaries retired because all
            they rested on is gone, ``pruned`` old reads taken from the event trail.
        """
        if self._running.locked():
            return DreamReport(False, "A pass is running.")
        async with self._running:
            newest = await self._workspace.database.read(sql.last_commit)
            if not force and (wait := self._quiet_in(newest)) > 0:
                return DreamReport(False, f"Not quiet yet: {wait:.0f} s to go.")
            now = _Pass(newest)
            reason = "done"
            try:
                await self._retire_orphans(now)
                await self._prune_reads(now)
            except _Interrupted:
                reason = "A turn was committed; the rest waits for the next quiet time."
            return await self._report(now, reason)

    def _quiet_in(self, newest: tuple[int, str] | None) -> float:
        """Seconds until the store counts as quiet; 0 or less when it does."""
        if newest is None:
            return 0.0
        quiet = (self._workspace.clock.now() - parse_stamp(newest[1])).total_seconds()
        return self._workspace.settings.dream.quiet_s - quiet

    async def _retire_orphans(self, now: _Pass) -> None:
        database = self._workspace.database
        files = await database.read(atlas_sql.anchored_files)
        await self._freshness.refresh(files, REFRESH_BUDGET_S)
        limit = self._workspace.settings.dream.items
        for atlas_id in await database.read(lambda db: sql.orphaned_summaries(db, limit)):
            now.retired += await database.write(partial(_retire, atlas_id=atlas_id, now=now))

    async def _prune_reads(self, now: _Pass) -> None:
        before = stamp(self._workspace.clock.now() - KEEP_READS)
        while True:
            count = await self._workspace.database.write(lambda tx: _prune(tx, before, now))
            now.pruned += count
            if count < PRUNE_BATCH:
                return

    async def _report(self, now: _Pass, reason: str) -> DreamReport:
        if now.retired or now.pruned:
            await self._workspace.database.write(
                lambda tx: sql.note_finished(
                    tx, reason=reason, archived=now.retired, pruned=now.pruned
                )
            )
        elif reason == "done":
            reason = "Nothing was due."
        return DreamReport(True, reason, archived=now.retired, pruned=now.pruned)


def _check_quiet(db: sqlite3.Connection, now: _Pass) -> None:
    if sql.last_commit(db) != now.newest:
        raise _Interrupted


def _retire(tx: Transaction, atlas_id: str, now: _Pass) -> int:
    """Retire one summary if it is an orphan still; the answer may have changed since."""
    _check_quiet(tx.db, now)
    if not sql.is_orphaned(tx.db, atlas_id):
        return 0
    atlas_sql.retire(tx, atlas_id, ALL_GONE)
    tx.emit(ATLAS_WRITTEN, actor="dream", subject=atlas_id, detail={"retired": ALL_GONE})
    return 1


def _prune(tx: Transaction, before: str, now: _Pass) -> int:
    _check_quiet(tx.db, now)
    return sql.prune(tx, sql.prunable(tx.db, PRUNABLE, before, PRUNE_BATCH))
