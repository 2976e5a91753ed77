"""The consolidator: upkeep of the store while nobody waits for it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from typing import Final, Protocol

from sakur4_core.clock import parse_stamp
from sakur4_core.consolidate.cycle import Cycle, Interrupted, Step
from sakur4_core.consolidate.drafting import Drafting
from sakur4_core.consolidate.steps import Archive, Archives, CatchesUp, Embed, Prune, Retire
from sakur4_core.consolidate.summaries import Promote, Regenerate
from sakur4_core.errors import StoreError
from sakur4_core.events import DREAM_ASKED, EventBus
from sakur4_core.memory.atlas import Atlas
from sakur4_core.models import DreamReport
from sakur4_core.store import dream as sql
from sakur4_core.store.database import Transaction
from sakur4_core.workspace import Freshness, Workspace

log = logging.getLogger(__name__)

# What was found not to be due is looked for again when something has happened, or after this.
LOOK_AGAIN_S: Final = 3_600.0
DONE: Final = "done"
NOTHING_DUE: Final = "Nothing was due."


class Server(Protocol):
    """The model's own server, where there is one."""

    async def busy(self) -> str | None:
        """Why it works now or may be working; None where it does not."""
        ...


class Dream:
    """Runs upkeep when the store is quiet, one item a transaction, and yields to anybody's work.

    Args:
        lease: Whether this process is the one that may.
    """

    def __init__(
        self,
        workspace: Workspace,
        freshness: Freshness,
        atlas: Atlas,
        index: CatchesUp,
        archives: Archives,
        server: Server,
        drafting: Drafting,
        lease: Callable[[], bool],
    ) -> None:
        self._workspace = workspace
        self._server = server
        self._drafting = drafting
        self._lease = lease
        self._running = asyncio.Lock()
        self._quiet_at: tuple[int, float] | None = None
        self._retire = Retire(workspace, freshness)
        self._regenerate = Regenerate(workspace, atlas, drafting)
        self._promote = Promote(workspace, atlas, drafting)
        self._embed = Embed(index)
        self._archive = Archive(workspace, archives)
        self._prune = Prune(workspace)

    async def run(self, events: EventBus) -> None:
        """Look every ``dream.poll_s`` whether the store is quiet, until cancelled; at once when
        another process asks for it."""
        async with events.subscribe() as subscription:
            while True:
                force = False
                try:
                    async with asyncio.timeout(self._workspace.settings.dream.poll_s):
                        while (event := await subscription.get()).kind != DREAM_ASKED:
                            pass
                    force = bool(event.detail.get("force"))
                except TimeoutError:
                    if await self._nothing_new():
                        continue
                try:
                    await self.once(force=force)
                except StoreError as error:
                    log.warning("The consolidator waits: %s", error)

    async def ask(self, *, force: bool) -> None:
        """Ask the process that holds the lease for a cycle."""

        def work(tx: Transaction) -> None:
            tx.emit(DREAM_ASKED, actor="engine", detail={"force": force})

        await self._workspace.database.write(work)

    async def once(self, *, force: bool = False) -> DreamReport:
        """Run one cycle if nobody did anything for ``dream.quiet_s``.

        Args:
            force: Skip the quiet time only. Whoever does something meanwhile still ends it.

        Returns:
            What was done, and why no more. ``archived`` counts episodes that went down the
            ladder; ``pruned`` summaries that ended and old reads taken from the event trail.
        """
        if not self._lease():
            return DreamReport(False, "Another process holds the lease.")
        if self._running.locked():
            return DreamReport(False, "A cycle is running.")
        async with self._running:
            began = await self._workspace.database.read(sql.last_activity)
            if not force and (wait := self._quiet_in(began)) > 0:
                return DreamReport(False, f"Not quiet yet: {wait:.0f} s to go.")
            self._drafting.begin()
            cycle = Cycle(began, self._server.busy)
            reason = DONE
            try:
                await self._work(cycle)
            except Interrupted as stop:
                reason = str(stop)
            return await self._report(cycle, reason)

    async def _work(self, cycle: Cycle) -> None:
        plan = [(step, await step.due(limit)) for step, limit in self._steps()]
        # Writing anew and writing first share the items of a cycle.
        left = self._workspace.settings.dream.items
        for step, items in plan:
            if step in (self._regenerate, self._promote):
                del items[left:]
                left -= len(items)
        cycle.total = sum(len(items) for _, items in plan)
        for step, items in plan:
            for item in items:
                await cycle.take(step, item)

    def _steps(self) -> Iterator[tuple[Step, int]]:
        """What is done, in order, with the most items of each in one cycle."""
        settings = self._workspace.settings.dream
        yield self._retire, settings.items
        yield self._regenerate, settings.regenerations
        yield self._promote, settings.items
        yield self._embed, 1
        yield self._archive, settings.items
        yield self._prune, settings.items

    def _quiet_in(self, newest: sql.Activity | None) -> float:
        """Seconds until the store counts as quiet; 0 or less when it does."""
        if newest is None:
            return 0.0
        now = self._workspace.clock.now()
        quiet = (now - parse_stamp(newest.created_at)).total_seconds()
        return self._workspace.settings.dream.quiet_s - quiet

    async def _nothing_new(self) -> bool:
        """Whether a cycle found nothing due and nothing has happened since."""
        if self._quiet_at is None:
            return False
        seq, at = self._quiet_at
        if self._workspace.clock.monotonic() - at > LOOK_AGAIN_S:
            return False
        return await self._workspace.database.read(sql.newest_event) == seq

    async def _report(self, cycle: Cycle, reason: str) -> DreamReport:
        counts = {name: count for name, count in sorted(cycle.counts.items()) if count}
        if counts or cycle.told:
            detail = {**counts, **({"skipped": cycle.skipped.total()} if cycle.skipped else {})}
            await self._workspace.database.write(lambda tx: sql.note_finished(tx, reason, detail))
        elif reason == DONE:
            reason = NOTHING_DUE
            seq = await self._workspace.database.read(sql.newest_event)
            self._quiet_at = (seq, self._workspace.clock.monotonic())
        return DreamReport(True, reason, **counts, skipped=dict(sorted(cycle.skipped.items())))
