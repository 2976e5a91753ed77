"""What checkers and compilers say about places in files, as each of their parsers collects it."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Findings, Parsed, clip, counted
from sakur4_core.models import FactKind

# A path with a file extension. No colon but a drive's, so that what follows it is a line number.
PATH = r"(?:[A-Za-z]:(?=[\\/]))?[^\s:\[(<>|*][^:\n(<>|*]{0,300}?\.[A-Za-z][A-Za-z0-9]{0,9}"
_BLANKS = re.compile(r"\s+")
_SEVERITIES = ("error", "warning")


class Diagnoses:
    """The diagnostics of one tool, with how many there are of each severity."""

    def __init__(self) -> None:
        self._findings = Findings()
        self._counts: dict[str, int] = {}

    def __bool__(self) -> bool:
        return self._findings.total > 0

    @property
    def full(self) -> bool:
        """Whether a further diagnostic would only be counted."""
        return self._findings.full

    def count(self, severity: str) -> None:
        """Count one diagnostic by its severity."""
        word = "error" if severity == "fatal error" else severity
        self._counts[word] = self._counts.get(word, 0) + 1

    def add(
        self,
        path: str,
        line: str,
        column: str | None,
        severity: str,
        message: str,
        code: str | None = None,
    ) -> None:
        """Keep one diagnostic; line and column have at most nine digits."""
        self.count(severity)
        place = f"{path}:{line}:{column}" if column else f"{path}:{line}"
        if self.full:
            self._findings.add(FactKind.DIAGNOSTIC, place, "")
            return
        said = _BLANKS.sub(" ", clip(message.strip()))
        value = f"{severity} {code}: {said}" if code else f"{severity}: {said}"
        self._findings.add(FactKind.DIAGNOSTIC, place, value, path, line)

    def state(self, tool: str, verdict: str) -> None:
        """Keep the tool's own closing word where it names no place."""
        self._findings.add(FactKind.DIAGNOSTIC, tool, verdict)

    def parsed(self, parser: str) -> Parsed | None:
        """The result; None where the tool said nothing."""
        if not self:
            return None
        known = [counted(self._counts[word], word) for word in _SEVERITIES if word in self._counts]
        others = sorted(word for word in self._counts if word not in _SEVERITIES)
        parts = [*known, *(counted(self._counts[word], word) for word in others)]
        return self._findings.parsed(parser, f"{parser}: {', '.join(parts) or 'no problems'}")
