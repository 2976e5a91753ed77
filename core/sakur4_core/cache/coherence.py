"""What is known of the prompt cache of a session, and snapshots of its state."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import dataclass, replace
from typing import Final

from sakur4_core.cache.backends import choice
from sakur4_core.cache.backends.base import Backend, Tokenizer
from sakur4_core.cache.backends.embedded import DEPTH, INTERVAL, EmbeddedBackend
from sakur4_core.cache.backends.null import NullBackend
from sakur4_core.cache.prefix import Sent, resume_at
from sakur4_core.cache.verdict import Evidence, verdict_of
from sakur4_core.context.money import rates
from sakur4_core.errors import NotFound
from sakur4_core.events import SNAPSHOT_RESTORED, SNAPSHOT_SAVED
from sakur4_core.models import Basis, CacheState, Snapshot, Usage
from sakur4_core.store import context as sql
from sakur4_core.store.database import Transaction
from sakur4_core.store.usage import cached_before, newest_usage
from sakur4_core.store.window import Frame
from sakur4_core.store.window import frame as read_frame
from sakur4_core.workspace import Workspace

# A backend that was not there is looked for again after this long.
RETRY_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict, and the tokens that were predicted to be reused where none were measured."""

    state: CacheState
    predicted: int | None


class Coherence:
    """Verdicts, and saving and restoring, through whatever backend there is.

    Raises:
        ConfigError: The setting ``context.backend`` cannot be used.
    """

    def __init__(self, workspace: Workspace, backend: Backend | None = None) -> None:
        self._workspace = workspace
        setting = workspace.settings.context.backend
        self._backend: Backend = backend or choice.named(setting)
        self._auto = backend is None and setting == choice.AUTO
        self._asked_at: float | None = None

    @property
    def backend_name(self) -> str:
        """The backend that figures name."""
        return self._backend.name

    @property
    def degraded(self) -> tuple[str, ...]:
        """What the backend cannot do, with reasons."""
        return self._backend.degraded

    @property
    def tokenizer(self) -> Tokenizer | None:
        """The tokenizer of a server that was configured, while it is connected."""
        return self._backend.tokenizer

    @property
    def simulated(self) -> bool:
        """Whether verdicts and cuts come from a simulation, which every figure must say."""
        return isinstance(self._backend, EmbeddedBackend)

    @property
    def checkpoint_note(self) -> str:
        """Where the cuts of a plan come from, in words."""
        return (
            f"Cuts are those of the {self._backend.name}: a checkpoint every {INTERVAL:,} tokens,"
            f" {DEPTH} deep."
        )

    async def connect(self) -> None:
        """Find the backend, or look for it again where it was not there; cheap otherwise."""
        if self._backend.connected:
            return
        now = self._workspace.clock.monotonic()
        if self._asked_at is not None and now - self._asked_at < RETRY_S:
            return
        self._asked_at = now
        if self._auto:
            self._backend = await choice.on_loopback() or NullBackend()
        else:
            await self._backend.connect()

    async def busy(self) -> str | None:
        """Why the backend works now or may be working; None where it does not, or is none."""
        await self.connect()
        return await self._backend.busy()

    async def close(self) -> None:
        """Let go of the backend."""
        await self._backend.close()

    def speaks_for(self, frame: Frame) -> bool:
        """Whether the backend runs the session's model.

        One that was configured is taken to; one that was found must be named by the session.
        """
        if not self._backend.connected:
            return False
        named = (frame.provider or "").lower().startswith("llama")
        return not self._auto or frame.slot_id is not None or named

    def window_of(self, frame: Frame) -> int | None:
        """The window as the model's own server states it, or None."""
        return self._backend.window if self.speaks_for(frame) else None

    async def checkpoints(self, frame: Frame, tokens: int) -> tuple[int, ...] | None:
        """Where the session's cache can resume in a prompt of ``tokens``; None for anywhere."""
        if not self.speaks_for(frame):
            return None
        slot = frame.slot_id or 0
        known = await self._workspace.database.read(
            lambda db: sql.checkpoints_of(db, frame.session_id, slot)
        )
        return known or await self._backend.checkpoints(slot, tokens)

    async def checkpoints_after(self, frame: Frame, tokens: int) -> tuple[int, ...]:
        """Where the slot can resume now that a prompt of ``tokens`` was processed."""
        if not self.speaks_for(frame):
            return ()
        return await self._backend.checkpoints(frame.slot_id or 0, tokens) or ()

    async def judge(self, usage: Usage, frame: Frame, sent: Sent) -> Finding:
        """What a new report says of the cache, given what was sent before it."""
        session_id, message_id = usage.session_id, usage.message_id
        slot = frame.slot_id or 0

        def work(
            db: sqlite3.Connection,
        ) -> tuple[Usage | None, tuple[str, ...], str | None, bool, tuple[int, ...]]:
            before = newest_usage(db, session_id, other_than=message_id)
            moved = (
                () if before is None else sql.moved_since(db, session_id, before.usage.created_at)
            )
            return (
                None if before is None else before.usage,
                moved,
                sql.slot_segments(db, session_id, slot),
                cached_before(db, session_id),
                sql.checkpoints_of(db, session_id, slot),
            )

        previous, moved, last, cached, resumes = await self._workspace.database.read(work)
        shared = None
        if last is not None:
            shared = await asyncio.to_thread(lambda: sent.shared_with(Sent.from_text(last)))
        predicted = None
        if usage.cache_read_tokens is None and (cached or self.speaks_for(frame)):
            same_model = previous is None or previous.model == usage.model
            length = shared.tokens if shared is not None and same_model else 0
            predicted = resume_at(min(length, usage.context_tokens), resumes or None)
        price_list = await asyncio.to_thread(
            rates, usage.model, usage.provider, self._workspace.clock.now()
        )
        evidence = Evidence(previous, moved, shared, predicted, price_list)
        state = verdict_of(usage, evidence)
        if self.simulated and state.basis is Basis.PREDICTED:
            state = replace(state, cause=f"{state.cause or 'predicted'} ({self.backend_name})")
        return Finding(state, predicted)

    async def snapshot(self, session_id: str, slot_id: int | None) -> Snapshot:
        """Record where a session stands, and have the backend save its slot if it can.

        Raises:
            NotFound: There is no such session.
        """
        await self.connect()
        started = self._workspace.clock.monotonic()
        snapshot_id = self._workspace.ids.new("sn")
        counter = self._workspace.counter.name
        frame = await self._workspace.database.read(lambda db: read_frame(db, session_id, counter))
        if frame is None:
            raise unknown_session(session_id)
        slot = frame.slot_id if slot_id is None else slot_id
        saved = None if slot is None else await self._backend.save(slot, snapshot_id)
        body: dict[str, object] = {
            "last_seq": frame.rows[-1].seq if frame.rows else 0,
            "rungs": {str(row.seq): row.rung for row in frame.rows if row.rung},
            "backend": self._backend.name,
            "slot_file": saved.name if saved else None,
        }
        size = saved.bytes if saved else None

        def work(tx: Transaction) -> None:
            if saved is not None:
                body["segments"] = sql.slot_segments(tx.db, session_id, slot or 0)
            sql.put_snapshot(tx, snapshot_id, session_id, slot, body, size)
            tx.emit(SNAPSHOT_SAVED, actor="agent", session_id=session_id, subject=snapshot_id)

        await self._workspace.database.write(work)
        ms = (self._workspace.clock.monotonic() - started) * 1000
        detail = (
            f"The slot's state was saved by {self._backend.name}."
            if saved
            else "The session's place was noted; no backend saved a slot."
        )
        return Snapshot(snapshot_id, session_id, size, round(ms, 1), detail)

    async def restore(self, snapshot_id: str) -> tuple[bool, str]:
        """Bring a slot's saved state back; whether that was done, and why not.

        Raises:
            NotFound: There is no such snapshot.
        """
        await self.connect()
        found = await self._workspace.database.read(lambda db: sql.get_snapshot(db, snapshot_id))
        if found is None:
            raise NotFound(
                f"No snapshot {snapshot_id!r}.", "Use the id that session_snapshot returned."
            )
        session_id, slot_id, body = found
        if slot_id is None or not isinstance(body.get("slot_file"), str):
            return False, "The snapshot holds no slot's state; the transcript itself is intact."
        if body.get("backend") != self._backend.name:
            return False, f"The slot was saved by {body.get('backend')}, which is not connected."
        if not await self._backend.restore(slot_id, snapshot_id):
            why = "; ".join(self.degraded)
            return False, f"{self._backend.name} could not restore the slot: {why}."
        segments = body.get("segments")

        def work(tx: Transaction) -> None:
            if isinstance(segments, str):
                sql.put_slot(tx, session_id, slot_id, segments, 0, (), self._backend.name)
            tx.emit(SNAPSHOT_RESTORED, actor="agent", session_id=session_id, subject=snapshot_id)

        await self._workspace.database.write(work)
        return True, f"Slot {slot_id} is warm again."


def unknown_session(session_id: str) -> NotFound:
    """The error for a session that this store does not hold."""
    return NotFound(f"No session {session_id!r}.", "List them with `sakur4-tui sessions`.")
