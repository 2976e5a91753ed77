"""How an episode is named in a plan: its first line, and what its mask still holds."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from sakur4_core.context.tiers import Label, mask
from sakur4_core.memory.text import preview
from sakur4_core.store.database import Database
from sakur4_core.store.window import WindowRow, beginnings, contents

# About 200 bytes each.
REMEMBERED: Final = 20_000
GROUP: Final = 512


class Caption(NamedTuple):
    """Words of others and untrusted: the first line; and what a mask keeps, in our words."""

    preview: str
    kept: str


class Captions:
    """Reads captions once; content never changes but by a redaction, which has its own key."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: OrderedDict[tuple[int, bool, bool], Caption] = OrderedDict()

    async def of(self, rows: Sequence[WindowRow], masked: Collection[int]) -> dict[int, Caption]:
        """Captions by place; what is kept is told of those that are ``masked``."""
        found: dict[int, Caption] = {}
        missing: list[WindowRow] = []
        for row in rows:
            caption = self._known.get((row.seq, row.redacted, row.seq in masked))
            if caption is None:
                missing.append(row)
            else:
                found[row.seq] = caption
        for start in range(0, len(missing), GROUP):
            group = missing[start : start + GROUP]
            for row, caption in zip(group, await self._read(group, masked), strict=True):
                found[row.seq] = caption
                self._known[row.seq, row.redacted, row.seq in masked] = caption
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return found

    async def _read(self, rows: Sequence[WindowRow], masked: Collection[int]) -> list[Caption]:
        whole = [row.seq for row in rows if row.seq in masked]
        short = [row.seq for row in rows if row.seq not in masked]
        texts, starts = await self._database.read(
            lambda db: (contents(db, whole), beginnings(db, short))
        )

        def caption(row: WindowRow) -> Caption:
            if row.seq not in masked:
                return Caption(preview(starts[row.seq]), "")
            label = Label(row.seq, row.role, row.tool_name)
            content = texts[row.seq]
            return Caption(preview(content), mask(label, content).kept)

        return await asyncio.to_thread(lambda: [caption(row) for row in rows])
