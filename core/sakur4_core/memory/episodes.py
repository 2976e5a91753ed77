"""The episodic stream: append-only, verbatim after redaction, chained."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from sakur4_core.errors import InvalidInput, NotFound
from sakur4_core.memory import chain
from sakur4_core.memory.appending import Appender
from sakur4_core.memory.ledger import Extraction, extract
from sakur4_core.memory.own_words import is_own_tool, without_own
from sakur4_core.memory.redaction import Redacted, clean, redact
from sakur4_core.memory.sessions import check_session_id, ensure_session
from sakur4_core.memory.text import MAX_CONTENT_BYTES, storable
from sakur4_core.memory.twins import twin
from sakur4_core.models import Committed, Episode, InWindow, Role, Verification
from sakur4_core.store import episodes as sql
from sakur4_core.store import folds as fold_sql
from sakur4_core.store import harness as harness_sql
from sakur4_core.store import ledger as ledger_sql
from sakur4_core.store.database import Transaction
from sakur4_core.words import search_text
from sakur4_core.workspace import Workspace

T = TypeVar("T")

MAX_NAME = 200
NOTHING_EXTRACTED = Extraction("none", "", ())
# Below this size the work of a commit is done where it is called: a thread costs more.
INLINE_BYTES = 8_192


class Episodes:
    """Commits turns and reads them back."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def commit(
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
    ) -> Committed:
        """Append one turn in one transaction: session, episode, state, facts, words, event.

        Raises:
            InvalidInput: An unknown role, or an argument beyond its bounds.
            NotFound: ``corrects`` names no episode; nothing was stored.
        """
        checked = _check(role, content, session_id, tool_name, tool_call_id, idempotency_key)
        valid, replaced = storable(content)
        redacted = await _off_loop(valid, redact)
        tool_name, tool_call_id = clean(tool_name), clean(tool_call_id)
        idempotency_key = clean(idempotency_key)
        episode_id = self._workspace.ids.new("ep")
        own = is_own_tool(tool_name)
        extraction = NOTHING_EXTRACTED
        if checked is Role.TOOL and not own:
            extraction = await self._extract(redacted, session_id, tool_call_id or episode_id)
        tokens = await self._workspace.counter.measure(redacted.text)
        words = await _off_loop(redacted.text, lambda text: indexed_words(text, tool_name))

        def work(tx: Transaction) -> Committed:
            if idempotency_key is not None:
                known = sql.by_key(tx.db, session_id, idempotency_key)
                if known is not None:
                    return _again(known)
            followed = harness_sql.is_followed(tx.db, session_id)
            if followed:
                told = twin(harness_sql.unclaimed(tx.db, session_id, checked), redacted.text)
                if told is not None:
                    return _claimed(tx, told, corrects)
            ensure_session(tx, session_id, harness=origin, slot_id=slot_id)
            key = chain.store_key(tx)
            new = sql.NewEpisode(
                episode_id=episode_id,
                session_id=session_id,
                role=checked,
                content=redacted.text,
                tool_name=tool_name,
                tool_call_id=tool_call_id,
                token_count=tokens,
                origin=origin,
                idempotency_key=idempotency_key,
                content_hash=chain.content_hash(key, redacted.text),
                search_text=words,
                fold_id=fold_sql.open_fold(tx.db, session_id),
                # What its harness's transcript does not hold is a note beside the window.
                in_window=InWindow.NO if followed else InWindow.YES,
            )
            seq = append(tx, new)
            if corrects is not None:
                _correct(tx, corrects, episode_id)
            count = ledger_sql.insert_tool_facts(tx, extraction.facts)
            return Committed(
                episode_id=episode_id,
                seq=seq,
                session_id=session_id,
                token_count=tokens,
                facts_extracted=count,
                symbolic_summary=extraction.summary,
                parser=extraction.parser,
                redactions=(*redacted.types, *(("invalid-text",) if replaced else ())),
            )

        return await self._workspace.database.write(work)

    async def get(self, episode: str | int) -> Episode:
        """One episode by its id or its place (``#seq``).

        Raises:
            NotFound: There is none.
        """
        found = await self._workspace.database.read(
            lambda db: (
                sql.by_seq(db, episode) if isinstance(episode, int) else sql.by_id(db, episode)
            )
        )
        if found is None:
            raise NotFound(f"No episode {episode!r}.", "Look it up with `sakur4-tui recall`.")
        return found

    async def page(
        self,
        session_id: str | None = None,
        *,
        role: str | None = None,
        tool_name: str | None = None,
        tier: str | None = None,
        text: str | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> tuple[Episode, ...]:
        """Episodes, newest first, those before place ``before``."""
        chosen = sql.Filter(session_id, role, tool_name, tier, text)
        return await self._workspace.database.read(
            lambda db: sql.page(db, chosen, before=before, limit=limit)
        )

    async def count(
        self,
        session_id: str | None = None,
        *,
        role: str | None = None,
        tool_name: str | None = None,
        tier: str | None = None,
        text: str | None = None,
    ) -> int:
        """How many episodes pass the filter."""
        chosen = sql.Filter(session_id, role, tool_name, tier, text)
        return await self._workspace.database.read(lambda db: sql.count(db, chosen))

    async def verify(self) -> Verification:
        """Walk the transcript's chain."""
        return await self._workspace.database.read(chain.verify)

    async def _extract(self, redacted: Redacted, session_id: str, call: str) -> Extraction:
        return await _off_loop(
            redacted.text,
            lambda text: extract(text, session_id=session_id, call=call),
        )


def indexed_words(content: str, tool_name: str | None) -> str:
    """What a turn is found by: all of it but what this system said itself."""
    return "" if is_own_tool(tool_name) else search_text(without_own(content))


def append(tx: Transaction, new: sql.NewEpisode, *, actor: str = "agent") -> int:
    """Add one episode to the chain inside a transaction, with its event; return its place."""
    appender = Appender(tx, actor=actor)
    seq = appender.add(new)
    appender.flush()
    return seq


def _correct(tx: Transaction, corrects: str, episode_id: str) -> None:
    old = sql.by_id(tx.db, corrects)
    if old is None:
        raise NotFound(
            f"corrects names no episode: {corrects!r}.", "Nothing was stored; name a known id."
        )
    sql.supersede(tx, corrects, episode_id)


def _claimed(tx: Transaction, seq: int, corrects: str | None) -> Committed:
    """A commit of what was read from the session's transcript already: it is that turn."""
    harness_sql.claim(tx, seq)
    known = sql.by_seq(tx.db, seq)
    assert known is not None
    if corrects is not None:
        _correct(tx, corrects, known.episode_id)
    return _again(known)


def _again(known: Episode) -> Committed:
    return Committed(
        episode_id=known.episode_id,
        seq=known.seq,
        session_id=known.session_id,
        token_count=known.token_count,
        facts_extracted=0,
        symbolic_summary="committed before",
        parser="none",
        duplicate=True,
    )


def _check(
    role: str,
    content: str,
    session_id: str,
    tool_name: str | None,
    tool_call_id: str | None,
    idempotency_key: str | None,
) -> Role:
    check_session_id(session_id)
    try:
        checked = Role(role)
    except ValueError:
        known = ", ".join(Role)
        raise InvalidInput(f"Unknown role {role!r}.", f"Use one of {known}.") from None
    # A character takes at most four bytes: only a text near the bound needs encoding to know.
    if len(content) > MAX_CONTENT_BYTES // 4 and (
        len(content.encode("utf-8", "surrogatepass")) > MAX_CONTENT_BYTES
    ):
        raise InvalidInput("content is larger than 16 MB.", "Commit it in parts.")
    for name, value in (
        ("tool_name", tool_name),
        ("tool_call_id", tool_call_id),
        ("idempotency_key", idempotency_key),
    ):
        if value is not None and (not value or len(value) > MAX_NAME or not value.isprintable()):
            raise InvalidInput(
                f"{name} must be 1 to {MAX_NAME} printable characters.", "Shorten it."
            )
    return checked


async def _off_loop(text: str, work: Callable[[str], T]) -> T:
    """Small texts are worked on in place, large ones in a thread."""
    if len(text) <= INLINE_BYTES:
        return work(text)
    return await asyncio.to_thread(work, text)
