"""The Semantic Atlas: summaries that name what they were derived from, and go stale with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sakur4_core.errors import InvalidInput, NotFound
from sakur4_core.events import ATLAS_WRITTEN
from sakur4_core.memory.redaction import redact
from sakur4_core.memory.text import preview, storable
from sakur4_core.models import AtlasEntry, Staleness
from sakur4_core.store import atlas as sql
from sakur4_core.store.database import Transaction
from sakur4_core.workspace import Freshness, Workspace

MAX_CHARACTERS = 20_000
ANCHOR_TYPES = ("fact", "episode", "file")
# DESIGN: what is read is checked against the disk within 20 ms in total.
REFRESH_BUDGET_S = 0.020


class Atlas:
    """Writes summaries with their anchors and tells which the world has outlived."""

    def __init__(self, workspace: Workspace, freshness: Freshness) -> None:
        self._workspace = workspace
        self._freshness = freshness

    async def put(
        self,
        content: str,
        anchors: Sequence[tuple[str, str]],
        *,
        origin: str,
        session_id: str | None = None,
    ) -> AtlasEntry:
        """Store a summary with every thing it was derived from.

        Raises:
            InvalidInput: No content or no anchor.
            NotFound: An anchor does not exist; nothing was stored.
        """
        text = redact(storable(content)[0]).text.strip()
        if not text or len(text) > MAX_CHARACTERS:
            raise InvalidInput(f"A summary must have 1 to {MAX_CHARACTERS} characters.")
        check_anchors(anchors)
        tokens = await self._workspace.counter.measure(text)
        atlas_id = self._workspace.ids.new("at")

        def work(tx: Transaction) -> AtlasEntry:
            self.insert(
                tx,
                atlas_id,
                text,
                anchors,
                origin=origin,
                session_id=session_id,
                token_count=tokens,
            )
            entry = sql.get(tx.db, atlas_id)
            assert entry is not None
            return entry

        return await self._workspace.database.write(work)

    def insert(
        self,
        tx: Transaction,
        atlas_id: str,
        text: str,
        anchors: Sequence[tuple[str, str]],
        *,
        origin: str,
        session_id: str | None,
        token_count: int,
        detail: Mapping[str, str] = {},
    ) -> None:
        """Write a checked summary inside a transaction. Raises NotFound as :meth:`put`.

        Args:
            detail: What else its event tells, the way it came about for instance.
        """
        now = []
        for anchor_type, anchor_id in dict.fromkeys(anchors):
            found = sql.anchor_now(tx.db, anchor_type, anchor_id)
            if found is None:
                raise NotFound(
                    f"The summary's anchor {anchor_type} {anchor_id!r} does not exist.",
                    "Nothing was stored; anchor it to what is there.",
                )
            now.append(found)
        sql.insert(
            tx,
            atlas_id,
            text,
            now,
            origin=origin,
            session_id=session_id,
            token_count=token_count,
        )
        tx.emit(
            ATLAS_WRITTEN,
            actor={"api": "agent", "dream": "dream", "fold": "agent"}[origin],
            session_id=session_id,
            subject=atlas_id,
            detail={"preview": preview(text), "anchors": len(now), "origin": origin, **detail},
        )

    async def retire(self, atlas_id: str, why: str) -> None:
        """Take an entry out of use ("dismiss"); it is kept, but no longer recalled.

        Raises:
            NotFound: No entry in use of that id.
        """
        told = redact(storable(why)[0]).text

        def work(tx: Transaction) -> None:
            if sql.get(tx.db, atlas_id) is None:
                raise NotFound(f"No summary {atlas_id!r}.", "See `sakur4-tui staleness`.")
            sql.retire(tx, atlas_id, told)
            tx.emit(ATLAS_WRITTEN, actor="person", subject=atlas_id, detail={"retired": told})

        await self._workspace.database.write(work)

    async def staleness(self, *, limit: int = 50) -> Staleness:
        """Counts of the whole Atlas and a page of what is stale, checked against the disk."""
        files = await self._workspace.database.read(sql.anchored_files)
        unverified = await self._freshness.refresh(files, REFRESH_BUDGET_S)
        total, stale = await self._workspace.database.read(sql.totals)
        entries = await self._workspace.database.read(lambda db: sql.stale_entries(db, limit))
        return Staleness(
            total=total,
            stale_count=stale,
            stale_rate=stale / total if total else 0.0,
            entries=tuple(_mark(entry, unverified) for entry in entries),
        )

    async def entries(self, limit: int = 200) -> tuple[AtlasEntry, ...]:
        """Entries in use, the newest first, each with its staleness."""
        return await self._workspace.database.read(lambda db: sql.entries(db, limit))


def check_anchors(anchors: Sequence[tuple[str, str]]) -> None:
    """Refuse a summary that would rest on nothing.

    Raises:
        InvalidInput: No anchor, or one of an unknown type.
    """
    if not anchors:
        raise InvalidInput(
            "A summary needs at least one anchor.", "Name the fact, episode or file behind it."
        )
    for anchor_type, _ in anchors:
        if anchor_type not in ANCHOR_TYPES:
            raise InvalidInput(
                f"Unknown anchor type {anchor_type!r}.", f"Use one of {', '.join(ANCHOR_TYPES)}."
            )


def _mark(entry: AtlasEntry, unverified: set[str]) -> AtlasEntry:
    files = {anchor.location.rsplit(":", 1)[0] for anchor in entry.stale_anchors}
    return replace(entry, unverified=bool(files & unverified))
