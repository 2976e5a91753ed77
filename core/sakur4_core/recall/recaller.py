"""Recall: a query in, the best evidence of a store out, with reasons and within a budget."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from sakur4_core.errors import InvalidInput, StoreError
from sakur4_core.memory.redaction import redact
from sakur4_core.memory.text import storable
from sakur4_core.models import Hit, Recall
from sakur4_core.recall import lexical
from sakur4_core.recall.budget import Fitted, fit
from sakur4_core.recall.elsewhere import Reader, open_other, resolve
from sakur4_core.recall.fact_words import FactWords
from sakur4_core.recall.hits import load
from sakur4_core.recall.lexical import Scope
from sakur4_core.recall.query import Query, parse
from sakur4_core.recall.ranking import NEWEST, Ranking, rank
from sakur4_core.store import recall as sql
from sakur4_core.workspace import Freshness, Workspace

MAX_K = 200
# DESIGN: what is read is checked against the disk within 20 ms in total.
REFRESH_BUDGET_S = 0.020
QUERY_IN_EVENT = 200

LEXICAL_ONLY = "Found by words alone: no embedder is loaded."


@dataclass(frozen=True, slots=True)
class Request:
    """A checked call."""

    query: Query
    scope: Scope
    k: int
    budget: int


class Recaller:
    """Answers queries from the store of a workspace, or deliberately from another's."""

    def __init__(self, workspace: Workspace, cortex: Freshness) -> None:
        self._workspace = workspace
        self._freshness = cortex
        self._fact_words = FactWords(workspace.database)
        self._background: set[asyncio.Task[None]] = set()

    @property
    def embedder_name(self) -> str:
        """The embedder behind the dense view."""
        return "none"

    @property
    def degraded(self) -> tuple[str, ...]:
        """What the settings ask for and recall does not do."""
        wanted = self._workspace.settings.recall.embedder
        return () if wanted == "off" else (f"Recall: {LEXICAL_ONLY}",)

    async def recall(
        self,
        query: str,
        *,
        k: int = 8,
        session_id: str | None = None,
        project: str | None = None,
        kinds: Sequence[str] | None = None,
        budget_tokens: int | None = None,
    ) -> Recall:
        """The best evidence for ``query``, best first.

        Args:
            k: The most hits to return, 1 to 200.
            session_id: Narrows turns to one session, and summaries to its own and those of
                no session; code facts belong to the project.
            project: Another project's id or root folder, read instead of this one.
            kinds: Of ``episode``, ``summary`` and ``fact``; all by default.
            budget_tokens: The most tokens that the hits may have together.

        Raises:
            InvalidInput: An argument beyond its bounds.
            NotFound: ``project`` names none that is known.
        """
        started = self._workspace.clock.monotonic()
        request = self._check(query, k, session_id, kinds, budget_tokens)
        async with self._source(project) as source:
            own = source is self._workspace.database
            pending = await self._prepare(request) if own else False
            ranking, unverified = await self._ranked(source, request, own)
            best = ranking.order[: request.k]
            hits = await source.read(lambda db: load(db, best, ranking.files, unverified))
        counted = [await self._counted(hit) for hit in hits]
        words = [term.words[0] for term in request.query.terms]
        fitted = await fit(counted, request.budget, words, self._workspace.counter)
        answer = Recall(
            query=request.query.text,
            hits=fitted.hits,
            views=(lexical.NAME,) if request.query.terms else (NEWEST,),
            lexical_only=True,
            stale_ids=tuple(hit.id for hit in fitted.hits if hit.stale),
            notes=tuple(_notes(request, fitted, pending)),
            tokens=fitted.tokens,
            elapsed_ms=round((self._workspace.clock.monotonic() - started) * 1000, 3),
        )
        self._spawn(self._record(answer, session_id))
        return answer

    async def close(self) -> None:
        """Wait for what still runs behind answers that were given."""
        for task in tuple(self._background):
            await task

    def _check(
        self,
        query: str,
        k: int,
        session_id: str | None,
        kinds: Sequence[str] | None,
        budget_tokens: int | None,
    ) -> Request:
        if not 1 <= k <= MAX_K:
            raise InvalidInput(f"k must be 1 to {MAX_K}.", "Ask for fewer hits.")
        if budget_tokens is not None and budget_tokens < 1:
            raise InvalidInput("budget_tokens must be at least 1.")
        chosen = tuple(kind for kind in sql.KINDS if kinds is None or kind in kinds)
        unknown = sorted(set(kinds or ()) - set(sql.KINDS))
        if unknown or not chosen:
            named = ", ".join(repr(kind) for kind in unknown) or "none"
            raise InvalidInput(f"Unknown kinds: {named}.", f"Use {', '.join(sql.KINDS)}.")
        budget = budget_tokens or self._workspace.settings.recall.budget_tokens
        return Request(parse(storable(query)[0]), Scope(chosen, session_id), k, budget)

    @asynccontextmanager
    async def _source(self, project: str | None) -> AsyncIterator[Reader]:
        database = self._workspace.database
        own = self._workspace.project
        if project is None or project in (own.project_id, str(own.root)):
            yield database
            return
        project_id = await asyncio.to_thread(resolve, project, self._workspace.home)
        if project_id == own.project_id:
            yield database
            return
        async with open_other(project_id, self._workspace.home) as other:
            yield other

    async def _prepare(self, request: Request) -> bool:
        """Index the words of new facts; whether some still wait for it."""
        if sql.FACT not in request.scope.kinds or not request.query.terms:
            return False
        if not await self._fact_words.advance():
            return False
        self._spawn(self._fact_words.finish())
        return True

    async def _ranked(
        self, source: Reader, request: Request, own: bool
    ) -> tuple[Ranking, set[str]]:
        """The ranking after the files behind its best were checked; those left unchecked."""

        def work(db: sqlite3.Connection) -> Ranking:
            return rank(db, request.query, request.scope, policy)

        policy = self._workspace.settings.recall.fusion
        ranking = await source.read(work)
        files = _files(ranking, request.k)
        if not files:
            return ranking, set()
        if not own:
            return ranking, files
        database = self._workspace.database
        before = await database.data_version()
        unverified = await self._freshness.refresh(files, REFRESH_BUDGET_S)
        if await database.data_version() != before:
            await self._prepare(request)
            ranking = await source.read(work)
            unverified = unverified | (_files(ranking, request.k) - files)
        return ranking, unverified

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


def _notes(request: Request, fitted: Fitted, pending: bool) -> list[str]:
    notes = []
    if not request.query.terms:
        notes.append("The query has no word to look for; these are the newest.")
    elif not fitted.hits and not fitted.left_out:
        notes.append("Nothing stored matches.")
    if fitted.excerpts:
        notes.append(f"To fit {request.budget} tokens, {fitted.excerpts} were cut to excerpts.")
    if fitted.left_out:
        notes.append(f"{fitted.left_out} more did not fit {request.budget} tokens.")
    unverified = sum(hit.unverified for hit in fitted.hits)
    if unverified:
        notes.append(f"{unverified} rest on files that were not checked against the disk.")
    if pending:
        notes.append("The code index is still being prepared for recall.")
    return [*notes, LEXICAL_ONLY]
