"""Taking out what slipped through: a tombstone, and no trace of what stood there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from sakur4_core.errors import InvalidInput, NotFound, StoreBusy
from sakur4_core.events import ANCHOR_UNPINNED, ATLAS_WRITTEN, EPISODE_REDACTED, PROPOSAL_DECIDED
from sakur4_core.memory.episodes import indexed_words
from sakur4_core.memory.quotation import Quotation, without_common
from sakur4_core.memory.redaction import redact
from sakur4_core.memory.text import storable
from sakur4_core.models import Episode, Redaction
from sakur4_core.recall.builder import LOCK
from sakur4_core.store import episodes as episode_sql
from sakur4_core.store import ledger as ledger_sql
from sakur4_core.store import proposals as proposal_sql
from sakur4_core.store import redaction as sql
from sakur4_core.store.database import Transaction
from sakur4_core.workspace import Workspace

MAX_REASON = 200
# A view is written within this; one that takes longer looks at the redactions before it is.
VIEW_WAIT_S = 5.0
# Where plans, receipts and proposals keep free text of the turn that they name.
_NAMES = ("episode_id", "source_episode")
_FREE_TEXT = frozenset({"preview", "content", "excerpt", "label", "title", "text", "kept"})


class Redactions:
    """Replaces turns by tombstones and clears what was derived from them."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def redact(self, episode: str | int, reason: str, *, by: str) -> Redaction:
        """Replace a turn's content by ``[redacted by <by>: <reason>]``, for good.

        Its facts, words, vectors and saved views go with it, and every text that quotes it:
        summaries are retired, pins are taken off, proposals to pin it expire. A turn that is
        redacted already is only scrubbed from the disk again. Backups are not reached.

        Raises:
            NotFound: No such episode.
            InvalidInput: No reason, or one that is too long.
        """
        why = redact(storable(reason)[0]).text.strip()
        if not why or len(why) > MAX_REASON or not why.isprintable():
            raise InvalidInput(f"A reason must have 1 to {MAX_REASON} printable characters.")
        found = await self._find(episode)
        tombstone = f"[redacted by {by}: {why}]"
        if found.redacted:
            tombstone = found.content
            done = Redaction(found.episode_id, found.seq, found.session_id, tombstone)
        else:
            quotation = await asyncio.to_thread(Quotation, found.content)
            words = await asyncio.to_thread(indexed_words, found.content, found.tool_name)
            burial = _Burial(found, quotation, tombstone, why, by)
            done = await self._workspace.database.write(lambda tx: burial.work(tx, words))
        await asyncio.to_thread(_delete_views, self._workspace.place.views)
        try:
            scrubbed = await self._workspace.database.exclusive(sql.scrub)
        except StoreBusy:
            scrubbed = False
        return replace(done, scrubbed=scrubbed)

    async def _find(self, episode: str | int) -> Episode:
        found = await self._workspace.database.read(
            lambda db: (
                episode_sql.by_seq(db, episode)
                if isinstance(episode, int)
                else episode_sql.by_id(db, episode)
            )
        )
        if found is None:
            raise NotFound(f"No episode {episode!r}.", "Look it up with `sakur4-tui recall`.")
        return found


