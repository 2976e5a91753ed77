"""What a run is judged by: recall and rank of the evidence, and the time it took."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Score:
    """The figures of one arm on one set."""

    at_5: list[float] = field(default_factory=list)
    at_10: list[float] = field(default_factory=list)
    ranks: list[float] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)
    categories: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(
        self, found: Sequence[object], evidence: frozenset[object], category: str, ms: float
    ) -> None:
        """Count one question: what was found, best first."""
        self.at_5.append(len(evidence & set(found[:5])) / len(evidence))
        self.at_10.append(len(evidence & set(found[:10])) / len(evidence))
        places = (place for place, key in enumerate(found[:10], 1) if key in evidence)
        self.ranks.append(1 / next(places, float("inf")))
        self.ms.append(ms)
        self.categories[category].append(self.at_10[-1])

    def row(self) -> dict[str, float]:
        """The figures, rounded, with R@10 by category."""
        return {
            "R@5": round(mean(self.at_5), 3),
            "R@10": round(mean(self.at_10), 3),
            "MRR": round(mean(self.ranks), 3),
            "p50_ms": round(quantile(self.ms, 0.5), 2),
            "p95_ms": round(quantile(self.ms, 0.95), 2),
            "questions": len(self.ms),
            **{name: round(mean(values), 3) for name, values in sorted(self.categories.items())},
        }


def mean(values: Iterable[float]) -> float:
    """Their mean, 0 for none."""
    every = list(values)
    return sum(every) / len(every) if every else 0.0


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which a share of them lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def table(results: dict[str, dict[str, dict[str, float]]]) -> str:
    """The results as text, a block a set and a line an arm."""
    lines = []
    for name, arms in results.items():
        columns = list(next(iter(arms.values())))
        lines.append(f"\n{name}\n{'arm':<12}" + "".join(f"{column:>13}" for column in columns))
        lines.extend(
            f"{arm:<12}" + "".join(f"{row.get(column, ''):>13}" for column in columns)
            for arm, row in arms.items()
        )
    return "\n".join(lines)
