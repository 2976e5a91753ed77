"""What an episode costs at each tier: counted once, kept in the store, remembered here."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, Protocol

from sakur4_core.context.tiers import RENDERING, Label, mask, stub
from sakur4_core.errors import StoreError
from sakur4_core.store.database import Database
from sakur4_core.store.window import WindowRow, contents, counts_of, put_counts
from sakur4_core.workspace import TokenCounter

# Costs by rung: live, masked, referenced, archived, dropped.
Costs = tuple[int, int, int, int, int]

# About 200 bytes each: 20,000 stay under 4 MB and cover the largest window's episodes.
REMEMBERED: Final = 20_000
# Contents are read and rendered in groups, so that no read holds a connection for long.
GROUP: Final = 256


class TextCounts(Protocol):
    """Counts texts in the tokens of one counter."""

    @property
    def name(self) -> str:
        """The counter's name, under which counts are kept."""
        ...

    async def many(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text, off the event loop."""
        ...


class LocalCounts:
    """The local counter, in a thread."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self.name = counter.name

    async def many(self, texts: Sequence[str]) -> list[int]:
        count = self._counter.count
        return await asyncio.to_thread(lambda: [count(text) for text in texts])


class Ladders:
    """Renders and counts the rungs of episodes once; content never changes, so neither do they.

    A redacted episode has new content: it is remembered under a key of its own, and is not
    kept in the store.

    Args:
        commits: Whether commits were counted with the same counter, so that the count of a
            commit stands for the live text.
    """

    def __init__(self, database: Database, counts: TextCounts, *, commits: bool) -> None:
        self._database = database
        self.counts = counts
        self._commits = commits
        self._names = (
            counts.name,
            f"{counts.name}/{RENDERING}/masked",
            f"{counts.name}/{RENDERING}/referenced",
        )
        self._known: OrderedDict[tuple[int, bool], Costs] = OrderedDict()

    @property
    def name(self) -> str:
        """The counter that figures name."""
        return self.counts.name

    async def of(self, rows: Iterable[WindowRow]) -> dict[int, Costs]:
        """The costs of ``rows`` by place."""
        known = self._known
        found: dict[int, Costs] = {}
        missing: list[WindowRow] = []
        for row in rows:
            costs = known.get((row.seq, row.redacted))
            if costs is None:
                missing.append(row)
            else:
                found[row.seq] = costs
        if missing:
            costs_of = await self._stored(missing)
            unknown = [row for row in missing if row.seq not in costs_of]
            for start in range(0, len(unknown), GROUP):
                costs_of.update(await self._count(unknown[start : start + GROUP]))
            await self._keep(unknown, costs_of)
            for row in missing:
                known[row.seq, row.redacted] = found[row.seq] = costs_of[row.seq]
            while len(known) > REMEMBERED:
                known.popitem(last=False)
        return found

    async def _stored(self, rows: Sequence[WindowRow]) -> dict[int, Costs]:
        """Costs that an earlier count left in the store."""
        plain = {row.seq: row.tokens for row in rows if not row.redacted}
        live, masked, referenced = self._names
        counts = await self._database.read(lambda db: counts_of(db, plain, self._names))
        found: dict[int, Costs] = {}
        for seq, by in counts.items():
            whole = plain[seq] if self._commits else by.get(live)
            if whole is not None and masked in by and referenced in by:
                found[seq] = (whole, by[masked], by[referenced], 0, 0)
        return found

    async def _count(self, rows: Sequence[WindowRow]) -> dict[int, Costs]:
        seqs = [row.seq for row in rows]
        texts = await self._database.read(lambda db: contents(db, seqs))
        rungs = await asyncio.to_thread(lambda: [_rungs(row, texts[row.seq]) for row in rows])
        # The count of a commit is of the content that a redaction has since taken away.
        given = {row.seq for row in rows if self._commits and not row.redacted}
        wanted = {
            text
            for row, (live, *lower) in zip(rows, rungs, strict=True)
            for text in (*([] if row.seq in given else [live]), *lower)
            if row.seq not in given or text != live
        }
        order = sorted(wanted)
        tokens = dict(zip(order, await self.counts.many(order), strict=True))
        found: dict[int, Costs] = {}
        for row, (live, masked, line) in zip(rows, rungs, strict=True):
            whole = row.tokens if row.seq in given else tokens[live]
            found[row.seq] = (
                whole,
                whole if masked == live else tokens[masked],
                whole if line == live else tokens[line],
                0,
                0,
            )
        return found

    async def _keep(self, rows: Sequence[WindowRow], costs: Mapping[int, Costs]) -> None:
        names = tuple(enumerate(self._names))[1 if self._commits else 0 :]
        kept = [
            (row.seq, name, costs[row.seq][rung])
            for row in rows
            if not row.redacted
            for rung, name in names
        ]
        if kept:
            # A store that is busy or full does not keep a plan from being made.
            with suppress(StoreError):
                await self._database.write(lambda tx: put_counts(tx, kept))


def _rungs(row: WindowRow, content: str) -> tuple[str, str, str]:
    """An episode's text live, masked and referenced."""
    label = Label(row.seq, row.role, row.tool_name)
    return content, mask(label, content).text, stub(label, content)
