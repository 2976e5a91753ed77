"""What is known of the prompt cache of a session, and snapshots of its state."""

from __future__ import annotations

import sqlite3

from sakur4_core.cache.backends.base import Backend
from sakur4_core.cache.backends.null import NullBackend
from sakur4_core.cache.verdict import verdict_of
from sakur4_core.errors import NotFound
from sakur4_core.events import SNAPSHOT_RESTORED, SNAPSHOT_SAVED
from sakur4_core.models import CacheState, Snapshot, Usage
from sakur4_core.store import context as sql
from sakur4_core.store.database import Transaction
from sakur4_core.store.window import frame as read_frame
from sakur4_core.workspace import Workspace


class Coherence:
    """Verdicts, and saving and restoring, through whatever backend there is."""

    def __init__(self, workspace: Workspace, backend: Backend | None = None) -> None:
        self._workspace = workspace
        self._backend: Backend = backend or NullBackend()

    @property
    def backend_name(self) -> str:
        """The backend that figures name."""
        return self._backend.name

    @property
    def degraded(self) -> tuple[str, ...]:
        """What the backend cannot do, with reasons."""
        return self._backend.degraded

    async def verdict(self, usage: Usage) -> CacheState:
        """What a new report says of the cache, given the one before it."""
        session_id, message_id = usage.session_id, usage.message_id

        def work(db: sqlite3.Connection) -> tuple[Usage | None, tuple[str, ...]]:
            before = sql.newest_usage(db, session_id, other_than=message_id)
            if before is None:
                return None, ()
            return before.usage, sql.moved_since(db, session_id, before.usage.created_at)

        previous, moved = await self._workspace.database.read(work)
        return verdict_of(usage, previous, moved)

    async def snapshot(self, session_id: str, slot_id: int | None) -> Snapshot:
        """Record where a session stands, and have the backend save its slot if it can.

        Raises:
            NotFound: There is no such session.
        """
        started = self._workspace.clock.monotonic()
        snapshot_id = self._workspace.ids.new("sn")
        frame = await self._workspace.database.read(lambda db: read_frame(db, session_id))
        if frame is None:
            raise unknown_session(session_id)
        saved = None if slot_id is None else await self._backend.save(slot_id, snapshot_id)
        body: dict[str, object] = {
            "last_seq": frame.rows[-1].seq if frame.rows else 0,
            "tiers": {str(row.seq): row.tier.value for row in frame.rows if row.tier.rung},
            "backend": self._backend.name,
            "slot_file": saved.name if saved else None,
        }
        size = saved.bytes if saved else None

        def work(tx: Transaction) -> None:
            sql.put_snapshot(tx, snapshot_id, session_id, slot_id, body, size)
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
        found = await self._workspace.database.read(lambda db: sql.get_snapshot(db, snapshot_id))
        if found is None:
            raise NotFound(
                f"No snapshot {snapshot_id!r}.", "Use the id that session_snapshot returned."
            )
        session_id, slot_id, body = found
        name = body.get("slot_file")
        if slot_id is None or not isinstance(name, str):
            return False, "The snapshot holds no slot's state; the transcript itself is intact."
        if body.get("backend") != self._backend.name:
            return False, f"The slot was saved by {body.get('backend')}, which is not connected."
        if not await self._backend.restore(slot_id, name):
            return False, f"The backend {self._backend.name} could not restore the slot."

        def work(tx: Transaction) -> None:
            tx.emit(SNAPSHOT_RESTORED, actor="agent", session_id=session_id, subject=snapshot_id)

        await self._workspace.database.write(work)
        return True, f"Slot {slot_id} is warm again."


def unknown_session(session_id: str) -> NotFound:
    """The error for a session that this store does not hold."""
    return NotFound(f"No session {session_id!r}.", "List them with `sakur4-tui sessions`.")
