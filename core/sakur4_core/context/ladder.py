"""What an episode costs at each tier, counted once and remembered."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sakur4_core.context.tiers import Label, mask, stub
from sakur4_core.memory.text import preview
from sakur4_core.store.database import Database
from sakur4_core.store.window import WindowRow, contents
from sakur4_core.workspace import TokenCounter

# About 300 bytes each: 20,000 stay under 6 MB and cover the largest window's episodes.
REMEMBERED = 20_000
# Contents are read and rendered in groups, so that no read holds a connection for long.
GROUP = 256


@dataclass(frozen=True, slots=True)
class Ladder:
    """The cost in tokens of one episode at every tier, and how to show it.

    Attributes:
        costs: By rung: live, masked, referenced, archived, dropped.
        preview: Its first line, of others and untrusted.
        kept: What its masked text still holds, in words.
    """

    costs: tuple[int, int, int, int, int]
    preview: str
    kept: str


class Ladders:
    """Counts the rungs of episodes off the event loop; content never changes, so neither do they.

    A redacted episode has new content: it is remembered under a key of its own.
    """

    def __init__(self, database: Database, counter: TokenCounter) -> None:
        self._database = database
        self._counter = counter
        self._known: OrderedDict[tuple[int, bool], Ladder] = OrderedDict()

    async def of(self, rows: Iterable[WindowRow]) -> dict[int, Ladder]:
        """The ladders of ``rows`` by place."""
        found: dict[int, Ladder] = {}
        missing: list[WindowRow] = []
        for row in rows:
            known = self._known.get((row.seq, row.redacted))
            if known is None:
                missing.append(row)
            else:
                found[row.seq] = known
        for start in range(0, len(missing), GROUP):
            group = missing[start : start + GROUP]
            seqs = [row.seq for row in group]
            texts = await self._database.read(lambda db, seqs=seqs: contents(db, seqs))  # type: ignore[misc]
            measured = await asyncio.to_thread(self._measure, group, texts)
            for row in group:
                self._known[row.seq, row.redacted] = measured[row.seq]
            found.update(measured)
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return found

    def _measure(self, rows: Iterable[WindowRow], texts: Mapping[int, str]) -> dict[int, Ladder]:
        return {row.seq: measure(row, texts[row.seq], self._counter) for row in rows}


def measure(row: WindowRow, content: str, counter: TokenCounter) -> Ladder:
    """Render an episode at every tier and count."""
    label = Label(row.seq, row.role, row.tool_name)
    masked = mask(label, content)
    line = stub(label, content)
    # The count of a commit is of the content that a redaction has since taken away.
    live = counter.count(content) if row.redacted else row.tokens
    costs = (
        live,
        live if masked.text == content else counter.count(masked.text),
        live if line == content else counter.count(line),
        0,
        0,
    )
    return Ladder(costs, preview(content), masked.kept)
