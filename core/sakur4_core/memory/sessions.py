"""Sessions: the conversations that this project's memory holds."""

from __future__ import annotations

from sakur4_core.errors import InvalidInput, NotFound
from sakur4_core.events import SESSION_OPENED
from sakur4_core.memory.redaction import clean
from sakur4_core.models import Session
from sakur4_core.store import sessions as sql
from sakur4_core.store.database import Transaction
from sakur4_core.workspace import Workspace

MAX_ID = 200


class Sessions:
    """Lists, finds and opens sessions."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def open(
        self,
        session_id: str,
        *,
        harness: str,
        parent_session: str | None = None,
        slot_id: int | None = None,
        model: str | None = None,
        branch: str | None = None,
        title: str | None = None,
    ) -> Session:
        """Create a session, or note what became known of it.

        Raises:
            InvalidInput: The id is empty, too long or has control characters.
        """
        check_session_id(session_id)

        def work(tx: Transaction) -> Session:
            if parent_session is not None:
                ensure_session(tx, parent_session, harness=harness)
            ensure_session(
                tx,
                session_id,
                harness=harness,
                parent_session=parent_session,
                slot_id=slot_id,
                model=clean(model),
                branch=clean(branch),
                title=clean(title),
            )
            found = sql.get(tx.db, session_id)
            assert found is not None
            return found

        return await self._workspace.database.write(work)

    async def get(self, session_id: str) -> Session:
        """One session.

        Raises:
            NotFound: There is none of that id.
        """
        found = await self._workspace.database.read(lambda db: sql.get(db, session_id))
        if found is None:
            raise NotFound(f"No session {session_id!r}.", "List them with `sakur4-tui sessions`.")
        return found

    async def list(self, limit: int = 100) -> tuple[Session, ...]:
        """Sessions, the one heard of last first."""
        return await self._workspace.database.read(lambda db: sql.newest(db, limit))


def check_session_id(session_id: str) -> None:
    """Refuse ids that could not be shown or stored.

    Raises:
        InvalidInput: Empty, longer than 200 characters, with control characters, or a secret.
    """
    if not session_id or len(session_id) > MAX_ID or not session_id.isprintable():
        raise InvalidInput(
            "session_id must be 1 to 200 printable characters.", "Use the harness's own id."
        )
    if clean(session_id) != session_id:
        raise InvalidInput(
            "session_id looks like a secret, and ids are stored as they are.",
            "Use the harness's own id.",
        )


def ensure_session(
    tx: Transaction,
    session_id: str,
    *,
    harness: str,
    parent_session: str | None = None,
    slot_id: int | None = None,
    model: str | None = None,
    branch: str | None = None,
    title: str | None = None,
) -> None:
    """Create the session inside a transaction if it is new, with its event."""
    if sql.ensure(
        tx,
        session_id,
        harness=harness,
        parent_session=parent_session,
        slot_id=slot_id,
        model=model,
        branch=branch,
        title=title,
    ):
        tx.emit(
            SESSION_OPENED,
            actor="engine",
            session_id=session_id,
            subject=session_id,
            detail={"harness": harness},
        )
