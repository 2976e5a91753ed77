"""The composition root: the only object of the engine that a front end holds."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final, Literal

from sakur4_core import models as m
from sakur4_core.cache.coherence import Coherence
from sakur4_core.clock import Clock, IdFactory, RandomIds, SystemClock, stamp
from sakur4_core.consolidate.auxiliary import Endpoint
from sakur4_core.consolidate.drafting import Drafting
from sakur4_core.consolidate.dream import Dream
from sakur4_core.context.auto_plan import AutoPlan
from sakur4_core.context.decay import Decay
from sakur4_core.context.proposals import Proposals
from sakur4_core.context.tokens import LocalCounter
from sakur4_core.context.window import Window
from sakur4_core.cortex.cortex import Cortex
from sakur4_core.events import Event, EventBus
from sakur4_core.harness.importer import Importer
from sakur4_core.harness.reach import Reach, hooked_here, reach_of
from sakur4_core.harness.tail import Follower
from sakur4_core.memory.anchors import Anchors
from sakur4_core.memory.atlas import Atlas
from sakur4_core.memory.entomb import Redactions
from sakur4_core.memory.episodes import Episodes
from sakur4_core.memory.folds import Folds
from sakur4_core.memory.sessions import Sessions
from sakur4_core.memory.transfer import Transfer, Transferred
from sakur4_core.paths import Home, Project, find_root, identify, place_store
from sakur4_core.recall.recaller import Recaller
from sakur4_core.settings import Settings, load_settings
from sakur4_core.store import harness as harness_sql
from sakur4_core.store import status as status_sql
from sakur4_core.store.database import Database
from sakur4_core.store.feed import Feed
from sakur4_core.store.presence import Lease, Presence, attached
from sakur4_core.store.trail import newest_events
from sakur4_core.workspace import TokenCounter, Workspace

ProcessKind = Literal["tui", "serve", "cli", "hook", "proxy", "embedded"]

LEASE_POLL_S = 2.0
# Processes that live long enough to watch files and consolidate.
KEEPERS: Final = frozenset({"tui", "serve", "embedded"})


class Engine:
    """One process's view of one project's memory. Open it with :meth:`open`.

    Every method raises :class:`~sakur4_core.errors.Sakur4Error` and nothing else for what
    the caller can act on.
    """

    def __init__(self, workspace: Workspace, kind: ProcessKind, home: Home) -> None:
        self.workspace = workspace
        self.home = home
        self.events = EventBus()
        self.sessions = Sessions(workspace)
        self.episodes = Episodes(workspace)
        self.redactions = Redactions(workspace)
        self.anchor_set = Anchors(workspace)
        self.cortex = Cortex(workspace)
        self.atlas = Atlas(workspace, self.cortex)
        self.folds = Folds(workspace, self.atlas)
        self.coherence = Coherence(workspace)
        self.window = Window(workspace, self.anchor_set, self.coherence)
        self.proposals = Proposals(workspace, self.window, self.anchor_set, self.events)
        self.auto_plan = AutoPlan(workspace, self.window, self.proposals, self.events)
        self.recaller = Recaller(workspace, self.cortex)
        endpoint = (
            Endpoint(workspace.settings.dream) if workspace.settings.dream.endpoint else None
        )
        self.consolidator = Dream(
            workspace,
            self.cortex,
            self.atlas,
            self.recaller,
            Decay(self.window, self.proposals),
            self.coherence,
            Drafting(workspace.counter, endpoint),
            lambda: self._lease.held,
        )
        self._transfer = Transfer(workspace)
        self.importer = Importer(workspace, self._heard)
        self.follower = Follower(workspace, self.importer)
        self._kind = kind
        self._feed = Feed(workspace.database, self.events)
        self._lease = Lease(workspace.place.lease)
        self._presence = Presence(workspace.place.presence, kind)
        self._background: set[asyncio.Task[None]] = set()

    # -- life ----------------------------------------------------------------

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        project_root: str | Path,
        *,
        store: str | Path | None = None,
        settings: Settings | None = None,
        kind: ProcessKind = "cli",
        home: Home | None = None,
        clock: Clock | None = None,
        ids: IdFactory | None = None,
        counter: TokenCounter | None = None,
    ) -> AsyncIterator[Engine]:
        """The engine of the project that holds ``project_root``, closed with the block.

        Args:
            store: A store file instead of the project's own; ``:memory:`` for a private one
                that is deleted on close.
            settings: Settings instead of those that the layers give.
            kind: What this process is; shown to others, and the basis of who may hold the
                lease (``tui``, ``serve`` and ``embedded`` do).
            home: The user's folders; clock, ids, counter: sources to inject.

        Raises:
            ConfigError: The project or a setting cannot be used.
            StoreError: The store cannot be used, or belongs to another project.
        """
        home = home or Home.resolve()
        clock = clock or SystemClock()
        root = await asyncio.to_thread(find_root, Path(project_root))
        project = await asyncio.to_thread(identify, root, home)
        settings = settings or load_settings(user_file=home.settings_file, project_root=root)
        place = place_store(project, home, store)
        try:
            database = await Database.open(place.file, clock, durability=settings.store.durability)
            try:
                await database.write(lambda tx: status_sql.claim(tx, project))
                workspace = Workspace(
                    project,
                    place,
                    settings,
                    database,
                    clock,
                    ids or RandomIds(clock),
                    counter or LocalCounter(),
                    home,
                )
                engine = cls(workspace, kind, home)
                await engine._start()
                try:
                    yield engine
                finally:
                    await engine._stop()
            finally:
                await database.close()
        finally:
            if place.temporary is not None:
                await asyncio.to_thread(shutil.rmtree, place.temporary, ignore_errors=True)

    async def _start(self) -> None:
        await asyncio.to_thread(self._presence.announce)
        await self._feed.start()
        if self._kind in KEEPERS:
            self._spawn(self._keep_lease())

    async def _stop(self) -> None:
        for task in self._background:
            task.cancel()
        for task in tuple(self._background):
            with suppress(asyncio.CancelledError):
                await task
        await self.recaller.close()
        await self.coherence.close()
        await self.cortex.close()
        await self._feed.stop()
        self._lease.release()
        self._presence.leave()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _keep_lease(self) -> None:
        """Hold the lease, or take it over within seconds of its holder's death."""
        while not self._lease.try_acquire():  # noqa: ASYNC110 - no death tells us of itself
            await asyncio.sleep(LEASE_POLL_S)
        if self.settings.cortex.watch:
            self._spawn(self.cortex.watch())
        if self.settings.dream.enabled:
            self._spawn(self.consolidator.run(self.events))
        if self.settings.harness.tail:
            self._spawn(self.follower.run())
        self._spawn(self.recaller.keep())
        if self.settings.context.auto_plan:
            self._spawn(self.auto_plan.run())

    # -- what it is ------------------------------------------------------------

    @property
    def project(self) -> Project:
        return self.workspace.project

    @property
    def settings(self) -> Settings:
        return self.workspace.settings

    @property
    def kind(self) -> ProcessKind:
        """What this process is."""
        return self._kind

    def become(self, kind: ProcessKind) -> None:
        """Be another kind of process from now on (an interface that closed but still serves)."""
        self._presence.leave()
        self._kind = kind
        self._presence = Presence(self.workspace.place.presence, kind)
        self._presence.announce()

    def processes(self) -> tuple[m.AttachedProcess, ...]:
        """The live processes that have this store open."""
        return attached(self.workspace.place.presence, self._lease.holder())

    def person_is_watching(self) -> bool:
        """Whether an interface is open on this store now, so that a proposal will be seen."""
        return any(process.kind in ("tui", "embedded") for process in self.processes())

    # -- the transcript --------------------------------------------------------

    async def commit_episode(
        self,
        role: str,
        content: str,
        *,
        session_id: str,
        slot_id: int | None = None,
        tool_name: str | None = None,
        tool_call_id: str | None = None,
        corrects: str | None = None,
        idempotency_key: str | None = None,
        origin: str = "api",
    ) -> m.Committed:
        """Append one turn, with the facts that parsers see in it; then look for constraints.

        Raises:
            InvalidInput: An unknown role or an argument beyond its bounds.
            NotFound: ``corrects`` names no episode; nothing was stored.
        """
        committed = await self.episodes.commit(
            role,
            content,
            session_id=session_id,
            slot_id=slot_id,
            tool_name=tool_name,
            tool_call_id=tool_call_id,
            corrects=corrects,
            idempotency_key=idempotency_key,
            origin=origin,
        )
        self.recaller.turn_committed()
        return await self.proposals.after_commit(committed, role)

    async def _heard(self, committed: m.Committed) -> None:
        """Look for lasting rules in what a person typed in a harness."""
        await self.proposals.after_commit(committed, m.Role.USER)

    async def redact(self, episode: str | int, reason: str, *, by: str = "person") -> m.Redaction:
        """Take a turn's content out for good, with every copy and quotation in the store.

        Raises:
            NotFound: No such episode.
            InvalidInput: No reason, or one that is too long.
        """
        return await self.redactions.redact(episode, reason, by=by)

    # -- recall and the code ---------------------------------------------------

    async def recall(
        self,
        query: str,
        *,
        k: int = 8,
        session_id: str | None = None,
        project: str | None = None,
        kinds: Sequence[str] | None = None,
        budget_tokens: int | None = None,
    ) -> m.Recall:
        """The best evidence for a query, best first, within a token budget."""
        return await self.recaller.recall(
            query,
            k=k,
            session_id=session_id,
            project=project,
            kinds=kinds,
            budget_tokens=budget_tokens,
        )

    async def index(self, *, full: bool = False) -> m.IndexReport:
        """Bring the code index up to date with the disk; ``full`` re-parses everything."""
        return await self.cortex.index(full=full)

    async def repo_map(
        self,
        budget: int,
        *,
        focus: Iterable[str] = (),
        query: str | None = None,
        names_only: bool = False,
    ) -> m.RepoMap:
        """The repository's map within ``budget`` tokens."""
        return await self.cortex.repo_map(
            budget, focus=tuple(focus), query=query, names_only=names_only
        )

    async def symbol(self, name: str) -> m.SymbolAnswer:
        """The definitions known by ``name``, verified against the disk."""
        return await self.cortex.symbol(name)

    async def impact(self, name: str, depth: int = 4) -> m.Impact:
        """Who calls ``name``, to ``depth`` steps."""
        return await self.cortex.impact(name, depth)

    # -- anchors ---------------------------------------------------------------

    async def pin(
        self,
        content: str,
        *,
        kind: str = "task_contract",
        scope: str = "project",
        session_id: str | None = None,
        pinned_by: str = "person",
        expires_at: str | None = None,
    ) -> m.Anchor:
        """Pin a statement. A duplicate returns the anchor that already says it."""
        return await self.anchor_set.pin(
            content,
            kind=kind,
            scope=scope,
            session_id=session_id,
            pinned_by=pinned_by,
            expires_at=expires_at,
        )

    async def unpin(self, anchor_id: str, *, by: str = "person") -> m.Anchor:
        """Take a pin off; its history is kept."""
        return await self.anchor_set.unpin(anchor_id, by=by)

    async def anchors(self, session_id: str | None = None) -> tuple[m.Anchor, ...]:
        """The active anchors: the project's, and those of ``session_id`` if given."""
        return await self.anchor_set.active(session_id)

    # -- the Atlas and folds -----------------------------------------------------

    async def put_summary(
        self,
        content: str,
        anchors: Sequence[tuple[str, str]],
        *,
        session_id: str | None = None,
    ) -> m.AtlasEntry:
        """Store a summary with what it was derived from: ``(type, id)``, at least one."""
        return await self.atlas.put(content, anchors, origin="api", session_id=session_id)

    async def staleness(self, *, limit: int = 50) -> m.Staleness:
        """How much of the Atlas the code and the transcript have outlived."""
        return await self.atlas.staleness(limit=limit)

    async def fold(self, description: str, goal: str, *, session_id: str) -> m.Fold:
        """Open a fold: turns committed from now on belong to it."""
        return await self.folds.fold(description, goal, session_id=session_id)

    async def unfold(self, fold_id: str, result_summary: str) -> m.Fold:
        """Close a fold with what came of it; its turns leave the prompt."""
        return await self.folds.close(fold_id, result_summary)

    async def recall_fold(self, fold_id: str) -> tuple[m.Fold, tuple[m.Episode, ...]]:
        """A fold and its turns, word for word."""
        return await self.folds.recall(fold_id)

    # -- the window ------------------------------------------------------------

    async def record_usage(
        self,
        *,
        session_id: str,
        prompt_tokens: int,
        completion_tokens: int | None = None,
        cache_read_tokens: int | None = None,
        cache_write_tokens: int | None = None,
        provider: str | None = None,
        model: str | None = None,
        message_id: str | None = None,
    ) -> m.Usage:
        """Record what a provider reported for one API call."""
        return await self.window.record_usage(
            session_id=session_id,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            cache_read_tokens=cache_read_tokens,
            cache_write_tokens=cache_write_tokens,
            provider=provider,
            model=model,
            message_id=message_id,
        )

    async def receipt(self, session_id: str) -> m.Receipt:
        """What fills the window of a session now; stored once a turn."""
        return await self.window.receipt(session_id)

    async def receipts(self, session_id: str, limit: int = 50) -> tuple[m.Receipt, ...]:
        """The stored receipts of a session, newest first."""
        return await self.window.receipts(session_id, limit)

    async def tiers(self, session_id: str) -> m.Tiers:
        """How a session's episodes stand on the ladder, and what would leave next."""
        return await self.window.tiers(session_id)

    async def reach(self, session_id: str) -> Reach:
        """Whether a plan of a session can be put in effect, and what of the anchors is in its
        real context.

        Raises:
            NotFound: There is no such session.
        """
        hooked = await asyncio.to_thread(hooked_here, self.project.root)
        now = stamp(self.workspace.clock.now())
        return await self.workspace.database.read(
            lambda db: reach_of(db, session_id, now, hooked=hooked)
        )

    async def preview_plan(
        self,
        session_id: str,
        *,
        target: float | None = None,
        without: Iterable[str] = (),
    ) -> m.Plan:
        """The plan as it would be now; nothing is stored.

        Args:
            target: A share of the window to reach instead of the profile's.
            without: Episode ids to leave alone.
        """
        return await self.window.plan(session_id, target=target, without=frozenset(without))

    async def plan_eviction(
        self, session_id: str, *, target: float | None = None, asked_by: str = "person"
    ) -> m.Proposal:
        """Plan an eviction and store it as a proposal that waits for a decision."""
        return await self.proposals.propose_eviction(session_id, target=target, asked_by=asked_by)

    async def render_item(self, episode_id: str, tier: m.Tier) -> str:
        """An episode's text in the prompt at a tier, for comparing before with after."""
        return await self.window.render_item(episode_id, tier)

    async def snapshot(self, session_id: str, slot_id: int | None = None) -> m.Snapshot:
        """Save a session's state, and its slot where the backend can."""
        return await self.coherence.snapshot(session_id, slot_id)

    async def restore(self, snapshot_id: str) -> tuple[bool, str]:
        """Bring a saved state back; what could be restored, in words."""
        return await self.coherence.restore(snapshot_id)

    # -- what happened ---------------------------------------------------------

    async def recent_events(self, limit: int = 200) -> tuple[Event, ...]:
        """The newest events, oldest of them first."""
        return await self.workspace.database.read(lambda db: newest_events(db, limit))

    # -- upkeep ----------------------------------------------------------------

    async def dream(self, force: bool = False) -> m.DreamReport:
        """Run one consolidation cycle now if idle; ``force`` skips the quiet time only.

        Where another process holds the lease it is asked to, and this returns at once.
        """
        if not self._lease.try_acquire():
            await self.consolidator.ask(force=force)
            reason = f"Process {self._lease.holder()} holds the lease and was asked to."
            return m.DreamReport(False, reason)
        try:
            return await self.consolidator.once(force=force)
        finally:
            if self._kind not in KEEPERS:
                self._lease.release()

    async def export(self, target: Path) -> Transferred:
        """Write the memory to a new file of JSON Lines, lossless and chained."""
        return await self._transfer.export(target)

    async def take_over(self, source: Path) -> Transferred:
        """Take an export over into this store, whole or not at all."""
        return await self._transfer.take_over(source)

    async def backup(self, target: Path) -> None:
        """Copy the store file while it is in use."""
        await self.workspace.database.backup(target)

    async def verify(self) -> m.Verification:
        """Walk the transcript's chain."""
        return await self.episodes.verify()

    async def unknown_lines(self) -> dict[tuple[str, str], int]:
        """Lines of transcripts that no reader knows, by harness and kind; all are kept."""
        return dict(await self.workspace.database.read(harness_sql.unknown_lines))

    async def status(self) -> m.Status:
        """The engine in one look."""
        counts = await self.workspace.database.read(status_sql.counts)
        place = self.workspace.place
        holder = self._lease.holder()
        return m.Status(
            project=str(self.project.root),
            project_id=self.project.project_id,
            store=str(place.file),
            schema_version=counts.schema_version,
            episodes=counts.episodes,
            facts=counts.facts,
            files=counts.files,
            sessions=counts.sessions,
            anchors=counts.anchors,
            pending=counts.pending,
            stale=counts.stale,
            atlas=counts.atlas,
            lease_holder=holder,
            holds_lease=self._lease.held,
            processes=attached(place.presence, holder),
            watching=self.cortex.watching,
            indexed_at=counts.indexed_at,
            counter=self.workspace.counter.name,
            backend=self.coherence.backend_name,
            embedder=self.recaller.embedder_name,
            policy=self.settings.mcp.policy,
            degraded=tuple(
                problem
                for part in (
                    self.workspace.database,
                    self._feed,
                    self.cortex,
                    self.recaller,
                    self.coherence,
                    self.follower,
                )
                for problem in part.degraded
            ),
        )
