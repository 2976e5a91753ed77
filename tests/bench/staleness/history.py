"""Pairs of commits of a real history, and the tree of each on disk."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "localise"))
from symbols import language_of
from trees import Tree


@dataclass(frozen=True, slots=True)
class Pair:
    """Two commits of the first-parent history, ``distance`` commits apart."""

    older: str
    newer: str
    distance: int


class Repository:
    """One repository; its name is told, its place on this machine is not."""

    def __init__(self, place: Path, name: str | None = None) -> None:
        found = _git(place, "rev-parse", "--path-format=absolute", "--git-common-dir")
        self._git_dir = Path(found.strip())
        self.name = name or _name(place.resolve())
        self.commits = _git(self._git_dir, "rev-list", "--first-parent", "HEAD").split()

    def tree(self, folder: Path) -> Tree:
        """A folder that can be made any commit's tree."""
        return Tree(self._git_dir, folder)

    def pairs(self, distances: Sequence[int], number: int, seed: int) -> list[Pair]:
        """``number`` pairs a distance; between the two of each, source files differ."""
        found = []
        for distance in distances:
            chance = random.Random(f"{seed}/{self.name}/{distance}")
            places = list(range(distance, len(self.commits)))
            chance.shuffle(places)
            kept = 0
            for at in places:
                if kept == number:
                    break
                pair = Pair(self.commits[at], self.commits[at - distance], distance)
                if any(language_of(path) for path in self.changed(pair)):
                    found.append(pair)
                    kept += 1
        return found

    def changed(self, pair: Pair) -> frozenset[str]:
        """The paths that differ between the two, other than new ones."""
        listed = _git(
            self._git_dir, "diff-tree", "-r", "-z", "--no-renames", "--name-only",
            "--diff-filter=MDT", pair.older, pair.newer,
        )  # fmt: skip
        return frozenset(path for path in listed.split("\0") if path)


def _name(place: Path) -> str:
    if place.name in ("repo", ".git"):
        place = place.parent
    return place.name.replace("+", "/")


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)
    return os.fsdecode(done.stdout)
