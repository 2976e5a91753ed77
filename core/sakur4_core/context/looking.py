"""Looks at sessions' windows, and looks again only where something moved."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from sakur4_core.cache.backends.base import Tokenizer
from sakur4_core.cache.coherence import Coherence, unknown_session
from sakur4_core.context.calibration import scale_of
from sakur4_core.context.ladder import Ladders, LocalCounts
from sakur4_core.context.protection import unresolved
from sakur4_core.context.view import Blocks, View, blocks_of, view_of
from sakur4_core.errors import BackendError
from sakur4_core.models import Anchor
from sakur4_core.store import window as sql
from sakur4_core.store.window import Frame
from sakur4_core.workspace import Workspace

REMEMBERED_SESSIONS: Final = 4
# Rungs whose cost is no count of a commit.
_RENDERED: Final = (1, 2)


class AnchorSet(Protocol):
    """What is pinned, and how it stands in a prompt."""

    async def active(self, session_id: str | None = None) -> tuple[Anchor, ...]: ...

    def render(self, anchors: Sequence[Anchor]) -> str: ...


@dataclass(slots=True)
class _Seen:
    """A session as it was last read, and the view of it that was last made."""

    version: tuple[int, int]
    frame: Frame
    errors: tuple[int, ...]
    views: dict[tuple[object, ...], View] = field(default_factory=dict)


class Looking:
    """The one place where a window is read, counted and assembled."""

    def __init__(self, workspace: Workspace, anchors: AnchorSet, coherence: Coherence) -> None:
        self._workspace = workspace
        self._anchors = anchors
        self._coherence = coherence
        self._local = Ladders(workspace.database, LocalCounts(workspace.counter), commits=True)
        self._exact: Ladders | None = None
        self._seen: dict[str, _Seen] = {}

    async def at(self, session_id: str) -> View:
        """The session's window now.

        Raises:
            NotFound: There is no such session.
        """
        await self._coherence.connect()
        seen = await self._read(session_id)
        tokenizer = self._coherence.tokenizer
        if tokenizer is not None:
            try:
                return await self._view(seen, self._exact_ladders(tokenizer), exact=True)
            except BackendError:
                # The backend tells of it in ``degraded``; the local count goes on.
                pass
        return await self._view(seen, self._local, exact=False)

    def ladders(self, view: View) -> Ladders:
        """What the costs of a view's episodes come from."""
        exact = self._exact
        return exact if exact is not None and exact.name == view.counter else self._local

    async def _view(self, seen: _Seen, ladders: Ladders, *, exact: bool) -> View:
        frame = seen.frame
        blocks = await self._blocks(frame, ladders, exact=exact)
        stated = self._coherence.window_of(frame)
        key = (ladders.name, stated, tuple(blocks.items()))
        known = seen.views.get(key)
        if known is not None:
            return known
        costs = await ladders.of(
            row
            for row in frame.rows
            if exact or row.redacted or row.rung in _RENDERED or row.sent_rung in _RENDERED
        )
        view = await asyncio.to_thread(
            view_of,
            frame,
            costs,
            errors=seen.errors,
            scale=scale_of(frame.model, frame.reports, exact=exact),
            counter=ladders.name,
            blocks=blocks,
            settings=self._workspace.settings.context,
            backend_window=stated,
        )
        seen.views.clear()
        seen.views[key] = view
        return view

    async def _blocks(self, frame: Frame, ladders: Ladders, *, exact: bool) -> Blocks:
        anchors = self._anchors.render(await self._anchors.active(frame.session_id))
        folds = "\n\n".join(fold.summary for fold in frame.folds)
        if not exact:
            measure = self._workspace.counter.measure
            return blocks_of(
                frame, (anchors, await measure(anchors)), (folds, await measure(folds))
            )
        blocks = blocks_of(frame, (anchors, 0), (folds, 0))
        texts = [text for text, _ in blocks.values()]
        tokens = await ladders.counts.many(texts)
        return {
            name: (text, count) for name, text, count in zip(blocks, texts, tokens, strict=True)
        }

    async def _read(self, session_id: str) -> _Seen:
        """The session's frame, read again only if the store moved since the last look."""
        known = self._seen.pop(session_id, None)
        counter = self._workspace.counter.name

        def work(db: sqlite3.Connection) -> _Seen | None:
            version = sql.version(db)
            if known is not None and known.version == version:
                return known
            frame = sql.frame(db, session_id, counter)
            return None if frame is None else _Seen(version, frame, unresolved(db, frame))

        seen = await self._workspace.database.read(work)
        if seen is None:
            raise unknown_session(session_id)
        self._seen[session_id] = seen
        while len(self._seen) > REMEMBERED_SESSIONS:
            del self._seen[next(iter(self._seen))]
        return seen

    def _exact_ladders(self, tokenizer: Tokenizer) -> Ladders:
        if self._exact is None or self._exact.counts is not tokenizer:
            self._exact = Ladders(self._workspace.database, tokenizer, commits=False)
        return self._exact
