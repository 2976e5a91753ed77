"""A session's window: its usage, receipts, tiers and plans, all from one assembled prompt."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import Final

from sakur4_core.cache.coherence import Coherence
from sakur4_core.context.looking import AnchorSet, Looking
from sakur4_core.context.planning import Planning
from sakur4_core.context.prompt import Prompt, with_texts
from sakur4_core.context.receipt import Facts, receipt_of
from sakur4_core.context.receipt_json import from_body, to_body
from sakur4_core.context.reporting import Reporting
from sakur4_core.context.tiers import Label, render
from sakur4_core.context.view import View
from sakur4_core.errors import InvalidInput, NotFound
from sakur4_core.events import RECEIPT_STORED
from sakur4_core.models import Plan, Receipt, Tier, TierCount, Tiers, Usage
from sakur4_core.store import context as sql
from sakur4_core.store import episodes as episode_sql
from sakur4_core.store import window as window_sql
from sakur4_core.store.database import Transaction
from sakur4_core.store.usage import prices
from sakur4_core.workspace import Workspace

NEXT_SHOWN: Final = 20


class Window:
    """Every method raises NotFound for a session that the store does not hold."""

    def __init__(self, workspace: Workspace, anchors: AnchorSet, coherence: Coherence) -> None:
        self._workspace = workspace
        self._coherence = coherence
        self._looking = Looking(workspace, anchors, coherence)
        self._planning = Planning(workspace, self._looking, coherence)
        self._reporting = Reporting(workspace, self._looking, coherence)

    # -- reporting in --------------------------------------------------------------

    async def record_usage(
        self,
        *,
        session_id: str,
        prompt_tokens: int,
        completion_tokens: int | None = None,
        cache_read_tokens: int | None = None,
        cache_write_tokens: int | None = None,
        provider: str | None = None,
        model: str | None = None,
        message_id: str | None = None,
    ) -> Usage:
        """Store what a provider reported for one call; the last report of a message wins.

        Raises:
            InvalidInput: A number that no call can have.
        """
        return await self._reporting.usage(
            session_id=session_id,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            cache_read_tokens=cache_read_tokens,
            cache_write_tokens=cache_write_tokens,
            provider=provider,
            model=model,
            message_id=message_id,
        )

    async def submit_prompt_part(self, session_id: str, name: str, content: str) -> None:
        """Note the real system prompt, tool schemas, or another part that a caller sends.

        Raises:
            InvalidInput: An unknown part, or one that is too large.
        """
        await self._reporting.part(session_id, name, content)

    async def record_compaction(
        self,
        session_id: str,
        trigger: str | None = None,
        pre_tokens: int | None = None,
        after_seq: int | None = None,
        *,
        by: str = "harness",
    ) -> int:
        """Note that a harness compacted the window: what came before has left it.

        In one transaction the episodes up to ``after_seq`` leave the window, and advised plans
        of which nothing is left in it are marked enforced.

        Args:
            trigger: What set it off, in the harness's words (``auto``, ``manual``).
            pre_tokens: The prompt's tokens before it, as the harness says.
            after_seq: The last episode that left; None for the session's newest.
            by: The actor of the event.

        Returns:
            How many episodes left the window.
        """
        return await self._reporting.compaction(
            session_id, trigger=trigger, pre_tokens=pre_tokens, after_seq=after_seq, by=by
        )

    # -- looking -------------------------------------------------------------------

    async def look(self, session_id: str) -> View:
        """The window with everything that is known of it."""
        return await self._looking.at(session_id)

    async def assemble(self, session_id: str) -> Prompt:
        """The prompt as the next rewrite would render it, with every text."""
        return await self._with_texts((await self.look(session_id)).planned)

    async def assemble_sent(self, session_id: str) -> Prompt:
        """The prompt as it is sent until an approved plan takes effect, with every text."""
        return await self._with_texts((await self.look(session_id)).sent)

    async def render_item(self, episode_id: str, tier: Tier) -> str:
        """What an episode looks like in the prompt at ``tier``: of others and untrusted.

        Raises:
            NotFound: There is no such episode.
            InvalidInput: There is no such tier.
        """
        if tier not in tuple(Tier):
            raise InvalidInput(f"Unknown tier {tier!r}.", f"Use one of {', '.join(Tier)}.")
        episode = await self._workspace.database.read(lambda db: episode_sql.by_id(db, episode_id))
        if episode is None:
            raise NotFound(f"No episode {episode_id!r}.", "Use an id that the plan names.")
        label = Label(episode.seq, episode.role, episode.tool_name)
        return await asyncio.to_thread(render, Tier(tier), label, episode.content)

    async def receipt(self, session_id: str) -> Receipt:
        """What fills the window now. One is stored a turn, written only when it changed."""
        view = await self.look(session_id)
        turn = view.frame.turn

        def known(
            db: sqlite3.Connection,
        ) -> tuple[tuple[float | None, float | None], tuple[str, str, str] | None]:
            return prices(db, session_id), sql.stored_receipt(db, session_id, turn)

        paid, stored = await self._workspace.database.read(known)
        facts = Facts(
            view=view,
            prices=paid,
            backend=self._coherence.backend_name,
            simulated=self._coherence.simulated,
        )
        body = to_body(await asyncio.to_thread(receipt_of, facts))
        if stored is not None and stored[2] == body:
            return from_body(*stored)
        fresh_id = self._workspace.ids.new("rc")

        def work(tx: Transaction) -> tuple[str, str]:
            receipt_id, created_at, changed = sql.put_receipt(tx, fresh_id, session_id, turn, body)
            if changed:
                tx.emit(
                    RECEIPT_STORED,
                    actor="engine",
                    session_id=session_id,
                    subject=receipt_id,
                    detail={"turn": turn},
                )
            return receipt_id, created_at

        return from_body(*await self._workspace.database.write(work), body)

    async def receipts(self, session_id: str, limit: int = 50) -> tuple[Receipt, ...]:
        """The stored receipts, newest first."""
        rows = await self._workspace.database.read(lambda db: sql.receipts(db, session_id, limit))
        return tuple(from_body(*row) for row in rows)

    async def tiers(self, session_id: str) -> Tiers:
        """How the episodes in the window stand, and what would leave it next."""
        view = await self.look(session_id)
        counts = [[0, 0] for _ in Tier]
        for slot in view.planned.timeline:
            counts[slot.rung][0] += 1
            counts[slot.rung][1] += slot.tokens
        return Tiers(
            session_id=session_id,
            counts=tuple(
                TierCount(tier, episodes, view.scale.figure(tokens))
                for tier, (episodes, tokens) in zip(Tier, counts, strict=True)
            ),
            left_window=view.frame.left_window,
            next_to_leave=(await self._planning.forecast(view))[:NEXT_SHOWN],
        )

    # -- planning ------------------------------------------------------------------

    async def plan(
        self,
        session_id: str,
        *,
        target: float | None = None,
        without: frozenset[str] = frozenset(),
    ) -> Plan:
        """The plan as it would be now; nothing is stored.

        It goes to the target whether or not the trigger is reached; ``pressure`` says whether
        a plan is due.

        Args:
            target: A share of the window to reach instead of the profile's.
            without: Episode ids to leave alone, each with what moves together with it.

        Raises:
            InvalidInput: ``target`` is no share between 0 and 1.
        """
        return await self._planning.plan(session_id, target=target, without=without)

    async def _with_texts(self, prompt: Prompt) -> Prompt:
        seqs = [slot.row.seq for slot in prompt.timeline if slot.tokens]
        texts = await self._workspace.database.read(lambda db: window_sql.contents(db, seqs))
        return await asyncio.to_thread(with_texts, prompt, texts)
