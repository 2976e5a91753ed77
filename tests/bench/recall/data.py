"""Conversations with questions whose evidence is known, from JSONL files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing said. ``key`` names it across conversations."""

    key: tuple[str, str]
    session: str
    speaker: str
    date: str
    text: str

    def content(self, form: str) -> str:
        """The turn as an agent's transcript would hold it."""
        if form == "plain":
            return self.text
        if form == "speaker":
            return f"{self.speaker}: {self.text}"
        stamp = f"[{self.date}] " if self.date else ""
        return f"{stamp}{self.speaker}: {self.text}"


FORMS = ("dated", "speaker", "plain")


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the turns that hold its answer."""

    conv: str
    text: str
    category: str
    evidence: frozenset[tuple[str, str]]


def read_turns(file: Path) -> list[Turn]:
    """The turns of a file, in the order in which they were said."""
    return [
        Turn(
            (row["conv"], row["id"]),
            f"{row['conv']}/{row['session']}",
            row["speaker"],
            row["date"],
            row["text"],
        )
        for row in _rows(file)
    ]


def read_questions(file: Path, *, audited: bool = False) -> list[Question]:
    """The questions of a file; ``audited`` takes an audit's evidence where there is one."""
    found = []
    for row in _rows(file):
        audit = row.get("audit", {}) if audited else {}
        ids = audit.get("evidence") or row["evidence"]
        evidence = frozenset((row["conv"], name) for name in ids)
        found.append(Question(row["conv"], row["question"], row["category"], evidence))
    return found


def by_conversation(turns: Iterable[Turn]) -> dict[str, list[Turn]]:
    """Turns by the conversation they belong to."""
    found: dict[str, list[Turn]] = {}
    for turn in turns:
        found.setdefault(turn.key[0], []).append(turn)
    return found


def _rows(file: Path) -> Iterator[dict]:  # type: ignore[type-arg]
    with file.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())
