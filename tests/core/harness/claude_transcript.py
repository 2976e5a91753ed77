"""One made-up Claude Code transcript that grows on disk."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Entry = dict[str, Any]


@dataclass
class Transcript:
    """One file: what is on disk of it, and what its harness has still to write.

    Attributes:
        turns: What each line says, None where it is no turn; copied lines included.
    """

    path: Path
    session: str
    agent: str | None = None
    entries: list[Entry] = field(default_factory=list)
    turns: list[str | None] = field(default_factory=list)
    pending: bytes = b""
    last: str | None = None

    def write(self, size: int | None = None) -> None:
        """The harness writes ``size`` bytes more; all that it has by default."""
        some = self.pending[:size]
        self.pending = self.pending[len(some) :]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as stream:
            stream.write(some)

    def on_disk(self) -> list[Entry]:
        """The lines that are whole on disk."""
        written = self.path.read_bytes().count(b"\n") if self.path.exists() else 0
        return self.entries[:written]

    @property
    def said(self) -> list[str]:
        """Its turns in order."""
        return [text for text in self.turns if text is not None]

    @property
    def live(self) -> set[str]:
        """The turns that its newest line reaches, with all lines of their API messages."""
        by_uuid = {entry["uuid"]: entry for entry in self.entries}
        chain, at = set(), self.entries[-1]["uuid"]
        while at is not None:
            chain.add(at)
            at = by_uuid[at]["parentUuid"]
        messages = {_message_of(by_uuid[uuid]) for uuid in chain} - {None}
        return {
            text
            for entry, text in zip(self.entries, self.turns, strict=True)
            if text is not None and (entry["uuid"] in chain or _message_of(entry) in messages)
        }


def _message_of(entry: Entry) -> str | None:
    found: str | None = entry.get("message", {}).get("id")
    return found
