"""A simulated prompt cache, for looking at what plans would do; it is asked for by name only."""

from __future__ import annotations

from typing import Final

from sakur4_core.cache.backends.base import SlotFile, Tokenizer

# The simulation's whole behaviour: a checkpoint each so many tokens, the newest so many kept.
INTERVAL: Final = 1_024
DEPTH: Final = 32


class EmbeddedBackend:
    """A cache that resumes at regular checkpoints; every figure it touches names it.

    It keeps no key-value state, so it can neither save nor restore a slot.
    """

    name = "embedded simulation"
    degraded: tuple[str, ...] = ()
    connected = True
    window: int | None = None
    tokenizer: Tokenizer | None = None

    async def busy(self) -> str | None:
        """See :class:`~sakur4_core.cache.backends.base.Backend`; nothing works here."""
        return None

    async def connect(self) -> None:
        return None

    async def checkpoints(self, slot_id: int, tokens: int) -> tuple[int, ...] | None:
        last = tokens // INTERVAL
        return tuple(n * INTERVAL for n in range(max(1, last - DEPTH + 1), last + 1))

    async def save(self, slot_id: int, name: str) -> SlotFile | None:
        return None

    async def restore(self, slot_id: int, name: str) -> bool:
        return False

    async def close(self) -> None:
        return None
