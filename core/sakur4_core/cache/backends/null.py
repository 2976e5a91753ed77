"""No backend: the model runs somewhere that tells nothing of its cache."""

from __future__ import annotations

from sakur4_core.cache.backends.base import SlotFile


class NullBackend:
    """Knows nothing and says so; it never guesses a verdict."""

    name = "none"
    degraded: tuple[str, ...] = ()

    async def window(self) -> int | None:
        return None

    async def reused(self, slot_id: int, shared_tokens: int) -> int | None:
        return None

    async def save(self, slot_id: int, name: str) -> SlotFile | None:
        return None

    async def restore(self, slot_id: int, name: str) -> bool | None:
        return None
