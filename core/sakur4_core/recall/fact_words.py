"""Keeps the words of code facts indexed, a bounded piece at a time."""

from __future__ import annotations

import asyncio

from sakur4_core.store import recall as sql
from sakur4_core.store.database import Database

# About 20 ms of work: what one recall does before it answers, and one transaction holds.
PIECE = 400


class FactWords:
    """Indexes code facts for recall after the code index has moved.

    The code index writes tens of thousands of facts in one pass and should not pay for
    their words; a recall looks whether it moved and catches up.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._version = -1
        self._after = 0
        self._lock = asyncio.Lock()

    async def advance(self) -> bool:
        """Index one piece; whether facts are left without words."""
        async with self._lock:
            version = await self._database.read(sql.ledger_version)
            return version != self._version and await self._walk(version)

    async def _walk(self, version: int) -> bool:
        after = self._after
        rows = await self._database.read(
            lambda db: sql.facts_without_words(db, after=after, limit=PIECE)
        )
        if rows:
            await self._database.write(lambda tx: sql.index_facts(tx, rows))
        if len(rows) == PIECE:
            self._after = rows[-1]
            return True
        # Facts may have changed behind the walk, so one from the start ends it.
        self._after = 0
        if after == 0:
            self._version = version
        return after != 0

    async def finish(self) -> None:
        """Index all that is left."""
        while await self.advance():
            pass
