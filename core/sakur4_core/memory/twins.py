"""One turn that arrives twice: from the agent itself, and from its harness's transcript."""

from __future__ import annotations

from collections.abc import Iterable

from sakur4_core.store.harness import Note


def twin(candidates: Iterable[Note], content: str) -> int | None:
    """The place of the first candidate that says the same but for white space, or None."""
    said = normal(content)
    return next((note.seq for note in candidates if normal(note.content) == said), None)


def normal(text: str) -> str:
    """A text with its white space folded."""
    return " ".join(text.split())
