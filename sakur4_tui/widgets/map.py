"""Pane 6: the repository map, as an agent would be given it."""

from __future__ import annotations

from collections.abc import Sequence

from sakur4_core import models as m
from textual.content import Content

from sakur4_tui import figures
from sakur4_tui.cells import line, right, spread, visible
from sakur4_tui.facts import Facts, Topic
from sakur4_tui.look import Look
from sakur4_tui.widgets.pane import Pane, quiet
from sakur4_tui.widgets.virtual import Row


class MapPane(Pane):
    """The map's own text, each file with its rank, and what was left out."""

    number, name_, topic = 6, "Map", Topic.MAP

    def note(self, facts: Facts, look: Look) -> str:
        if facts.map is None or not facts.map.files:
            return ""
        return f"{figures.tokens(facts.map.tokens)} tokens"

    def summary(self, facts: Facts, look: Look) -> Content:
        if facts.map is None:
            return line(("reading", "$quiet"))
        first = f"  first {visible(facts.map.files[0].path, 60)}" if facts.map.files else ""
        return line(coverage_words(facts.map), (first, "$quiet"))

    def rows(self, facts: Facts, look: Look, width: int, height: int) -> Sequence[Row]:
        repo_map = facts.map
        if repo_map is None:
            return quiet("Indexing the project.", width)
        if not repo_map.files:
            return quiet("No file is indexed yet. F5 reads again.", width)
        scores = {file.path: file.score for file in repo_map.files}
        rows = [
            Row(_map_line(text, scores, width, look))
            for text in repo_map.text.splitlines()
            if not text.startswith("#")
        ]
        at = figures.clock_time(repo_map.indexed_at, look.zone) if repo_map.indexed_at else ""
        indexed = f", indexed {at}" if at else ""
        return [*rows, *quiet(f"{coverage_words(repo_map)}{indexed}", width)]


def coverage_words(repo_map: m.RepoMap) -> str:
    """How many files stand in the index, and how many could not be read."""
    total = sum(repo_map.coverage.values())
    skipped = total - repo_map.coverage.get("parsed", 0)
    words = f"{figures.count(total)} file{'' if total == 1 else 's'}"
    return f"{words}, {figures.count(skipped)} skipped" if skipped else words


def _map_line(text: str, scores: dict[str, float], width: int, look: Look) -> Content:
    path = text.strip().rstrip(":")
    if path in scores:
        score = line((right(f"{scores[path]:.2f}", 5), "$quiet"))
        return spread(line((visible(path), "$strong")), score, width, look.glyphs)
    return line((visible(text.rstrip().replace("\t", "  ")), "$ink"))
