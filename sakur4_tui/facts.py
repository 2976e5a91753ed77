"""What the main screen knows, and how each piece of it is read from the engine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from sakur4_core import models as m

if TYPE_CHECKING:
    from sakur4_core.engine import Engine
    from sakur4_core.harness.reach import Reach


class Topic(StrEnum):
    """A piece of what is known that is read at once."""

    SESSIONS = "sessions"
    STATUS = "status"
    RECEIPT = "receipt"
    HISTORY = "history"
    TIERS = "tiers"
    INBOX = "inbox"
    STALE = "stale"
    ANCHORS = "anchors"
    MAP = "map"
    REACH = "reach"


@dataclass(frozen=True, slots=True)
class Facts:
    """One consistent set for drawing. What was not read yet is None.

    Attributes:
        project: The project's folder name.
        reach: How far decisions reach, for the session and for those that plans wait for.
        failures: Topics that could not be read, with the sentence that says why.
    """

    project: str = ""
    session: m.Session | None = None
    sessions: tuple[m.Session, ...] | None = None
    status: m.Status | None = None
    receipt: m.Receipt | None = None
    history: tuple[m.Receipt, ...] = ()
    tiers: m.Tiers | None = None
    inbox: tuple[m.Proposal, ...] | None = None
    stale: m.Staleness | None = None
    anchors: tuple[m.Anchor, ...] | None = None
    map: m.RepoMap | None = None
    reach: Mapping[str, Reach] = field(default_factory=dict)
    paused: bool = False
    failures: Mapping[Topic, str] = field(default_factory=dict)

    @property
    def nothing_read(self) -> bool:
        """Whether the engine has not answered yet; nothing may be called empty before it has."""
        return self.sessions is None and not self.failures

    @property
    def missing(self) -> tuple[str, ...] | None:
        """Ids of anchors that are not in the session's real context; None where not known."""
        reach = self.reach.get(self.session.session_id) if self.session else None
        return reach.missing if reach else None


HISTORY_TURNS: Final = 60
"""Turns in the sparkline; more would not fit beside the receipt."""

OF_SESSION: Final = frozenset(
    {Topic.RECEIPT, Topic.HISTORY, Topic.TIERS, Topic.ANCHORS, Topic.REACH}
)
"""What changes when another session is chosen."""

Read = Callable[["Engine", str | None], Awaitable[Any]]


async def _receipt(engine: Engine, session_id: str | None) -> m.Receipt | None:
    return await engine.receipt(session_id) if session_id else None


async def _history(engine: Engine, session_id: str | None) -> tuple[m.Receipt, ...]:
    return await engine.receipts(session_id, HISTORY_TURNS) if session_id else ()


async def _tiers(engine: Engine, session_id: str | None) -> m.Tiers | None:
    return await engine.tiers(session_id) if session_id else None


async def _reach(engine: Engine, session_id: str | None) -> dict[str, Reach]:
    pending = await engine.proposals.pending()
    asked = {one.session_id for one in pending if one.plan is not None} | {session_id}
    return {one: await engine.reach(one) for one in sorted(filter(None, asked))}


READS: Final[dict[Topic, Read]] = {
    Topic.SESSIONS: lambda engine, _: engine.sessions.list(),
    Topic.STATUS: lambda engine, _: engine.status(),
    Topic.RECEIPT: _receipt,
    Topic.HISTORY: _history,
    Topic.TIERS: _tiers,
    Topic.INBOX: lambda engine, _: engine.proposals.pending(),
    Topic.STALE: lambda engine, _: engine.staleness(),
    Topic.ANCHORS: lambda engine, session_id: engine.anchors(session_id),
    Topic.MAP: lambda engine, _: engine.repo_map(engine.settings.cortex.map_budget),
    Topic.REACH: _reach,
}
