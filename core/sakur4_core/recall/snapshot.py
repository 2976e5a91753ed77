"""What an index knows at one moment, in memory and as a file beside the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sakur4_core.errors import EmbeddingError
from sakur4_core.recall.columns import TRIPLE, TURN, Columns
from sakur4_core.recall.meanings import Meanings
from sakur4_core.recall.postings import arrays, from_arrays
from sakur4_core.recall.saved_view import read_view, write_view
from sakur4_core.recall.turn_index import Names, Stretch, TurnIndex, indexed_text
from sakur4_core.store.recall import Turn

FILE = "turns.view"
# A change of how texts become terms, traits or vectors asks for another number.
FORMAT = 3


@dataclass(slots=True)
class Snapshot:
    """An index with its vectors.

    Attributes:
        redactions: How often the store was redacted when its texts were read.
        saved: How many of the turns lie in the file that this was read from.
        meanings: The local embedder's vectors, or None where it is off or cannot be loaded.
        fault: Why it cannot be loaded.
    """

    index: TurnIndex = field(default_factory=TurnIndex)
    meanings: Meanings | None = None
    redactions: int = 0
    saved: int = 0
    fault: str | None = None

    def append(self, turns: Sequence[Turn]) -> None:
        """Add turns behind all others."""
        for turn in turns:
            self.index.append(turn)
        if self.meanings is not None:
            try:
                self.meanings.append([indexed_text(turn) for turn in turns])
            except EmbeddingError as error:
                self.meanings, self.fault = None, error.message


def save(snapshot: Snapshot, chain: str, views: Path) -> None:
    """Write a snapshot whose last turn has ``chain`` as its hash.

    Raises OSError where the folder cannot be written.
    """
    index = snapshot.index
    index.merge()
    stretches = [(key, s.triple, s.minute, s.dated) for key, s in index.stretches.items()]
    head = {
        "format": FORMAT,
        "chain": chain,
        "last_seq": index.last_seq,
        "redactions": snapshot.redactions,
        "embedder": None if snapshot.meanings is None else snapshot.meanings.name,
        "sessions": index.sessions.names,
        "tools": index.tools.names,
        "speakers": index.speakers.names,
        "stretches": stretches,
    }
    every = {
        "postings": arrays(index.postings),
        "turns": index.turns.saved(),
        "triples": index.triples.saved(),
        "meanings": {} if snapshot.meanings is None else snapshot.meanings.saved(),
    }
    named = {f"{group}.{name}": array for group in every for name, array in every[group].items()}
    write_view(views / FILE, head, named)


def load(views: Path, *, embedded: bool) -> tuple[Snapshot, str] | None:
    """The saved snapshot and the hash of its last turn; None where none can be used."""
    found = read_view(views / FILE)
    if found is None or found[0].get("format") != FORMAT:
        return None
    head, named = found
    groups: dict[str, dict[str, Any]] = {"meanings": {}}
    for key, array in named.items():
        group, name = key.split(".")
        groups.setdefault(group, {})[name] = array
    index = TurnIndex(
        from_arrays(groups["postings"]),
        Columns(TURN, groups["turns"]),
        Columns(TRIPLE, groups["triples"]),
        Names(head["sessions"]),
        Names(head["tools"]),
        Names(head["speakers"]),
        {key: Stretch(triple, minute, dated) for key, triple, minute, dated in head["stretches"]},
    )
    meanings = None
    if embedded and head["embedder"] == Meanings.name:
        meanings = Meanings(groups["meanings"])
    elif embedded:
        return None
    return Snapshot(index, meanings, head["redactions"], index.turns.size), head["chain"]
