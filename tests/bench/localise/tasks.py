"""Tasks of localisation: a message, and the files and lines that its commit changed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Task:
    """One commit: given ``query``, find ``gold`` in the tree of ``parent``.

    Attributes:
        hunks: By file, first line and number of lines on the parent's side.
        named: Whether the query still holds the stem of a changed file.
    """

    id: str
    repo: str
    parent: str
    date: str
    query: str
    gold: tuple[str, ...]
    hunks: dict[str, tuple[tuple[int, int], ...]]
    named: bool


def read_tasks(file: Path, only: Iterable[str] = ()) -> list[Task]:
    """The tasks of a file, by repository and date.

    Args:
        only: Repositories (``owner/name``) to keep; all where there are none.
    """
    wanted = set(only)
    tasks = []
    for line in file.read_text("utf-8").splitlines():
        raw = json.loads(line)
        if not wanted or raw["repo"] in wanted:
            tasks.append(
                Task(
                    id=raw["id"],
                    repo=raw["repo"],
                    parent=raw["parent"],
                    date=raw["date"],
                    query=raw["query"],
                    gold=tuple(raw["gold"]),
                    hunks={
                        path: tuple((first, lines) for first, lines in hunks)
                        for path, hunks in raw["hunks"].items()
                    },
                    named=raw["stem_in_query"],
                )
            )
    return sorted(tasks, key=lambda task: (task.repo, task.date, task.id))
