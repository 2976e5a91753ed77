"""From rankings and maps to figures: what was found, how early, and how much of it is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from statistics import fmean

_WORD = re.compile(r"\w+")
BUDGETS = (1024, 2048)


@dataclass(frozen=True, slots=True)
class Answer:
    """What one system says to one task: its ranking, and its map by budget."""

    ranking: tuple[str, ...]
    maps: Mapping[int, str]
    elapsed_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Score:
    """How one system did on one task. Shares by budget; None where nothing can be shown."""

    task: str
    repo: str
    named: bool
    rank: int | None
    files: Mapping[int, float]
    definitions: Mapping[int, float | None]
    elapsed_s: float
    tokens: Mapping[int, int] = field(default_factory=dict)


def score(
    task: str,
    repo: str,
    named: bool,
    gold: Sequence[str],
    changed: Collection[tuple[str, str]],
    answer: Answer,
    tokens: Mapping[int, int],
) -> Score:
    """Hold an answer against the changed files and the changed definitions."""
    ranks = [answer.ranking.index(path) + 1 for path in gold if path in answer.ranking]
    files, shown = {}, {}
    for budget, text in answer.maps.items():
        seen = sections(text, set(gold))
        files[budget] = fmean(path in seen for path in gold)
        held = [name in seen.get(path, ()) for path, name in changed]
        shown[budget] = fmean(held) if held else None
    return Score(
        task, repo, named, min(ranks, default=None), files, shown, answer.elapsed_s, tokens
    )


def sections(text: str, paths: Collection[str]) -> dict[str, set[str]]:
    """The words that a map shows of each of these files."""
    seen: dict[str, set[str]] = {}
    current: set[str] | None = None
    for line in text.splitlines():
        path = line.partition(":")[0].strip()
        if path in paths:
            current = seen.setdefault(path, set())
            current.update(_WORD.findall(line.partition(":")[2]))
        elif line[:1] not in (" ", "│", "⋮", "█"):
            current = None
        elif current is not None:
            current.update(_WORD.findall(line))
    return seen


def summary(scores: Sequence[Score]) -> dict[str, float | int]:
    """The figures of one system over some tasks."""
    figures: dict[str, float | int] = {"tasks": len(scores)}
    for depth in (1, 5, 10):
        figures[f"hit@{depth}"] = _mean(
            one.rank is not None and one.rank <= depth for one in scores
        )
    figures["mrr"] = _mean(1 / one.rank if one.rank else 0.0 for one in scores)
    for budget in BUDGETS:
        name = f"{budget // 1024}k"
        figures[f"files@{name}"] = _mean(one.files[budget] for one in scores)
        figures[f"defs@{name}"] = _mean(
            share for one in scores if (share := one.definitions[budget]) is not None
        )
    figures["seconds"] = _mean(one.elapsed_s for one in scores)
    return figures


def _mean(values: Iterable[float]) -> float:
    held = list(values)
    return round(fmean(held), 4) if held else 0.0


def table(by_arm: Mapping[str, Sequence[Score]]) -> str:
    """Each repository, both strata and all tasks, one line a system."""
    repos = sorted({one.repo for scores in by_arm.values() for one in scores})
    groups: dict[str, Callable[[Score], bool]] = {repo: partial(_of, repo) for repo in repos}
    groups["a stem in the query"] = lambda one: one.named
    groups["no stem in the query"] = lambda one: not one.named
    groups["all"] = lambda _: True
    lines = []
    for name, within in groups.items():
        for arm, scores in by_arm.items():
            figures = summary([one for one in scores if within(one)])
            if not lines:
                lines.append(f"{'':22}{'':22}" + "".join(f"{key:>9}" for key in figures))
            cells = (
                f"{value:>9}" if isinstance(value, int) else f"{value:>9.3f}"
                for value in figures.values()
            )
            lines.append(f"{name:22}{arm:22}" + "".join(cells))
    return "\n".join(lines)


def _of(repo: str, one: Score) -> bool:
    return one.repo == repo


def as_json(by_arm: Mapping[str, Sequence[Score]]) -> dict[str, object]:
    """Every score, and the summaries over all tasks."""
    return {
        "overall": {arm: summary(scores) for arm, scores in by_arm.items()},
        "tasks": {arm: [asdict(one) for one in scores] for arm, scores in by_arm.items()},
    }
