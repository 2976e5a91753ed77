"""The live index of a store: loaded, caught up before every search, and saved.

One thread reads and changes it, a small piece at a time, so a query waits for one piece at
most. What is too much for that is built by a process of its own (builder.py); until it is
done, the caller is told that there is no index and searches the store's full-text index.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from filelock import BaseFileLock, FileLock, Timeout

from sakur4_core.errors import StoreError
from sakur4_core.recall.builder import LOCK
from sakur4_core.recall.elsewhere import Reader
from sakur4_core.recall.scope import mask_of
from sakur4_core.recall.snapshot import Snapshot, load, save
from sakur4_core.recall.turn_search import FULL, Found, Recipe, search
from sakur4_core.store import recall as sql

T = TypeVar("T")

FOLLOWER = "follower"

# Turns that a query waits for; below a second. More are left to the builder.
INLINE = 8_000
PIECE = 64
# Turns not in the saved view from which a new one is made: so many, or this share of it.
UNSAVED = 4_000
UNSAVED_SHARE = 0.25
# At its end a process saves what would cost the next one a noticeable time.
SAVED_AT_END = 256
# Turns are taken in once none was committed for so long, so that a flood is not slowed down by
# its own index, or once so many wait.
QUIET_S = 0.25
WAITING = 2_000
# A process that commits a turn or two and ends need not load anything.
FOLLOWED_FROM = 64
KEPT_EVERY_S = 2.0
# A store whose views cannot be built is tried again after so many turns.
TRIED_AGAIN_AFTER = 1_000


@dataclass(frozen=True, slots=True)
class Place:
    """Where a store and its views lie; ``lasting`` where they outlive this process."""

    store: Path
    views: Path
    lasting: bool = True


class Live:
    """The index of one store for one process."""

    def __init__(self, reader: Reader, place: Place, *, embedded: bool, builds: bool) -> None:
        self._reader = reader
        self._place = place
        self._embedded = embedded
        self._builds = builds
        self._thread: ThreadPoolExecutor | None = None
        self._snapshot: Snapshot | None = None
        self._chain_read = False
        self._lock = asyncio.Lock()
        self._builder: asyncio.Task[None] | None = None
        self._follower: asyncio.Task[None] | None = None
        self._heard = self._taken_in = 0
        self._behind = 0
        self._follows: BaseFileLock | None = None
        self._failed_at = -TRIED_AGAIN_AFTER

    @property
    def embedder(self) -> str:
        """The embedder behind the dense view, ``none`` where there is none."""
        snapshot = self._snapshot
        if not self._embedded or (snapshot is not None and snapshot.fault):
            return "none"
        return "wordllama-256 (int8, numpy)"

    @property
    def fault(self) -> str | None:
        """Why the embedder cannot be used."""
        return None if self._snapshot is None else self._snapshot.fault

    async def search(
        self, text: str, scope: sql.Scope, *, limit: int, recipe: Recipe = FULL
    ) -> Found | None:
        """The best turns in scope as of now; None while the index is being built."""
        snapshot = await self._ready(INLINE)
        if snapshot is None:
            return None
        seqs = None
        if scope.narrowed:
            seqs = await self._reader.read(lambda db: sql.seqs_of(db, scope))

        def work() -> Found:
            mask = mask_of(snapshot.index, scope, seqs)
            meanings = snapshot.meanings
            vector = None
            if meanings is not None and text.strip():
                vector = meanings.query(text)
            vectors = None if meanings is None else meanings.vectors
            return search(snapshot.index, vectors, text, vector, mask, limit=limit, recipe=recipe)

        return await self._run(work)

    def turn_committed(self) -> None:
        """Follow this process's own commits, a little behind them."""
        self._heard += 1
        if self._follower is None or self._follower.done():
            self._follower = asyncio.create_task(self._follow())

    async def keep(self) -> None:
        """Follow every process's commits until cancelled: what the holder of the lease does."""
        while True:
            with suppress(StoreError):
                await asyncio.to_thread(self._alone)
                await self._ready(INLINE)
            await asyncio.sleep(KEPT_EVERY_S)

    async def catch_up(self) -> int:
        """Take in every turn now, or have it built; return how many were new to the index."""
        if self._snapshot is None and not await asyncio.to_thread(self._alone):
            return 0
        return self._behind if await self._ready(INLINE) is not None else 0

    async def close(self) -> None:
        """End what runs, and save what is worth it."""
        for task in (self._follower, self._builder):
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
        if self._thread is not None:
            with suppress(StoreError):
                await self._save()
            self._thread.shutdown()
            self._thread = None
        if self._follows is not None:
            self._follows.release()

    # -- catching up -----------------------------------------------------------

    async def _ready(self, most: int) -> Snapshot | None:
        async with self._lock:
            mark = await self._reader.read(sql.mark)
            snapshot = self._snapshot
            if snapshot is None or snapshot.redactions != mark.redactions:
                snapshot = await self._load(mark)
            behind = mark.last_seq - snapshot.index.last_seq
            if behind > most:
                # Another process may have saved what this one lacks.
                snapshot = await self._load(mark)
                behind = mark.last_seq - snapshot.index.last_seq
            self._snapshot = snapshot
            if behind > most or snapshot.index.full:
                self._build(mark)
                return None
            self._behind = behind
            await self._advance(snapshot, mark)
            if self._unsaved(snapshot):
                self._build(mark)
            return snapshot

    async def _load(self, mark: sql.Mark) -> Snapshot:
        """The saved snapshot, if it is of this store as it is now; else an empty one."""
        views, embedded = self._place.views, self._embedded
        found = await asyncio.to_thread(load, views, embedded=embedded)
        if found is not None and found[0].redactions == mark.redactions:
            snapshot, chain = found
            last = snapshot.index.last_seq
            if await self._reader.read(lambda db: sql.chain_at(db, last)) == chain:
                return snapshot
        return await asyncio.to_thread(_empty, mark, embedded)

    async def _advance(self, snapshot: Snapshot, mark: sql.Mark) -> None:
        while (last := snapshot.index.last_seq) < mark.last_seq:
            turns = await self._reader.read(
                lambda db, last=last: sql.turns_after(db, last, PIECE)  # type: ignore[misc]
            )
            if not turns:
                return
            await self._run(lambda turns=turns: snapshot.append(turns))  # type: ignore[misc]

    async def _follow(self) -> None:
        heard = -1
        while heard != self._heard and self._heard < self._taken_in + WAITING:
            heard = self._heard
            await asyncio.sleep(QUIET_S)
        if self._heard < FOLLOWED_FROM and self._snapshot is None:
            return
        self._taken_in = self._heard
        if self._snapshot is None and not await asyncio.to_thread(self._alone):
            return
        with suppress(StoreError):
            await self._ready(INLINE)

    def _alone(self) -> bool:
        """Whether this process is the one that follows though nobody searches in it."""
        if self._follows is None:
            lock = FileLock(self._place.views / FOLLOWER, timeout=0, thread_local=False)
            try:
                self._place.views.mkdir(mode=0o700, parents=True, exist_ok=True)
                lock.acquire()
            except (Timeout, OSError):
                return False
            self._follows = lock
        return True

    def _unsaved(self, snapshot: Snapshot) -> bool:
        unsaved = snapshot.index.turns.size - snapshot.saved
        if snapshot.meanings is not None and snapshot.meanings.outdated:
            return True
        return unsaved > max(UNSAVED, UNSAVED_SHARE * snapshot.saved)

    # -- building and saving -----------------------------------------------------

    def _build(self, mark: sql.Mark) -> None:
        running = self._builder is not None and not self._builder.done()
        if not self._builds or running or mark.last_seq < self._failed_at + TRIED_AGAIN_AFTER:
            return
        self._builder = asyncio.create_task(self._built(mark))

    async def _built(self, mark: sql.Mark) -> None:
        """Run the builder, then take its view over."""
        process = await asyncio.to_thread(_start, self._place, self._embedded)
        try:
            await asyncio.to_thread(process.wait)
        except asyncio.CancelledError:
            process.kill()
            process.wait()
            raise
        finally:
            if process.stdin is not None:
                process.stdin.close()
        with suppress(StoreError):
            mark = await self._reader.read(sql.mark)
            built = await self._load(mark)
            if built.index.turns.size == 0:
                self._failed_at = mark.last_seq
                return
            async with self._lock:
                current = self._snapshot
                if current is None or built.saved > current.saved:
                    self._snapshot = built
                else:
                    self._failed_at = mark.last_seq

    async def _save(self) -> None:
        snapshot = self._snapshot
        if snapshot is None or not self._place.lasting or not self._builds:
            return
        if snapshot.index.turns.size - snapshot.saved < SAVED_AT_END:
            return
        last = snapshot.index.last_seq
        chain = await self._reader.read(lambda db: sql.chain_at(db, last))
        mark = await self._reader.read(sql.mark)
        if chain is not None and mark.redactions == snapshot.redactions:
            await self._run(lambda: _save_alone(snapshot, chain, self._place.views))

    async def _run(self, work: Callable[[], T]) -> T:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="sakur4-recall")
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


def _empty(mark: sql.Mark, embedded: bool) -> Snapshot:
    from sakur4_core.recall.meanings import Meanings

    return Snapshot(meanings=Meanings() if embedded else None, redactions=mark.redactions)


def _save_alone(snapshot: Snapshot, chain: str, views: Path) -> None:
    """Save unless another process does so; a view that cannot be written is done without."""
    with suppress(Timeout, OSError):
        views.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(views / LOCK, timeout=0):
            save(snapshot, chain, views)


def _start(place: Place, embedded: bool) -> subprocess.Popen[bytes]:
    paths = os.pathsep.join(entry for entry in sys.path if entry)
    mode = "dense" if embedded else "lexical"
    # -P keeps the working folder off the import path.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "sakur4_core.recall.builder", place.store, place.views, mode],
        cwd=Path(__file__).parent,
        env={**os.environ, "PYTHONPATH": paths},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
