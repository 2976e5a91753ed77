"""Stack traces as the parsers of each language collect them: errors, then their frames."""

from __future__ import annotations

from sakur4_core.memory.tool_output.finding import Findings, Parsed, counted
from sakur4_core.models import FactKind


class Frames:
    """The errors of one text and the frames they came through, in the order shown."""

    def __init__(self) -> None:
        self._findings = Findings()
        self._frames = 0
        self._errors: list[str] = []

    def error(
        self, name: str, message: str, path: str | None = None, line: str | None = None
    ) -> None:
        """What was raised, and where if the headline says so."""
        said = f"{name}: {message}" if message else name
        self._errors.append(said)
        self._findings.add(FactKind.DIAGNOSTIC, name, said, path, line)

    def frame(self, function: str, path: str, line: str, code: str = "") -> None:
        """One frame; ``code`` is the source line shown with it."""
        self._frames += 1
        value = f"{path}:{line}" + (f": {code}" if code else "")
        self._findings.add(FactKind.STACK_FRAME, function, value, path, line)

    def parsed(self, parser: str, language: str) -> Parsed | None:
        """The result; None without an error or a frame."""
        if not self._findings.total:
            return None
        last = f", {self._errors[-1][:120]}" if self._errors else ""
        summary = f"{language} stack trace, {counted(self._frames, 'frame')}{last}"
        return self._findings.parsed(parser, summary)
