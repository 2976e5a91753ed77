"""What the engine asks of an inference backend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class SlotFile:
    """A slot's state as a backend saved it: the file's name there, its size, the time taken."""

    name: str
    bytes: int | None
    ms: float


class Backend(Protocol):
    """An inference server, or what stands in for one.

    A method answers None where the backend cannot do what it is asked, and says so in
    ``degraded``; it raises BackendError only where it should have been able to.
    """

    @property
    def name(self) -> str:
        """What figures and the status name it as."""
        ...

    @property
    def degraded(self) -> tuple[str, ...]:
        """What does not work, and why."""
        ...

    async def window(self) -> int | None:
        """The context size in tokens."""
        ...

    async def reused(self, slot_id: int, shared_tokens: int) -> int | None:
        """How much of a shared prefix the slot will take from its cache."""
        ...

    async def save(self, slot_id: int, name: str) -> SlotFile | None:
        """Keep a slot's state under ``name``."""
        ...

    async def restore(self, slot_id: int, name: str) -> bool | None:
        """Bring a slot's state back."""
        ...
