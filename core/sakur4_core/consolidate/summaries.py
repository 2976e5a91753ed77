"""Summaries of turns: written once, and written anew when the code they speak of has changed."""

from __future__ import annotations

import sqlite3
from typing import Final, NamedTuple

from sakur4_core.consolidate.cycle import Check, Outcome
from sakur4_core.consolidate.drafting import Draft, Drafting
from sakur4_core.consolidate.sentences import split
from sakur4_core.events import ATLAS_WRITTEN
from sakur4_core.memory.atlas import Atlas
from sakur4_core.memory.naming import names_in
from sakur4_core.memory.own_words import without_own
from sakur4_core.store import atlas as atlas_sql
from sakur4_core.store import dream as sql
from sakur4_core.store import episodes as episode_sql
from sakur4_core.store.database import Transaction
from sakur4_core.store.naming import named
from sakur4_core.workspace import Workspace

# Definitions that a summary rests on besides its turn; one that names more is a listing.
MOST_FACTS: Final = 16
NOT_SHORTER: Final = "no summary would be shorter and say enough"
NOTHING_LEFT: Final = "what it said of the code no longer holds"


class _Drafts:
    """What both steps that write summaries work with."""

    def __init__(self, workspace: Workspace, atlas: Atlas, drafting: Drafting) -> None:
        self._workspace = workspace
        self._atlas = atlas
        self._drafting = drafting


class Promote(_Drafts):
    """Turns worth remembering get a summary that rests on them and on the code it names."""

    doing = "promoting"
    count = "promoted"

    async def due(self, limit: int) -> list[str]:
        """Ids of turns, by worth and fair across sessions."""
        least = self._workspace.settings.dream.min_tokens
        return await self._workspace.database.read(lambda db: sql.promotable(db, least, limit))

    async def do(self, item: str, check: Check) -> Outcome:
        """Summarise one turn."""
        source = await self._workspace.database.read(lambda db: _source(db, item))
        draft = None if source is None else await self._drafting.draft(source.text)
        atlas_id = self._workspace.ids.new("at")

        def work(tx: Transaction) -> Outcome:
            check(tx)
            if source is None or draft is None:
                sql.tried(tx, item, NOT_SHORTER)
                return Outcome(skipped=NOT_SHORTER)
            write(tx, self._atlas, atlas_id, item, source.session_id, draft)
            return Outcome(1, draft.why)

        return await self._workspace.database.write(work)


class Regenerate(_Drafts):
    """Summaries of turns whose code has changed say only what still holds.

    What was said of a definition that is not what it was goes; the rest is drafted anew from the
    same turn. Nothing left is the end of the summary; the turn keeps every word.
    """

    doing = "regenerating"
    count = "regenerated"

    async def due(self, limit: int) -> list[str]:
        """Ids of the consolidator's own summaries that are stale by their code."""
        found = await self._workspace.database.read(lambda db: sql.stale_own(db, limit))
        return [one.atlas_id for one in found]

    async def do(self, item: str, check: Check) -> Outcome:
        """Draft one anew and retire the old one, or retire it only."""
        database = self._workspace.database
        stale = await database.read(lambda db: sql.stale_one(db, item))
        if stale is None:
            return Outcome()
        source = await database.read(lambda db: _source(db, stale.episode_id))
        rest = "" if source is None else holding(source.text, stale.names)
        draft = await self._drafting.draft(rest) if rest else None
        atlas_id = self._workspace.ids.new("at")

        def work(tx: Transaction) -> Outcome:
            check(tx)
            if sql.stale_one(tx.db, item) != stale:
                return Outcome()
            why = NOTHING_LEFT if draft is None else f"written anew as {atlas_id}"
            atlas_sql.retire(tx, item, why)
            tx.emit(ATLAS_WRITTEN, actor="dream", subject=item, detail={"retired": why})
            if source is None or draft is None:
                return Outcome(skipped=NOTHING_LEFT)
            write(tx, self._atlas, atlas_id, stale.episode_id, source.session_id, draft)
            return Outcome(1, draft.why)

        return await database.write(work)


def write(
    tx: Transaction,
    atlas: Atlas,
    atlas_id: str,
    episode_id: str,
    session_id: str,
    draft: Draft,
) -> None:
    """Store a draft, resting on its turn and on the definitions that it names."""
    facts = [fact for _, fact in named(tx.db, names_in(draft.text))]
    anchors = [("episode", episode_id), *(("fact", fact) for fact in facts[:MOST_FACTS])]
    how = {"how": draft.how} if draft.why is None else {"how": draft.how, "why": draft.why}
    atlas.insert(
        tx,
        atlas_id,
        draft.text,
        anchors,
        origin="dream",
        session_id=session_id,
        token_count=draft.tokens,
        detail=how,
    )


def holding(text: str, changed: tuple[str, ...]) -> str:
    """``text`` without the sentences that name a definition which has changed."""
    last = {name.rsplit(".", 1)[-1] for name in changed if name}
    return "\n".join(
        sentence.text
        for sentence in split(text)
        if not last & {name.rsplit(".", 1)[-1] for name in names_in(sentence.text)}
    )


class _Turn(NamedTuple):
    """A turn's words without our own, and its session."""

    text: str
    session_id: str


def _source(db: sqlite3.Connection, episode_id: str) -> _Turn | None:
    episode = episode_sql.by_id(db, episode_id)
    if episode is None or episode.superseded_by is not None or episode.redacted:
        return None
    return _Turn(without_own(episode.content), episode.session_id)
