"""Folds: a sub-task's turns leave the prompt when it closes, and a summary stands for them."""

from __future__ import annotations

from sakur4_core.errors import InvalidInput, NotFound
from sakur4_core.events import FOLD_CLOSED, FOLD_OPENED
from sakur4_core.memory.atlas import Atlas
from sakur4_core.memory.naming import names_in
from sakur4_core.memory.redaction import redact
from sakur4_core.memory.sessions import check_session_id, ensure_session
from sakur4_core.memory.text import storable
from sakur4_core.models import Episode, Fold
from sakur4_core.store import episodes as episode_sql
from sakur4_core.store import folds as sql
from sakur4_core.store.database import Transaction
from sakur4_core.store.naming import named
from sakur4_core.workspace import Workspace

MAX_CHARACTERS = 20_000
# Definitions that a fold's summary rests on besides its turns.
MOST_FACTS = 16


class Folds:
    """Opens, closes and recalls folds."""

    def __init__(self, workspace: Workspace, atlas: Atlas) -> None:
        self._workspace = workspace
        self._atlas = atlas

    async def fold(self, description: str, goal: str, *, session_id: str) -> Fold:
        """Open a fold: turns committed to the session from now on belong to it.

        Raises:
            InvalidInput: A text is empty or too long.
        """
        check_session_id(session_id)
        texts = [_text("description", description), _text("goal", goal)]
        fold_id = self._workspace.ids.new("fo")

        def work(tx: Transaction) -> Fold:
            ensure_session(tx, session_id, harness="api")
            sql.insert(tx, fold_id, session_id, *texts)
            tx.emit(
                FOLD_OPENED,
                actor="agent",
                session_id=session_id,
                subject=fold_id,
                detail={"description": texts[0][:80]},
            )
            return _known(sql.get(tx.db, fold_id), fold_id)

        return await self._workspace.database.write(work)

    async def close(self, fold_id: str, result_summary: str) -> Fold:
        """Close a fold with what came of it; its turns leave the prompt, word for word kept.

        Raises:
            NotFound: No such fold.
            InvalidInput: It is closed already, or the summary is empty.
        """
        summary = _text("result_summary", result_summary)
        tokens = await self._workspace.counter.measure(summary)
        atlas_id = self._workspace.ids.new("at")

        def work(tx: Transaction) -> Fold:
            fold = _known(sql.get(tx.db, fold_id), fold_id)
            if fold.status != "open":
                raise InvalidInput(f"Fold {fold_id} is closed.", "Open a new one.")
            anchors = [("episode", episode) for episode in fold.episodes]
            if anchors:
                facts = named(tx.db, names_in(summary))[:MOST_FACTS]
                anchors += [("fact", fact) for _, fact in facts]
                self._atlas.insert(
                    tx,
                    atlas_id,
                    summary,
                    anchors,
                    origin="fold",
                    session_id=fold.session_id,
                    token_count=tokens,
                )
            freed = max(0, sql.tokens_of(tx.db, fold_id) - tokens)
            sql.close(tx, fold_id, summary, atlas_id if anchors else None, freed)
            tx.emit(
                FOLD_CLOSED,
                actor="agent",
                session_id=fold.session_id,
                subject=fold_id,
                detail={"episodes": len(fold.episodes), "tokens": freed},
            )
            return _known(sql.get(tx.db, fold_id), fold_id)

        return await self._workspace.database.write(work)

    async def recall(self, fold_id: str) -> tuple[Fold, tuple[Episode, ...]]:
        """A fold and its turns, word for word.

        Raises:
            NotFound: No such fold.
        """
        fold = await self._workspace.database.read(lambda db: sql.get(db, fold_id))
        episodes = await self._workspace.database.read(lambda db: episode_sql.of_fold(db, fold_id))
        return _known(fold, fold_id), episodes

    async def of_session(self, session_id: str) -> tuple[Fold, ...]:
        """The folds of a session, oldest first."""
        return await self._workspace.database.read(lambda db: sql.of_session(db, session_id))


def _known(fold: Fold | None, fold_id: str) -> Fold:
    if fold is None:
        raise NotFound(f"No fold {fold_id!r}.", "Use the id that memory_fold returned.")
    return fold


def _text(name: str, value: str) -> str:
    text = redact(storable(value)[0]).text.strip()
    if not text or len(text) > MAX_CHARACTERS:
        raise InvalidInput(f"{name} must have 1 to {MAX_CHARACTERS} characters.")
    return text
