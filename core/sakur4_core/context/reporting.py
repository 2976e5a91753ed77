"""What callers tell of a session's window: usage, submitted parts, compactions."""

from __future__ import annotations

import asyncio

from sakur4_core.cache.coherence import Coherence, unknown_session
from sakur4_core.cache.prefix import Sent
from sakur4_core.clock import stamp
from sakur4_core.context.effect import enforce
from sakur4_core.context.looking import Looking
from sakur4_core.context.money import call_price
from sakur4_core.context.prompt import SUBMITTABLE, sent_of
from sakur4_core.context.usage import last_covered, normalise
from sakur4_core.errors import InvalidInput
from sakur4_core.events import PART_SUBMITTED, USAGE_RECORDED, WINDOW_COMPACTED
from sakur4_core.memory.redaction import redact
from sakur4_core.memory.text import MAX_CONTENT_BYTES, storable
from sakur4_core.models import Usage
from sakur4_core.store import context as sql
from sakur4_core.store import sessions as session_sql
from sakur4_core.store.database import Transaction
from sakur4_core.store.usage import UsageRow, put_usage
from sakur4_core.store.window import Frame
from sakur4_core.workspace import Workspace

MAX_TRIGGER = 80


class Reporting:
    """Stores what is reported, with what is known of the window at that moment."""

    def __init__(self, workspace: Workspace, looking: Looking, coherence: Coherence) -> None:
        self._workspace = workspace
        self._looking = looking
        self._coherence = coherence

    async def usage(
        self,
        *,
        session_id: str,
        prompt_tokens: int,
        completion_tokens: int | None,
        cache_read_tokens: int | None,
        cache_write_tokens: int | None,
        provider: str | None,
        model: str | None,
        message_id: str | None,
    ) -> Usage:
        """See ``Window.record_usage``."""
        view = await self._looking.at(session_id)
        frame = view.frame
        moment = self._workspace.clock.now()
        usage = normalise(
            session_id=session_id,
            turn=frame.turn,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            cache_read_tokens=cache_read_tokens,
            cache_write_tokens=cache_write_tokens,
            provider=provider,
            model=model,
            created_at=stamp(moment),
            message_id=message_id,
        )
        covered = last_covered(frame.rows)
        sent = await asyncio.to_thread(sent_of, view.sent, covered)
        finding = await self._coherence.judge(usage, frame, sent)
        price = await asyncio.to_thread(call_price, usage, moment)
        row = UsageRow(
            usage=usage,
            after_seq=covered,
            counter=view.counter,
            local_count=view.known(covered),
            epoch=frame.compactions,
            verdict=finding.state.verdict.value,
            cause=finding.state.cause,
            predicted_reuse=finding.predicted,
            price=price,
            break_price=finding.state.price.value,
        )
        await self._store(row, frame, sent)
        return usage

    async def _store(self, row: UsageRow, frame: Frame, sent: Sent) -> None:
        usage = row.usage
        checkpoints = await self._coherence.checkpoints_after(frame, usage.context_tokens)
        segments = await asyncio.to_thread(sent.to_text)

        def work(tx: Transaction) -> None:
            put_usage(tx, row)
            sql.put_slot(
                tx,
                usage.session_id,
                frame.slot_id or 0,
                segments,
                usage.context_tokens,
                checkpoints,
                self._coherence.backend_name,
            )
            session_sql.ensure(tx, usage.session_id, harness="", model=usage.model)
            tx.emit(
                USAGE_RECORDED,
                actor="agent",
                session_id=usage.session_id,
                detail={"tokens": usage.context_tokens, "verdict": row.verdict},
            )

        await self._workspace.database.write(work)

    async def part(self, session_id: str, name: str, content: str) -> None:
        """See ``Window.submit_prompt_part``."""
        if name not in SUBMITTABLE:
            raise InvalidInput(f"Unknown part {name!r}.", f"Use one of {', '.join(SUBMITTABLE)}.")
        if len(content.encode("utf-8", "surrogatepass")) > MAX_CONTENT_BYTES:
            raise InvalidInput(f"The part {name} is larger than {MAX_CONTENT_BYTES:,} bytes.")
        text = (await asyncio.to_thread(redact, storable(content)[0])).text
        tokens = await self._workspace.counter.measure(text)

        def work(tx: Transaction) -> None:
            if not sql.session_exists(tx.db, session_id):
                raise unknown_session(session_id)
            if sql.put_part(tx, session_id, name, text, tokens):
                tx.emit(
                    PART_SUBMITTED,
                    actor="agent",
                    session_id=session_id,
                    subject=name,
                    detail={"tokens": tokens},
                )

        await self._workspace.database.write(work)

    async def compaction(
        self,
        session_id: str,
        *,
        trigger: str | None,
        pre_tokens: int | None,
        after_seq: int | None,
        by: str,
    ) -> int:
        """See ``Window.record_compaction``."""
        if trigger is not None and (len(trigger) > MAX_TRIGGER or not trigger.isprintable()):
            raise InvalidInput(f"trigger must be at most {MAX_TRIGGER} printable characters.")

        def work(tx: Transaction) -> int:
            if not sql.session_exists(tx.db, session_id):
                raise unknown_session(session_id)
            return note_compaction(
                tx,
                session_id,
                trigger=trigger,
                pre_tokens=pre_tokens,
                after_seq=after_seq,
                by=by,
            )

        return await self._workspace.database.write(work)


def note_compaction(
    tx: Transaction,
    session_id: str,
    *,
    trigger: str | None,
    pre_tokens: int | None,
    after_seq: int | None,
    by: str,
) -> int:
    """Note a compaction inside a transaction; see ``Window.record_compaction``."""
    place, left = sql.put_compaction(
        tx, session_id, after_seq=after_seq, trigger=trigger, pre_tokens=pre_tokens
    )
    for proposal_id, gone in sql.waiting_plans(tx.db, session_id):
        if gone:
            enforce(tx, proposal_id, session_id, "compaction")
    tx.emit(
        WINDOW_COMPACTED,
        actor=by,
        session_id=session_id,
        detail={
            "trigger": trigger,
            "pre_tokens": pre_tokens,
            "after_seq": place,
            "episodes": left,
        },
    )
    return left
