"""The hand-labelled call sites below ``calls/``, and how the index's edges compare with them.

A comment ``=> path name`` says what the call on its line reaches; several calls on a line are
split by ``|``. ``-`` is a call that reaches no definition of the project, ``?`` one that nobody
could tell without running it: an edge for either is a wrong one.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from cortex_store import StoredEdge

CALLS = Path(__file__).parent / "calls"
LANGUAGES = ("go", "javascript", "python", "rust", "typescript")
_LABEL = re.compile(r"(?:#|//) => (.*)$")

Sites = dict[tuple[str, int], list[str]]


@dataclass(slots=True)
class Score:
    """How many edges are right and wrong, and how many labelled calls they reach."""

    sites: int = 0
    reachable: int = 0
    right: dict[str, int] = field(default_factory=lambda: {"exact": 0, "probable": 0})
    wrong: list[str] = field(default_factory=list)
    wrong_exact: int = 0
    missed: list[str] = field(default_factory=list)

    @property
    def exact_precision(self) -> float:
        """Of the edges called exact, the share that is right."""
        return self.right["exact"] / max(self.right["exact"] + self.wrong_exact, 1)

    @property
    def precision(self) -> float:
        """Of all resolved edges, the share that is right."""
        right = sum(self.right.values())
        return right / max(right + len(self.wrong), 1)

    @property
    def recall(self) -> float:
        """Of the calls that reach a definition of the project, the share that has its edge."""
        return sum(self.right.values()) / max(self.reachable, 1)

    def add(self, other: Score) -> None:
        """Count another language's sites too."""
        self.sites += other.sites
        self.reachable += other.reachable
        self.wrong += other.wrong
        self.wrong_exact += other.wrong_exact
        self.missed += other.missed
        for confidence, count in other.right.items():
            self.right[confidence] += count


def project_of(language: str, folder: Path) -> Path:
    """A git work tree with one language's labelled files."""
    root = folder / language
    shutil.copytree(CALLS / language, root)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


def labelled(root: Path) -> Sites:
    """By path and line, what the calls there reach."""
    sites: Sites = {}
    for place in sorted(root.rglob("*")):
        if not place.is_file() or ".git" in place.parts:
            continue
        for number, text in enumerate(place.read_text().splitlines(), 1):
            if label := _LABEL.search(text):
                path = place.relative_to(root).as_posix()
                sites[path, number] = [part.strip() for part in label[1].split("|")]
    return sites


def compare(language: str, sites: Sites, edges: Iterable[StoredEdge]) -> Score:
    """Hold the edges of calls on labelled lines against the labels."""
    found: dict[tuple[str, int], list[StoredEdge]] = defaultdict(list)
    for edge in edges:
        if edge.kind == "calls" and edge.confidence != "unresolved":
            found[edge.path, edge.line].append(edge)
    score = Score()
    for (path, line), labels in sites.items():
        left = [label for label in labels if label not in ("-", "?")]
        score.sites += len(labels)
        score.reachable += len(left)
        for edge in found[path, line]:
            target = f"{edge.target_path} {edge.target}"
            if target in left:
                left.remove(target)
                score.right[edge.confidence] += 1
            else:
                score.wrong.append(f"{language}/{path}:{line} {edge.confidence} {target}")
                score.wrong_exact += edge.confidence == "exact"
        score.missed += [f"{language}/{path}:{line} {label}" for label in left]
    return score