class _Burial:
    """One redaction inside its transaction."""

    def __init__(
        self, episode: Episode, quotation: Quotation, tombstone: str, why: str, by: str
    ) -> None:
        self._episode = episode
        self._quotation = quotation
        self._tombstone = tombstone
        self._why = why
        self._by = by
        self._scope = f"{episode.session_id}/{episode.tool_call_id or episode.episode_id}"

    def work(self, tx: Transaction, words: str) -> Redaction:
        """Do all of it; ``words`` is what the index of words holds of the turn."""
        episode, tombstone = self._episode, self._tombstone
        self._clear_quotes(tx)
        sql.forget_values(tx, episode.episode_id, self._scope, tombstone)
        facts = len(ledger_sql.of_scope(tx.db, self._scope))
        ledger_sql.delete_scope(tx, self._scope)
        episode_sql.entomb(
            tx, episode.seq, tombstone=tombstone, reason=self._why, search_text=words
        )
        summaries = sql.retire_summaries(tx, tombstone, "it quoted a redacted turn")
        anchors = sql.end_anchors(tx, tombstone, self._by)
        proposals = sql.pending_quotes(tx.db, tombstone)
        for proposal in proposals:
            proposal_sql.decide(tx, proposal, "expired", by="engine", reason=tombstone)
        sql.silence(tx, (episode.episode_id, *summaries, *anchors, *proposals), tombstone)
        sql.forget_words(tx)
        self._tell(tx, summaries, anchors, proposals)
        return Redaction(
            episode.episode_id,
            episode.seq,
            episode.session_id,
            tombstone,
            facts,
            summaries,
            anchors,
            proposals,
        )

    def _clear_quotes(self, tx: Transaction) -> None:
        """Put the tombstone wherever a derived text holds what only this turn can have said."""
        own = sql.resting_on(tx.db, self._episode.episode_id, self._scope)
        every = {column: sql.texts(tx.db, column) for column in sql.DERIVED}
        pieces = {
            piece
            for column, texts in every.items()
            for text in texts
            for part in _strings(text, column.json)
            for piece in self._quotation.pieces(part)
        }
        others = sql.other_contents(tx.db, self._episode.seq)
        telling = without_common(pieces, others)

        def quotes(text: str) -> bool:
            return not telling.isdisjoint(self._quotation.pieces(text))

        for column, texts in every.items():
            for text in texts:
                cleared = self._cleared(text, column, quotes, resting=text in own)
                if cleared != text:
                    sql.replace(tx, column, text, cleared)

    def _cleared(
        self, text: str, column: sql.Column, quotes: Callable[[str], bool], *, resting: bool
    ) -> str:
        if column.json:
            value = json.loads(text)
            cleared = self._cleared_json(value, quotes)
            if cleared == value:
                return text
            return json.dumps(cleared, ensure_ascii=False, separators=(",", ":"))
        # A summary that rests on the turn has it from there, wherever else it stands.
        taken = resting and any(True for _ in self._quotation.pieces(text))
        return self._tombstone if taken or quotes(text) else text

    def _cleared_json(self, value: Any, quotes: Callable[[str], bool]) -> Any:
        if isinstance(value, str):
            return self._tombstone if quotes(value) else value
        if isinstance(value, list):
            return [self._cleared_json(item, quotes) for item in value]
        if isinstance(value, dict):
            named = any(value.get(name) == self._episode.episode_id for name in _NAMES)
            return {
                key: self._tombstone
                if named and key in _FREE_TEXT and isinstance(item, str) and item
                else self._cleared_json(item, quotes)
                for key, item in value.items()
            }
        return value

    def _tell(
        self,
        tx: Transaction,
        summaries: tuple[str, ...],
        anchors: tuple[str, ...],
        proposals: tuple[str, ...],
    ) -> None:
        session = self._episode.session_id

        def emit(kind: str, subject: str, detail: dict[str, Any]) -> None:
            tx.emit(kind, actor=self._by, session_id=session, subject=subject, detail=detail)

        for atlas_id in summaries:
            emit(ATLAS_WRITTEN, atlas_id, {"retired": self._tombstone})
        for anchor_id in anchors:
            emit(ANCHOR_UNPINNED, anchor_id, {"preview": self._tombstone})
        for proposal_id in proposals:
            emit(PROPOSAL_DECIDED, proposal_id, {"kind": "anchor", "status": "expired"})
        emit(
            EPISODE_REDACTED,
            self._episode.episode_id,
            {"seq": self._episode.seq, "reason": self._why},
        )


def _strings(text: str, is_json: bool) -> Iterator[str]:
    """The texts in a column's text: itself, or every string of the JSON document."""
    if not is_json:
        yield text
        return
    waiting = [json.loads(text)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            waiting += value.values()


def _delete_views(folder: Path) -> None:
    """Delete what is saved of the indexes; it is built anew when it is needed."""
    if not folder.is_dir():
        return
    lock = FileLock(folder / LOCK)
    with suppress(Timeout, OSError):
        lock.acquire(timeout=VIEW_WAIT_S)
    try:
        for file in folder.iterdir():
            if file.name != LOCK:
                file.unlink(missing_ok=True)
    finally:
        lock.release()
