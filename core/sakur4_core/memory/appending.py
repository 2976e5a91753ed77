"""Episodes at the end of the chain: each gets its place at once, rows are written together."""

from __future__ import annotations

from collections.abc import Iterable

from sakur4_core.events import EPISODE_COMMITTED
from sakur4_core.memory import chain
from sakur4_core.memory.text import preview
from sakur4_core.models import Fact, Role
from sakur4_core.store import episodes as sql
from sakur4_core.store import ledger as ledger_sql
from sakur4_core.store.database import NewEvent, Transaction


class Appender:
    """Adds episodes within one transaction, which nobody else can write in meanwhile.

    So the chain's end and the turns of sessions are read once, and what was added may wait to
    be written until :meth:`flush`: a statement for a hundred rows costs a fraction of a hundred
    statements. Whoever reads the transcript back, or writes an event, flushes first.
    """

    def __init__(self, tx: Transaction, *, actor: str = "agent") -> None:
        self._tx = tx
        self._actor = actor
        self._end: tuple[int, str] | None = None
        self._turns: dict[str, int] = {}
        self._placed: list[sql.Placed] = []
        self._facts: list[Fact] = []
        self._events: list[NewEvent] = []

    def add(self, new: sql.NewEpisode, facts: Iterable[Fact] = ()) -> int:
        """Add one episode to the chain, with its facts and its event; return its place."""
        last, previous = self._end or sql.last_chain(self._tx.db)
        seq, created_at = last + 1, new.created_at or self._tx.now()
        turn = self._turn(new)
        fields = sql.chain_fields(
            seq,
            new.episode_id,
            new.session_id,
            turn,
            new.role,
            new.tool_name,
            new.tool_call_id,
            new.token_count,
            new.origin,
            created_at,
            new.idempotency_key,
        )
        link = chain.chain_hash(previous, fields, new.content_hash)
        self._end = seq, link
        self._placed.append(sql.Placed(new, seq, turn, created_at, link))
        self._facts += facts
        self.tell(_committed(new, seq, turn, self._actor))
        return seq

    def tell(self, event: NewEvent) -> None:
        """Add an event after those of the episodes so far."""
        self._events.append(event)

    def flush(self) -> None:
        """Write what was added since the last time."""
        sql.insert_all(self._tx, self._placed)
        ledger_sql.insert_tool_facts(self._tx, self._facts)
        self._tx.emit_all(self._events)
        self._placed, self._facts, self._events = [], [], []

    def _turn(self, new: sql.NewEpisode) -> int:
        # A turn begins with what the user says.
        opens = new.role is Role.USER if new.opens_turn is None else new.opens_turn
        turn = self._turns.get(new.session_id)
        if turn is None:
            turn = sql.last_turn(self._tx.db, new.session_id)
        turn += opens or turn == 0
        self._turns[new.session_id] = turn
        return turn


def _committed(new: sql.NewEpisode, seq: int, turn: int, actor: str) -> NewEvent:
    return NewEvent(
        EPISODE_COMMITTED,
        actor,
        new.session_id,
        new.episode_id,
        {
            "seq": seq,
            "turn": turn,
            "role": new.role.value,
            "tool": new.tool_name,
            "tokens": new.token_count,
            "preview": preview(new.content),
        },
    )
