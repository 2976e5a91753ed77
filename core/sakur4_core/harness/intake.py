"""Records into the store: each turn, call and compaction once, in one transaction a batch."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sakur4_core.context.reporting import note_compaction
from sakur4_core.harness import calls
from sakur4_core.harness.branches import Branch
from sakur4_core.harness.calls import PreparedCall, Standing
from sakur4_core.harness.prepare import Prepared, short
from sakur4_core.harness.records import (
    Compacted,
    Kind,
    Node,
    Record,
    RolledBack,
    SessionSeen,
    Spend,
    Turn,
    Unknown,
)
from sakur4_core.memory import chain
from sakur4_core.memory.appending import Appender
from sakur4_core.memory.sessions import MAX_ID, ensure_session
from sakur4_core.memory.twins import normal
from sakur4_core.models import Committed, InWindow, Role
from sakur4_core.store import context as context_sql
from sakur4_core.store import episodes as episode_sql
from sakur4_core.store import folds as fold_sql
from sakur4_core.store import harness as sql
from sakur4_core.store import sessions as session_sql
from sakur4_core.store.database import Transaction
from sakur4_core.store.usage import newest_usage


@dataclass(frozen=True, slots=True)
class Batch:
    """Records of one harness as they came, with what was made ready for them.

    Attributes:
        turns: The new turns among them by key, ready to be stored.
        spends: The calls among them by key, merged and priced.
        lines: The unknown lines among them by key, without secrets.
        position: How far the file was read with them; None for what is no growing file.
        fresh: Whether this part of the file was not read before.
    """

    harness: str
    records: Sequence[Record]
    turns: dict[str, Prepared]
    spends: dict[str, PreparedCall]
    lines: dict[str, str]
    position: sql.FilePosition | None
    fresh: bool = True


@dataclass(frozen=True, slots=True)
class Taken:
    """What a batch added: all episodes, and those that a person typed."""

    episodes: int
    typed: tuple[Committed, ...]


def stored_id(session_id: str) -> str:
    """A session's id as it is stored: the harness's own wherever that can be shown."""
    if len(session_id) <= MAX_ID and short(session_id, MAX_ID) == session_id:
        return session_id
    mark = hashlib.blake2b(session_id.encode("utf-8", "replace"), digest_size=8)
    return f"session-{mark.hexdigest()}"


@dataclass(slots=True)
class _Session:
    """What is known of a session while a transcript is read."""

    session_id: str
    branch: Branch
    standing: Standing
    fold_id: str | None
    noted: list[sql.Note]
    facts: SessionSeen | None = None
    exists: bool = False
    seen: set[SessionSeen] = field(default_factory=set)


class Intake:
    """Writes batches. Remembers sessions between them, and forgets them if a write fails."""

    def __init__(self, counter: str) -> None:
        self._counter = counter
        self._sessions: dict[str, _Session] = {}

    def forget(self) -> None:
        """Read everything about sessions from the store again."""
        self._sessions.clear()

    def take(self, tx: Transaction, batch: Batch) -> Taken:
        """Store a batch inside a transaction."""
        work = _Work(tx, batch, self._sessions, self._counter)
        taken = work.run()
        while len(self._sessions) > REMEMBERED_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return taken


REMEMBERED_SESSIONS = 64


class _Work:
    """One batch, one transaction."""

    def __init__(
        self, tx: Transaction, batch: Batch, sessions: dict[str, _Session], counter: str
    ) -> None:
        self._tx = tx
        self._batch = batch
        self._sessions = sessions
        self._counter = counter
        self._key = chain.store_key(tx)
        self._known = sql.known_turns(tx.db, batch.turns)
        self._nodes = sql.known_nodes(
            tx.db, [record.node for record in batch.records if isinstance(record, Node)]
        )
        self._calls = sql.known_calls(tx.db, batch.spends)
        self._called: set[str] = set()
        # What waits to be written; see `_flush`.
        self._appender = Appender(tx, actor="harness")
        self._new_turns: list[tuple[str, str, int, str, str | None]] = []
        self._new_nodes: list[tuple[str, str, str | None, str | None, str | None]] = []
        self._leaves: dict[str, str] = {}
        self._episodes = 0
        self._typed: list[Committed] = []

    def run(self) -> Taken:
        """Take the records in, in their order."""
        for record in self._batch.records:
            self._take(record)
        for session in self._sessions.values():
            if session.branch.strayed:
                self._settle(session)
            if self._batch.fresh and session.facts is not None:
                self._open(session)
        self._flush()
        if self._batch.position is not None:
            sql.put_position(self._tx, self._batch.position)
        return Taken(self._episodes, tuple(self._typed))

    def _take(self, record: Record) -> None:
        match record:
            case SessionSeen():
                self._see(record)
            case Node():
                self._grow(record)
            case Turn():
                self._say(record)
            case Spend():
                self._spend(record)
            case Compacted():
                self._compact(record)
            case RolledBack():
                self._roll_back(record)
            case Unknown(key=key, name=name):
                raw = self._batch.lines[key]
                sql.keep_line(self._tx, key, self._batch.harness, short(name) or "?", raw)
            case _:
                pass  # A line that could not be read is counted, and nothing else.

    def _flush(self) -> None:
        """Write what waits: before something reads it back or tells of what came after it."""
        self._appender.flush()
        sql.put_turns(self._tx, self._new_turns)
        sql.put_nodes(self._tx, self._new_nodes)
        sql.put_leaves(self._tx, self._leaves.items())
        self._new_turns, self._new_nodes, self._leaves = [], [], {}

    # -- sessions ------------------------------------------------------------------

    def _session(self, raw_id: str) -> _Session:
        session = self._sessions.get(raw_id)
        if session is None:
            session = self._load(raw_id)
            self._sessions[raw_id] = session
        return session

    def _stored(self, session_id: str) -> _Session:
        """A session by the id under which it is stored."""
        remembered = (one for one in self._sessions.values() if one.session_id == session_id)
        return next(remembered, None) or self._session(session_id)

    def _load(self, raw_id: str) -> _Session:
        self._flush()
        db, session_id = self._tx.db, stored_id(raw_id)
        branch = Branch()
        branch.settled(sql.leaf(db, session_id))
        session = _Session(
            session_id,
            branch,
            Standing(0, 0, 0, 0, 0),
            fold_sql.open_fold(db, session_id),
            sql.noted(db, session_id),
            exists=session_sql.get(db, session_id) is not None,
        )
        self._stand(session)
        newest = newest_usage(db, session_id)
        session.standing.compacted = newest is not None and newest.epoch < session.standing.epoch
        return session

    def _stand(self, session: _Session) -> None:
        """Count the session's window afresh."""
        self._flush()
        db = self._tx.db
        tokens, covered, behind = sql.window_tokens(db, session.session_id)
        session.standing = Standing(
            episode_sql.last_turn(db, session.session_id),
            covered,
            tokens,
            behind,
            context_sql.compactions(db, session.session_id),
            session.standing.compacted,
        )

    def _see(self, seen: SessionSeen) -> None:
        """What becomes known of a session is noted with the next thing that it says."""
        session = self._session(seen.session_id)
        if seen in session.seen:
            return
        session.seen.add(seen)
        known = session.facts
        session.facts = SessionSeen(
            seen.session_id,
            seen.harness,
            seen.parent_session or (known.parent_session if known else None),
            seen.cwd,
            seen.model or (known.model if known else None),
            seen.branch or (known.branch if known else None),
            seen.title or (known.title if known else None),
        )
        if not session.exists:
            self._open(session)

    def _open(self, session: _Session) -> None:
        """Write what is known of a session, if there is something new."""
        facts = session.facts
        if facts is None and session.exists:
            return
        parent = facts.parent_session if facts else None
        if parent is not None and not session.exists:
            above = self._session(parent)
            if not above.exists:
                self._open(above)
        self._flush()
        ensure_session(
            self._tx,
            session.session_id,
            harness=self._batch.harness,
            parent_session=None if parent is None else stored_id(parent),
            model=short(facts.model) if facts else None,
            branch=short(facts.branch) if facts else None,
            title=short(facts.title) if facts else None,
        )
        session.exists = True
        session.facts = None

    # -- the graph -----------------------------------------------------------------

    def _grow(self, node: Node) -> None:
        session = self._session(node.session_id)
        known = self._nodes.get(node.node)
        if known is not None and not self._moves(node, known[:2], session.session_id):
            return
        self._new_nodes.append(
            (node.node, session.session_id, node.parent, node.message, node.origin)
        )
        self._nodes[node.node] = (session.session_id, node.parent, node.origin)
        session.branch.grow(node)
        if known is not None:
            session.branch.strayed = True
        if node.segment is not None:
            self._flush()
            sql.keep(self._tx, node.node, sql.between(self._tx.db, *node.segment))
        if node.kept:
            sql.keep(self._tx, node.node, node.kept)
        if node.leaf:
            self._leaves[session.session_id] = node.node

    def _moves(self, node: Node, known: tuple[str, str | None], session_id: str) -> bool:
        """Whether a known node stands elsewhere now: in a session that resumed another's, or
        under another parent. Each place counts once, however often its file is read."""
        place = (session_id, node.parent)
        if place == known:
            return False
        sql.put_mark(self._tx, _standing_at(node, known), known[0])
        return sql.put_mark(self._tx, _standing_at(node, place), session_id)

    def _settle(self, session: _Session) -> None:
        self._flush()
        sql.settle(self._tx, session.session_id)
        session.branch.settled(session.branch.tip)
        self._stand(session)

    # -- turns ---------------------------------------------------------------------

    def _say(self, turn: Turn) -> None:
        prepared = self._batch.turns.get(turn.key)
        if prepared is None or turn.key in self._known:
            return
        session = self._session(turn.session_id)
        self._open(session)
        seq = self._twin(session, prepared)
        if seq is None:
            seq = self._append(session, prepared)
            self._episodes += 1
        self._known[turn.key] = seq
        self._new_turns.append((turn.key, session.session_id, seq, str(turn.kind), turn.node))

    def _append(self, session: _Session, prepared: Prepared) -> int:
        turn = prepared.turn
        opens = turn.role is Role.USER and turn.kind is Kind.TEXT
        new = episode_sql.NewEpisode(
            episode_id=prepared.episode_id,
            session_id=session.session_id,
            role=turn.role,
            content=prepared.content,
            tool_name=prepared.tool_name,
            tool_call_id=prepared.tool_call_id,
            token_count=prepared.tokens,
            origin=sql.ORIGIN,
            idempotency_key=None,
            content_hash=chain.content_hash(self._key, prepared.content),
            search_text=prepared.words,
            in_window=prepared.in_window,
            fold_id=session.fold_id,
            created_at=prepared.created_at,
            opens_turn=opens,
        )
        seq = self._appender.add(new, prepared.extraction.facts)
        if prepared.in_window is InWindow.YES:
            session.standing.said(seq, prepared.tokens, by_assistant=turn.role is Role.ASSISTANT)
        session.standing.turn += opens or session.standing.turn == 0
        if turn.typed:
            self._typed.append(_committed(prepared, seq, session.session_id))
        return seq

    def _twin(self, session: _Session, prepared: Prepared) -> int | None:
        """The turn that the agent committed before its transcript was read."""
        if not session.noted:
            return None
        said, role = normal(prepared.content), prepared.turn.role
        for place, note in enumerate(session.noted):
            if note.role == role and normal(note.content) == said:
                del session.noted[place]
                episode_sql.set_in_window(self._tx, [note.seq], prepared.in_window)
                self._stand(session)
                return note.seq
        return None

    # -- calls and compactions -----------------------------------------------------

    def _spend(self, spend: Spend) -> None:
        call = self._batch.spends.get(spend.key)
        if call is None or spend.key in self._called:
            return
        self._called.add(spend.key)
        session = self._session(call.spend.session_id)
        known = self._calls.get(spend.key)
        if known is not None and not (known.sidechain or call.spend.sidechain):
            # A session that was resumed in the middle of an answer holds its first rows too.
            session = self._stored(known.session_id)
        if not session.exists:
            self._open(session)
        if session.branch.strayed:
            self._settle(session)
        standing = session.standing
        if _counts_the_answer(spend):
            self._flush()
            standing = replace(
                standing,
                covered=episode_sql.highest_seq(self._tx.db),
                tokens=standing.tokens + standing.behind,
            )
        told = calls.store(self._tx, call, session.session_id, standing, self._counter, known)
        if told is not None:
            self._appender.tell(told)
        session.standing.compacted = standing.compacted

    def _compact(self, compacted: Compacted) -> None:
        session = self._session(compacted.session_id)
        if not sql.put_mark(self._tx, compacted.key, session.session_id):
            return
        if not session.exists:
            self._open(session)
        self._flush()
        tail = None
        if compacted.tail is not None:
            tail = sql.first_of_node(self._tx.db, compacted.tail)
        note_compaction(
            self._tx,
            session.session_id,
            trigger=short(compacted.trigger, 80),
            pre_tokens=compacted.pre_tokens,
            after_seq=None if tail is None else tail - 1,
            by="harness",
        )
        self._stand(session)
        session.standing.compacted = True

    def _roll_back(self, record: RolledBack) -> None:
        session = self._session(record.session_id)
        if sql.put_mark(self._tx, record.key, session.session_id):
            self._flush()
            sql.roll_back(self._tx, session.session_id, record.turns)
            self._stand(session)


def _counts_the_answer(spend: Spend) -> bool:
    """Whether a call's context holds what the assistant just said, not only what was sent."""
    sent = spend.input_tokens or 0
    if not spend.input_has_cache:
        sent += (spend.cache_creation_tokens or 0) + (spend.cache_read_tokens or 0)
    answer = spend.output_tokens or 0
    return answer > 0 and (spend.context_tokens or 0) >= sent + answer


def _standing_at(node: Node, place: tuple[str, str | None]) -> str:
    return f"{node.node} in {place[0]} under {place[1]}"


def _committed(prepared: Prepared, seq: int, session_id: str) -> Committed:
    return Committed(
        episode_id=prepared.episode_id,
        seq=seq,
        session_id=session_id,
        token_count=prepared.tokens,
        facts_extracted=len(prepared.extraction.facts),
        symbolic_summary=prepared.extraction.summary,
        parser=prepared.extraction.parser,
    )
