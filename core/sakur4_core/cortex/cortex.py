"""The Repo Cortex: what the code of a project holds and how it hangs together."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from functools import partial

from sakur4_core.cortex import impact as impacts
from sakur4_core.cortex import repo_map as maps
from sakur4_core.cortex import symbols as lookup
from sakur4_core.cortex.asking import Query
from sakur4_core.cortex.discovery import folders
from sakur4_core.cortex.indexer import INDEXED_AT, Indexer
from sakur4_core.cortex.ranking import rank
from sakur4_core.cortex.watcher import Change, WatchLost, native_changes, polled_changes
from sakur4_core.errors import InvalidInput, Sakur4Error
from sakur4_core.events import WATCHER_CHANGED
from sakur4_core.models import Impact, IndexReport, RepoMap, SymbolAnswer
from sakur4_core.store.status import meta
from sakur4_core.workspace import Workspace

MAX_NAME = 500
# Named symbols are few, so their files may take longer to check than a recall's hits.
SYMBOL_BUDGET_S = 1.0
MAX_SYMBOLS = 20


class Cortex:
    """The code index of one project: built, watched and asked through this class."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._indexer = Indexer(workspace)
        self._refreshing: set[asyncio.Task[None]] = set()
        self._watching = "off"
        self._failure = ""

    @property
    def watching(self) -> str:
        """``off``, ``native``, or ``polling: <why>``."""
        return self._watching

    @property
    def degraded(self) -> tuple[str, ...]:
        """What does not work as it should, and why."""
        found = []
        if self._indexer.without_git not in ("", "no git repository"):
            found.append(f"index: {self._indexer.without_git}; ignore files are read instead")
        if self._watching.startswith("polling"):
            found.append(f"watcher: {self._watching}")
        if self._failure:
            found.append(f"index: {self._failure}")
        return tuple(found)

    async def close(self) -> None:
        """End what still runs behind an answer."""
        for task in tuple(self._refreshing):
            task.cancel()
        for task in tuple(self._refreshing):
            with suppress(asyncio.CancelledError, Sakur4Error):
                await task
        self._indexer.parsers.close()

    # -- building ----------------------------------------------------------------

    async def index(self, *, full: bool = False) -> IndexReport:
        """Bring the index up to date with the disk; ``full`` parses everything again.

        Raises:
            IndexingError: The project is a home folder or a file system's root.
        """
        return await self._indexer.index(full=full)

    async def refresh(self, paths: set[str], budget_s: float) -> set[str]:
        """Check files against the disk and parse those that changed.

        Work beyond the budget goes on behind the answer.

        Returns:
            The paths that could not be checked within ``budget_s`` seconds.
        """
        if not paths:
            return set()
        unverified = set(paths)
        task = asyncio.create_task(self._indexer.refresh(frozenset(paths), unverified))
        self._refreshing.add(task)
        task.add_done_callback(self._refreshing.discard)
        done, _ = await asyncio.wait({task}, timeout=budget_s)
        for finished in done:
            # A store that is busy leaves files unverified; it does not fail the reader.
            with suppress(Sakur4Error):
                finished.result()
        return set(unverified)

    async def watch(self) -> None:
        """Keep the index up to date until cancelled; say so where only polling works."""
        root, ignores = self._workspace.project.root, self._workspace.settings.cortex.ignores
        try:
            await self._indexer.parsers.keep()
            await self._caught(None)
            await self._now_watching("native")
            try:
                await self._follow(native_changes(root, partial(folders, root, ignores)))
            except WatchLost as lost:
                await self._now_watching(f"polling: {lost}")
                await self._follow(polled_changes())
        finally:
            self._watching = "off"
            self._indexer.parsers.close()

    async def _follow(self, changes: AsyncIterator[Change]) -> None:
        async for change in changes:
            await self._caught(change)

    async def _caught(self, change: Change) -> None:
        """Index a change; one that fails is told in ``degraded`` and tried with the next."""
        try:
            if change is None or self._failure:
                await self._indexer.index(actor="watcher")
            else:
                await self._indexer.index_paths(change, actor="watcher")
            self._failure = ""
        except Sakur4Error as error:
            self._failure = error.message

    async def _now_watching(self, how: str) -> None:
        self._watching = how
        with suppress(Sakur4Error):
            await self._workspace.database.write(
                lambda tx: tx.emit(WATCHER_CHANGED, actor="watcher", detail={"watching": how})
            )

    async def _ensure_indexed(self) -> str | None:
        """The index's date; a project that was never indexed is indexed first."""
        indexed_at = await self._workspace.database.read(lambda db: meta(db, INDEXED_AT))
        if indexed_at is None:
            await self._indexer.index()
            indexed_at = await self._workspace.database.read(lambda db: meta(db, INDEXED_AT))
        return indexed_at

    # -- asking ------------------------------------------------------------------

    async def repo_map(
        self,
        budget: int,
        *,
        focus: Iterable[str] = (),
        query: str | None = None,
        names_only: bool = False,
    ) -> RepoMap:
        """The map within ``budget`` tokens, by a query, by paths in focus, or by centrality.

        Raises:
            InvalidInput: The budget is below 1.
        """
        if budget < 1:
            raise InvalidInput("A map's budget must be at least 1 token.")
        await self._ensure_indexed()
        wanted = Query.of(query) if query and query.strip() else None
        focused = tuple(focus)

        def work(db: sqlite3.Connection) -> RepoMap:
            ranking = rank(db, query=wanted, focus=focused)
            return maps.map_of(db, ranking, budget, self._workspace, names_only=names_only)

        return await self._workspace.database.read(work)

    async def symbol(self, name: str) -> SymbolAnswer:
        """The definitions that ``name`` means, with their source as it stands on disk.

        Raises:
            InvalidInput: No name, or one longer than any.
        """
        _check_name(name)
        await self._ensure_indexed()
        symbols = await self._workspace.database.read(lambda db: lookup.find(db, name))
        paths = {symbol.path for symbol in symbols[:MAX_SYMBOLS]}
        unverified = await self.refresh(paths, SYMBOL_BUDGET_S)
        if paths:
            symbols = await self._workspace.database.read(lambda db: lookup.find(db, name))
        if not symbols:
            return await self._unknown(name)
        shown = symbols[:MAX_SYMBOLS]
        hits = await asyncio.to_thread(
            lookup.with_source,
            self._workspace.project.root,
            shown,
            unverified,
            self._workspace.settings.cortex.max_file_bytes,
        )
        note = ""
        if len(symbols) > len(shown):
            note = f"{len(symbols)} definitions have that name; the first {len(shown)} are shown."
        return SymbolAnswer(name, True, hits, note=note)

    async def impact(self, name: str, depth: int) -> Impact:
        """Who is reached by a change to ``name``, to ``depth`` steps.

        Raises:
            InvalidInput: No name, or a depth outside 1 to 32.
        """
        _check_name(name)
        if not 1 <= depth <= impacts.MAX_DEPTH:
            raise InvalidInput(f"The depth must be 1 to {impacts.MAX_DEPTH}.")
        await self._ensure_indexed()

        def work(db: sqlite3.Connection) -> impacts.Traced | None:
            symbols = lookup.find(db, name)
            return impacts.traced(db, name, symbols, depth) if symbols else None

        found = await self._workspace.database.read(work)
        if found is not None:
            updates = self._indexer.updates
            unverified = await self.refresh(set(found.paths), SYMBOL_BUDGET_S)
            if updates != self._indexer.updates:
                found = await self._workspace.database.read(work)
        if found is not None:
            return impacts.describe(found, unverified)
        answer = await self._unknown(name)
        text = "\n".join(filter(None, (answer.note, ", ".join(answer.candidates))))
        return Impact(name, False, (), text, 0, answer.candidates, answer.note)

    async def _unknown(self, name: str) -> SymbolAnswer:
        candidates = await self._workspace.database.read(lambda db: lookup.near(db, name))
        note = f"No definition is called {name!r}."
        if candidates:
            note += " Near names are given."
        return SymbolAnswer(name, False, (), candidates, note)


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > MAX_NAME:
        raise InvalidInput(f"A symbol's name has 1 to {MAX_NAME} characters.")
