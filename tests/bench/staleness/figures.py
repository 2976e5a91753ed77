"""What was judged, and the figures over it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

EXAMPLES = 4
# A summary counts as old once it was written this many commits ago.
OLD = 5


@dataclass(frozen=True, slots=True)
class Judged:
    """One summary, what is true of it, and what was said of it.

    Attributes:
        row: What became of its definition; of a synthetic edit, the edit's name.
        truly, labelled: Stale in truth, and by the engine.
        file_changed: Whether the bytes of its file differ: the second baseline.
        distance: Its age in commits: the first baseline; 0 for synthetic edits.
        says: The name that the engine gives for it now, and its reason.
    """

    repository: str
    language: str
    source: str
    row: str
    truly: bool
    labelled: bool
    file_changed: bool
    distance: int
    path: str
    name: str
    between: tuple[str, str]
    says: str = ""


def figures(judged: Sequence[Judged], said: Callable[[Judged], bool]) -> dict[str, object]:
    """Counts, precision and recall of one way of telling; None where nothing is divided by."""
    labelled = [one for one in judged if said(one)]
    both = sum(one.truly for one in labelled)
    truly = sum(one.truly for one in judged)
    return {
        "symbols": len(judged),
        "truly_stale": truly,
        "labelled_stale": len(labelled),
        "missed": truly - both,
        "wrongly_stale": len(labelled) - both,
        "precision": round(both / len(labelled), 4) if labelled else None,
        "recall": round(both / truly, 4) if truly else None,
    }


def engine(one: Judged) -> bool:
    """What the engine says."""
    return one.labelled


def age(one: Judged) -> bool:
    """Stale once old, whatever happened."""
    return one.distance >= OLD


def file_changed(one: Judged) -> bool:
    """Stale once the file's bytes differ."""
    return one.file_changed


def report(judged: Sequence[Judged]) -> dict[str, object]:
    """Every figure as JSON: by language and over all, and by row of each."""
    history = [one for one in judged if one.source == "history"]
    synthetic = [one for one in judged if one.source == "synthetic"]
    return {
        "history": {
            language: {
                "engine": figures(part, engine),
                "age": figures(part, age),
                "file_changed": figures(part, file_changed),
                "rows": _by_row(part),
            }
            for language, part in _by_language(history)
        },
        "synthetic": {language: _by_row(part) for language, part in _by_language(synthetic)},
        "disagreements": disagreements(judged),
    }


def disagreements(judged: Iterable[Judged]) -> list[dict[str, object]]:
    """A few examples of each kind of disagreement."""
    shown: dict[tuple[object, ...], int] = defaultdict(int)
    found: list[dict[str, object]] = []
    for one in judged:
        kind = (one.source, one.language, one.row, one.truly)
        if one.truly == one.labelled or shown[kind] == EXAMPLES:
            continue
        shown[kind] += 1
        found.append(
            {
                "source": one.source,
                "repository": one.repository,
                "language": one.language,
                "row": one.row,
                "truly_stale": one.truly,
                "labelled_stale": one.labelled,
                "path": one.path,
                "name": one.name,
                "between": list(one.between),
                "says": one.says,
            }
        )
    return found


def table(judged: Sequence[Judged]) -> str:
    """The figures in columns."""
    lines = [("", "symbols", "truly", "labelled", "missed", "wrongly", "precision", "recall")]
    history = [one for one in judged if one.source == "history"]
    ways = (("engine", engine), (f"age of {OLD} commits", age), ("file changed", file_changed))
    for language, part in _by_language(history):
        for title, said in ways:
            lines.append(_line(f"{language}: {title}", figures(part, said)))
    for source in ("history", "synthetic"):
        of_source = [one for one in judged if one.source == source]
        for language, part in _by_language(of_source):
            if language == "all" or source == "synthetic":
                for row, values in _by_row(part).items():
                    lines.append(_line(f"{source}, {language}: {row}", values))
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )


def _line(title: str, values: dict[str, object]) -> tuple[str, ...]:
    counts = ("symbols", "truly_stale", "labelled_stale", "missed", "wrongly_stale")
    shares = (values["precision"], values["recall"])
    return (
        title,
        *(f"{values[key]:,}" for key in counts),
        *("-" if share is None else f"{share:.3f}" for share in shares),
    )


def _by_language(judged: Sequence[Judged]) -> list[tuple[str, list[Judged]]]:
    groups: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        groups[one.language].append(one)
    parts = sorted(groups.items())
    return [*parts, ("all", list(judged))] if judged else []


def _by_row(judged: Sequence[Judged]) -> dict[str, dict[str, object]]:
    groups: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        groups[one.row].append(one)
    return {row: figures(part, engine) for row, part in sorted(groups.items())}
