"""No backend: the model runs somewhere that tells nothing of its cache."""

from __future__ import annotations

from sakur4_core.cache.backends.base import SlotFile, Tokenizer


class NullBackend:
    """Knows nothing and says so; it never guesses a verdict."""

    name = "none"
    degraded: tuple[str, ...] = ()
    connected = False
    window: int | None = None
    tokenizer: Tokenizer | None = None

    async def busy(self) -> str | None:
        """See :class:`~sakur4_core.cache.backends.base.Backend`; nothing works here."""
        return None

    async def connect(self) -> None:
        return None

    async def checkpoints(self, slot_id: int, tokens: int) -> tuple[int, ...] | None:
        return None

    async def save(self, slot_id: int, name: str) -> SlotFile | None:
        return None

    async def restore(self, slot_id: int, name: str) -> bool:
        return False

    async def close(self) -> None:
        return None
