"""Recall: a query in, the best evidence of a store out, with reasons and within a budget."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Coroutine, Sequence
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from sakur4_core.errors import StoreError
from sakur4_core.memory.redaction import redact
from sakur4_core.models import Hit, Recall
from sakur4_core.paths import StorePlace
from sakur4_core.recall.budget import fit
from sakur4_core.recall.duplicates import distinct
from sakur4_core.recall.elsewhere import Reader, open_other, resolve
from sakur4_core.recall.fact_words import FactWords
from sakur4_core.recall.hits import load, with_neighbours
from sakur4_core.recall.live import Live, Place
from sakur4_core.recall.notes import Circumstances, notes
from sakur4_core.recall.ranking import Ranking, rank
from sakur4_core.recall.request import ALL, Narrowing, Request, check
from sakur4_core.recall.turn_search import DENSE, FULL, Found, Recipe
from sakur4_core.store import recall as sql
from sakur4_core.workspace import Freshness, Workspace

# DESIGN: what is read is checked against the disk within 20 ms in total.
REFRESH_BUDGET_S = 0.020
QUERY_IN_EVENT = 200
# Ranked beyond the asked number, to take the place of hits that repeat others or are demoted.
SPARE = 20


@dataclass(frozen=True, slots=True)
class Source:
    """The store that a recall reads, and the index of its turns."""

    reader: Reader
    live: Live
    own: bool


class Recaller:
    """Answers queries from the store of a workspace, or deliberately from another's."""

    def __init__(self, workspace: Workspace, cortex: Freshness) -> None:
        self._workspace = workspace
        self._freshness = cortex
        self._fact_words = FactWords(workspace.database)
        place = workspace.place
        lasting = place.temporary is None
        self._live = Live(
            workspace.database,
            Place(place.file, place.views, lasting),
            embedded=workspace.settings.recall.embedder != "off",
            builds=True,
        )
        self._background: set[asyncio.Task[None]] = set()

    @property
    def embedder_name(self) -> str:
        """The embedder behind the dense view, and where its vectors are."""
        return self._live.embedder

    @property
    def degraded(self) -> tuple[str, ...]:
        """What the settings ask for and recall does not do."""
        fault = self._live.fault
        found = [] if fault is None else [f"Recall finds by words alone: {fault}"]
        if self._workspace.settings.recall.embedder == "endpoint":
            found.append("Recall: an endpoint is not used for vectors; the local embedder is.")
        return tuple(found)

    def turn_committed(self) -> None:
        """Keep the index near to this process's own commits; returns at once."""
        self._live.turn_committed()

    async def keep(self) -> None:
        """Keep the index and its saved view near to all commits, until cancelled."""
        await self._live.keep()

    async def catch_up(self) -> int:
        """Take every turn into the index and its vectors now; return how many were new to it."""
        return await self._live.catch_up()

    async def recall(
        self,
        query: str,
        *,
        k: int = 8,
        session_id: str | None = None,
        project: str | None = None,
        kinds: Sequence[str] | None = None,
        budget_tokens: int | None = None,
        narrowing: Narrowing = ALL,
        neighbours: int = 0,
        recipe: Recipe = FULL,
    ) -> Recall:
        """The best evidence for ``query``, best first.

        Args:
            k: The most hits to return, 1 to 200.
            session_id: Narrows turns to one session, and summaries to its own and those of
                no session; code facts belong to the project.
            project: Another project's id or root folder, read instead of this one.
            kinds: Of ``episode``, ``summary`` and ``fact``; all by default.
            budget_tokens: The most tokens that the hits may have together.
            narrowing: Roles, tools, tiers and times that turns must have.
            neighbours: Turns before and after each turn found that come with it, 0 to 10.
            recipe: Which views are searched and how they are joined.

        Raises:
            InvalidInput: An argument beyond its bounds.
            NotFound: ``project`` names none that is known.
        """
        started = self._workspace.clock.monotonic()
        settings = self._workspace.settings.recall
        request = check(
            query,
            k=k,
            session_id=session_id,
            kinds=kinds,
            budget=settings.budget_tokens if budget_tokens is None else budget_tokens,
            narrowing=narrowing,
            neighbours=neighbours,
        )
        recipe = replace(recipe, policy=settings.fusion) if recipe is FULL else recipe
        async with self._source(project) as source:
            pending, turns = await asyncio.gather(
                self._prepare(source, request), self._turns(source, request, recipe)
            )
            ranking, loaded = await self._ranked(source, request, turns, recipe)
            hits, repeated = distinct(loaded, request.k)
            if request.neighbours:
                chosen = hits
                hits = await source.reader.read(
                    lambda db: with_neighbours(db, chosen, request.neighbours)
                )
        counted = [await self._counted(hit) for hit in hits]
        words = [term.words[0] for term in request.query.terms]
        fitted = await fit(counted, request.budget, words, self._workspace.counter)
        wanted = sql.EPISODE in request.scope.kinds and bool(request.query.terms)
        indexed = turns is not None or not wanted
        how = Circumstances(ranking.views, indexed, pending, repeated, source.live.fault)
        answer = Recall(
            query=request.query.text,
            hits=fitted.hits,
            views=ranking.views,
            lexical_only=DENSE not in ranking.views,
            stale_ids=tuple(hit.id for hit in fitted.hits if hit.stale),
            notes=tuple(notes(request, fitted, how)),
            tokens=fitted.tokens,
            elapsed_ms=round((self._workspace.clock.monotonic() - started) * 1000, 3),
        )
        self._spawn(self._record(answer, session_id))
        return answer

    async def close(self) -> None:
        """Wait for what still runs behind answers that were given, and save the index."""
        for task in tuple(self._background):
            await task
        await self._live.close()

    @asynccontextmanager
    async def _source(self, project: str | None) -> AsyncIterator[Source]:
        home = self._workspace.home
        own = self._workspace.project
        ours = Source(self._workspace.database, self._live, own=True)
        if project is None or project in (own.project_id, str(own.root)):
            yield ours
            return
        project_id = await asyncio.to_thread(resolve, project, home)
        if project_id == own.project_id:
            yield ours
            return
        file = home.project_store(project_id)
        async with open_other(project_id, home) as other:
            live = Live(
                other,
                Place(file, StorePlace(file).views),
                embedded=self._workspace.settings.recall.embedder != "off",
                builds=False,
            )
            try:
                yield Source(other, live, own=False)
            finally:
                await live.close()

    async def _turns(self, source: Source, request: Request, recipe: Recipe) -> Found | None:
        """The best turns; None where the index is not there, or no turn is asked for."""
        if sql.EPISODE not in request.scope.kinds or not request.query.terms:
            return None
        return await source.live.search(
            request.query.text, request.scope, limit=request.k + SPARE, recipe=recipe
        )

    async def _prepare(self, source: Source, request: Request) -> bool:
        """Index the words of new facts; whether some still wait for it."""
        wanted = sql.FACT in request.scope.kinds and bool(request.query.terms)
        if not source.own or not wanted:
            return False
        if not await self._fact_words.advance():
            return False
        self._spawn(self._fact_words.finish())
        return True

    async def _ranked(
        self, source: Source, request: Request, turns: Found | None, recipe: Recipe
    ) -> tuple[Ranking, list[Hit]]:
        """The ranking and its best hits, after the files behind them were checked."""

        def work(
            db: sqlite3.Connection, checked: AbstractSet[str], unverified: AbstractSet[str]
        ) -> tuple[Ranking, list[Hit]]:
            ranking = rank(db, request.query, request.scope, recipe.policy, turns)
            unchecked = _files(ranking, request.k) - checked | unverified
            best = ranking.order[: request.k + SPARE]
            return ranking, load(db, best, ranking.files, unchecked)

        nothing: frozenset[str] = frozenset()
        ranking, hits = await source.reader.read(lambda db: work(db, nothing, nothing))
        files = _files(ranking, request.k)
        if not files or not source.own:
            return ranking, hits
        # Whatever moved on is in the ledger after this; what was not looked at is marked.
        unverified = await self._freshness.refresh(files, REFRESH_BUDGET_S)
        await self._prepare(source, request)
        return await source.reader.read(lambda db: work(db, files, unverified))

    async def _counted(self, hit: Hit) -> Hit:
        if hit.tokens:
            return hit
        return replace(hit, tokens=await self._workspace.counter.measure(hit.text))

    async def _record(self, answer: Recall, session_id: str | None) -> None:
        query = redact(answer.query[: QUERY_IN_EVENT * 4]).text[:QUERY_IN_EVENT]
        # An answer that was given does not fail because the trail of it cannot be kept.
        with suppress(StoreError):
            await self._workspace.database.write(
                lambda tx: sql.note_recall(
                    tx,
                    session_id=session_id,
                    query=query,
                    hits=len(answer.hits),
                    stale=len(answer.stale_ids),
                    ms=answer.elapsed_ms,
                )
            )

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)


def _files(ranking: Ranking, k: int) -> set[str]:
    return {path for item in ranking.order[:k] for path in ranking.files.get(item.ref, ())}
