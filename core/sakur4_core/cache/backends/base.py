"""What the engine asks of an inference backend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class SlotFile:
    """A slot's state as a backend saved it: the file's name there, its size, the time taken."""

    name: str
    bytes: int | None
    ms: float


class Tokenizer(Protocol):
    """Counts texts with the model's own tokenizer."""

    @property
    def name(self) -> str:
        """What figures name as their counter."""
        ...

    async def many(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text.

        Raises:
            BackendError: The server cannot be asked.
        """
        ...


class Backend(Protocol):
    """An inference server, or what stands in for one.

    A method answers None or False where the backend cannot do what it is asked, and says why in
    ``degraded``.
    """

    @property
    def name(self) -> str:
        """What figures and the status name it as."""
        ...

    @property
    def degraded(self) -> tuple[str, ...]:
        """What does not work, and why."""
        ...

    @property
    def connected(self) -> bool:
        """Whether it answered when it was last asked who it is."""
        ...

    @property
    def window(self) -> int | None:
        """The context size in tokens of one slot."""
        ...

    @property
    def tokenizer(self) -> Tokenizer | None:
        """Its tokenizer, where content may be sent to it."""
        ...

    async def busy(self) -> str | None:
        """Why the server works now or may be working; None where it does not."""
        ...

    async def connect(self) -> None:
        """Find out what there is; never raises."""
        ...

    async def checkpoints(self, slot_id: int, tokens: int) -> tuple[int, ...] | None:
        """Where a slot can resume after a prompt of ``tokens``, rising; None for anywhere."""
        ...

    async def save(self, slot_id: int, name: str) -> SlotFile | None:
        """Keep a slot's state under ``name``."""
        ...

    async def restore(self, slot_id: int, name: str) -> bool:
        """Bring a slot's state back."""
        ...

    async def close(self) -> None:
        """Let go of every connection."""
        ...
