"""What every part of the engine works with, joined once by the composition root."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from sakur4_core.clock import Clock, IdFactory
from sakur4_core.paths import Home, Project, StorePlace
from sakur4_core.settings import Settings
from sakur4_core.store.database import Database


class TokenCounter(Protocol):
    """The one counter behind every figure of a process."""

    @property
    def name(self) -> str:
        """What figures name as their counter, ``o200k_base`` for instance."""
        ...

    def count(self, text: str) -> int:
        """Tokens in ``text``; may take milliseconds, so large texts go through ``measure``."""
        ...

    async def measure(self, text: str) -> int:
        """The same, off the event loop where the text is large."""
        ...


class Freshness(Protocol):
    """Brings the facts of files up to date with the disk before they are read."""

    async def refresh(self, paths: set[str], budget_s: float) -> set[str]:
        """Re-parse what changed among ``paths``; return those left unverified."""
        ...


@dataclass(frozen=True, slots=True)
class Workspace:
    """The project, its store, the user's folders, and injected sources of time, ids, counts."""

    project: Project
    place: StorePlace
    settings: Settings
    database: Database
    clock: Clock
    ids: IdFactory
    counter: TokenCounter
    home: Home = field(default_factory=Home.resolve)
