"""The Anchor Set: pinned statements, verbatim; no episodes, so no plan can evict them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sakur4_core.clock import parse_stamp, stamp
from sakur4_core.errors import AnchorOverflow, InvalidInput, NotFound
from sakur4_core.events import ANCHOR_EDITED, ANCHOR_PINNED, ANCHOR_UNPINNED
from sakur4_core.memory.anchor_text import anchor_block
from sakur4_core.memory.redaction import redact
from sakur4_core.memory.sessions import check_session_id
from sakur4_core.memory.text import preview, storable
from sakur4_core.models import Anchor, AnchorKind, Scope
from sakur4_core.store import anchors as sql
from sakur4_core.store.database import Transaction
from sakur4_core.workspace import Workspace

MAX_CHARACTERS = 4_000


def render(anchors: Sequence[Anchor], *, budget: int | None = None) -> str:
    """The pinned block as it stands in a prompt: by kind, verbatim, in a fixed order.

    Args:
        budget: Tokens that the anchors may cost together; None for no bound.

    Raises:
        AnchorOverflow: They cost more; nothing is left out in silence.
    """
    cost = sum(anchor.token_cost for anchor in anchors)
    if budget is not None and cost > budget:
        raise overflow(anchors, cost, budget)
    return anchor_block((anchor.kind, anchor.content) for anchor in anchors)


def overflow(anchors: Sequence[Anchor], cost: int, budget: int) -> AnchorOverflow:
    """The error that names the sizes, and the largest anchors whose going would be enough."""
    over = cost - budget
    enough, freed = [], 0
    for anchor in sorted(anchors, key=lambda anchor: (-anchor.token_cost, anchor.anchor_id)):
        if freed >= over:
            break
        enough.append(f"{anchor.anchor_id} ({anchor.token_cost})")
        freed += anchor.token_cost
    return AnchorOverflow(
        f"{len(anchors)} anchors cost {cost} tokens; their budget is {budget}.",
        f"Unpin or shorten at least {over} tokens, for instance {', '.join(enough)}.",
    )


def same_statement(one: str, other: str) -> bool:
    """Whether two statements say the same but for case, spacing and a closing full stop."""
    return _normal(one) == _normal(other)


def _normal(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().rstrip(".!").casefold()


class Anchors:
    """Pins, edits, unpins and lists."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def render(self, anchors: Sequence[Anchor], *, budget: int | None = None) -> str:
        """See :func:`render`."""
        return render(anchors, budget=budget)

    async def pin(
        self,
        content: str,
        *,
        kind: str = "task_contract",
        scope: str = "project",
        session_id: str | None = None,
        pinned_by: str = "person",
        expires_at: str | None = None,
        source_episode: str | None = None,
    ) -> Anchor:
        """Pin a statement; a duplicate returns the anchor that already says it.

        Raises:
            InvalidInput: Empty, too long, an unknown kind or scope, or a session scope
                without a session.
        """
        anchor = await self.prepare(
            content,
            kind=kind,
            scope=scope,
            session_id=session_id,
            pinned_by=pinned_by,
            expires_at=expires_at,
            source_episode=source_episode,
        )
        return await self._workspace.database.write(lambda tx: self.insert(tx, anchor))

    async def prepare(
        self,
        content: str,
        *,
        kind: str,
        scope: str,
        session_id: str | None,
        pinned_by: str,
        expires_at: str | None = None,
        source_episode: str | None = None,
    ) -> Anchor:
        """Check a statement and count it, without storing anything. Raises as :meth:`pin`."""
        checked_kind, checked_scope = _kind(kind), _scope(scope)
        text = redact(storable(content)[0]).text.strip()
        if not text or len(text) > MAX_CHARACTERS:
            raise InvalidInput(
                f"An anchor must have 1 to {MAX_CHARACTERS} characters.",
                "Pin the rule itself, in a sentence.",
            )
        if checked_scope is Scope.SESSION and session_id is None:
            raise InvalidInput("A session anchor needs a session_id.", "Name the session.")
        if session_id is not None:
            check_session_id(session_id)
        _check_expiry(expires_at)
        return Anchor(
            anchor_id=self._workspace.ids.new("an"),
            kind=checked_kind,
            scope=checked_scope,
            content=text,
            session_id=session_id if checked_scope is Scope.SESSION else None,
            pinned_by=pinned_by,
            token_cost=await self._workspace.counter.measure(f"- {text}\n"),
            created_at="",
            expires_at=expires_at,
            source_episode=source_episode,
        )

    def insert(self, tx: Transaction, anchor: Anchor) -> Anchor:
        """Store a prepared anchor inside a transaction, or return its duplicate."""
        now = tx.now()
        for known in sql.active(tx.db, now, anchor.session_id):
            if known.scope is anchor.scope and same_statement(known.content, anchor.content):
                return known
        stored = replace(anchor, created_at=now)
        sql.insert(tx, stored)
        _emit(tx, ANCHOR_PINNED, stored, stored.pinned_by)
        return stored

    async def edit(self, anchor_id: str, content: str, *, by: str = "person") -> Anchor:
        """Replace an anchor's wording; the old one stays in the history.

        Raises:
            NotFound: No active anchor of that id.
            InvalidInput: The new wording does not fit.
        """
        old = await self._workspace.database.read(lambda db: sql.get(db, anchor_id))
        if old is None:
            raise _unknown(anchor_id)
        fresh = await self.prepare(
            content,
            kind=old.kind,
            scope=old.scope,
            session_id=old.session_id,
            pinned_by=by,
            expires_at=old.expires_at,
            source_episode=old.source_episode,
        )

        def work(tx: Transaction) -> Anchor:
            current = sql.get(tx.db, anchor_id)
            if current is None or current.unpinned_at is not None:
                raise _unknown(anchor_id)
            stored = replace(fresh, created_at=tx.now())
            sql.end(tx, anchor_id, by=by, replaced_by=stored.anchor_id)
            sql.insert(tx, stored)
            _emit(tx, ANCHOR_EDITED, stored, by)
            return stored

        return await self._workspace.database.write(work)

    async def unpin(self, anchor_id: str, *, by: str = "person") -> Anchor:
        """Take a pin off; its history is kept and :meth:`repin` takes it back.

        Raises:
            NotFound: No active anchor of that id.
        """
        return await self._workspace.database.write(lambda tx: self.end(tx, anchor_id, by))

    def end(self, tx: Transaction, anchor_id: str, by: str) -> Anchor:
        """Unpin inside a transaction."""
        current = sql.get(tx.db, anchor_id)
        if current is None or current.unpinned_at is not None:
            raise _unknown(anchor_id)
        sql.end(tx, anchor_id, by=by)
        _emit(tx, ANCHOR_UNPINNED, current, by)
        ended = sql.get(tx.db, anchor_id)
        assert ended is not None
        return ended

    async def repin(self, anchor_id: str, *, by: str = "person") -> Anchor:
        """Undo an unpin.

        Raises:
            NotFound: No anchor of that id was unpinned.
        """
        return await self._workspace.database.write(lambda tx: self.revive(tx, anchor_id, by))

    def revive(self, tx: Transaction, anchor_id: str, by: str) -> Anchor:
        """Undo an unpin inside a transaction."""
        current = sql.get(tx.db, anchor_id)
        if current is None or current.unpinned_at is None:
            raise _unknown(anchor_id)
        sql.revive(tx, anchor_id)
        _emit(tx, ANCHOR_PINNED, current, by)
        return replace(current, unpinned_at=None)

    async def active(self, session_id: str | None = None) -> tuple[Anchor, ...]:
        """What holds now, in the order of rendering: the project's and the session's own."""
        now = self._now()
        return await self._workspace.database.read(lambda db: sql.active(db, now, session_id))

    async def all_active(self) -> tuple[Anchor, ...]:
        """What holds now in any session."""
        now = self._now()
        return await self._workspace.database.read(lambda db: sql.all_active(db, now))

    async def history(self, limit: int = 200) -> tuple[Anchor, ...]:
        """Every anchor ever pinned, newest first."""
        return await self._workspace.database.read(lambda db: sql.history(db, limit))

    def _now(self) -> str:
        return stamp(self._workspace.clock.now())


def _emit(tx: Transaction, kind: str, anchor: Anchor, by: str) -> None:
    tx.emit(
        kind,
        actor=by,
        session_id=anchor.session_id,
        subject=anchor.anchor_id,
        detail={"kind": anchor.kind.value, "preview": preview(anchor.content)},
    )


def _unknown(anchor_id: str) -> NotFound:
    return NotFound(f"No active anchor {anchor_id!r}.", "List them with `sakur4-tui anchors`.")


def _kind(kind: str) -> AnchorKind:
    try:
        return AnchorKind(kind)
    except ValueError:
        known = ", ".join(AnchorKind)
        raise InvalidInput(f"Unknown anchor kind {kind!r}.", f"Use one of {known}.") from None


def _scope(scope: str) -> Scope:
    try:
        return Scope(scope)
    except ValueError:
        raise InvalidInput(f"Unknown scope {scope!r}.", "Use project or session.") from None


def _check_expiry(expires_at: str | None) -> None:
    if expires_at is not None:
        try:
            parse_stamp(expires_at)
        except ValueError:
            raise InvalidInput(
                "expires_at must look like 2026-01-31T00:00:00.000000Z.", "Give it in UTC."
            ) from None
