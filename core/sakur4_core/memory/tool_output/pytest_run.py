"""Results of a pytest run: failures by name, and the closing counts."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Finding, Parsed, clip
from sakur4_core.models import FactKind

_CLOSING = re.compile(
    r"^=* ?((?:\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|warnings?|deselected)"
    r"(?:, )?)+) in [\d.]+s.*$",
    re.MULTILINE,
)
_RESULT = re.compile(r"^(FAILED|ERROR|PASSED) (\S+?)(?: - (.*))?$", re.MULTILINE)


def parse(text: str) -> Parsed | None:
    """Claim a text that holds pytest's closing line."""
    closings = _CLOSING.findall(text)
    if not closings:
        return None
    counts = closings[-1].rstrip(", ")
    findings = [Finding(FactKind.TEST_RESULT, "summary", counts)]
    for match in _RESULT.finditer(text):
        value = match[1].lower() + (f": {match[3]}" if match[3] else "")
        path = match[2].split("::")[0]
        findings.append(Finding(FactKind.TEST_RESULT, match[2], clip(value), path))
    return Parsed("pytest", f"pytest: {counts}", tuple(findings))
