"""Results of single tests, as every test runner's parser collects them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sakur4_core.memory.tool_output.finding import Findings, Parsed
from sakur4_core.models import FactKind

FAILED = frozenset({"failed", "error"})
# A run of more tests than this is told by its counts; results beyond are not collected.
MAX_TESTS = 50_000
MAX_FRAMES = 100


@dataclass(frozen=True, slots=True)
class _Result:
    outcome: str
    detail: str
    path: str | None


@dataclass(slots=True)
class Outcomes:
    """The last word on each test, in order of first sight; a reason once given is kept."""

    _results: dict[str, _Result] = field(default_factory=dict)
    _frames: list[tuple[str, str, str]] = field(default_factory=list)

    def note(self, name: str, outcome: str, detail: str = "", path: str | None = None) -> None:
        """Take one line's word on a test."""
        known = self._results.get(name)
        if known is None and len(self._results) >= MAX_TESTS:
            return
        if known is not None and known.outcome == outcome:
            detail, path = detail or known.detail, path or known.path
        self._results[name] = _Result(outcome, detail, path)

    def frame(self, name: str, path: str, line: str) -> None:
        """Take a place that a failure came through; ``name`` is the function or the error."""
        if len(self._frames) < MAX_FRAMES:
            self._frames.append((name, path, line))

    def parsed(self, parser: str, counts: str) -> Parsed:
        """The run's counts, then its failures and their places, then all else."""
        findings = Findings()
        findings.add(FactKind.TEST_RESULT, parser, counts)
        failed = {name: it for name, it in self._results.items() if it.outcome in FAILED}
        _add(findings, failed)
        for name, path, line in self._frames:
            findings.add(FactKind.STACK_FRAME, name, f"{path}:{line}", path, line)
        _add(findings, {name: it for name, it in self._results.items() if name not in failed})
        return findings.parsed(parser, f"{parser}: {counts}")


def _add(findings: Findings, results: Mapping[str, _Result]) -> None:
    for name, result in results.items():
        value = f"{result.outcome}: {result.detail}" if result.detail else result.outcome
        findings.add(FactKind.TEST_RESULT, name, value, result.path)


def tally(counts: Mapping[str, int]) -> str:
    """Counts as one text, zeros left out: ``2 failed, 3 passed``."""
    return ", ".join(f"{number} {word}" for word, number in counts.items() if number)
