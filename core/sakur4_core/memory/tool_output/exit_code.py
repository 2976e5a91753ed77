"""Exit codes, as shells and harnesses report them."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Finding, Parsed
from sakur4_core.models import FactKind

# A line of its own, at the start or the end of the output, as harnesses write it.
_LINE = re.compile(
    r"(?im)^\s*(?:\[?(?:process )?(?:exit(?:ed with)?(?: with)?|return)(?: code| status)?)"
    r"[:\s]+(-?\d{1,3})\]?\.?\s*$"
)


def parse(text: str) -> Parsed | None:
    """The last exit code that the text states in a line of its own."""
    matches = _LINE.findall(text)
    if not matches:
        return None
    code = str(int(matches[-1]))
    finding = Finding(FactKind.TOOL_EXIT_CODE, "exit_code", code)
    return Parsed("exit_code", f"exit code {code}", (finding,))
