"""What was not touched for long goes down the ladder, as far as it leads and never past a rung."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from sakur4_core.context.proposals import Proposals
from sakur4_core.context.window import Window
from sakur4_core.store.database import Transaction

# The share of a window that no prompt is small enough for: everything that may go is planned.
NOTHING: Final = 1e-9


class Decay:
    """Archives sessions by the planner's own rules: what it protects stays."""

    def __init__(self, window: Window, proposals: Proposals) -> None:
        self._window = window
        self._proposals = proposals

    async def archive(
        self, session_id: str, keep: Iterable[str], check: Callable[[Transaction], None]
    ) -> int:
        """Move a session's episodes down as one plan, which ``undo`` takes back.

        Args:
            keep: Ids of episodes that something rests on.
            check: Raises inside the transaction where it must not be written any more.

        Returns:
            How many episodes moved.
        """
        plan = await self._window.plan(session_id, target=NOTHING, without=frozenset(keep))
        if not plan.items:
            return 0
        await self._proposals.archive(plan, check)
        return len(plan.items)
