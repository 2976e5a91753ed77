"""Results of a run of Python's unittest."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.outcomes import Outcomes
from sakur4_core.memory.tool_output.output import Output

_CLOSING = re.compile(
    r"(?m)^Ran (\d{1,9}) tests? in \d{1,9}(?:\.\d{1,6})?s\n\n"
    r"((?:OK|FAILED|NO TESTS RAN)(?: \([a-z =,\d]{1,120}\))?)$"
)
_HEADED = re.compile(r"(?m)^={70}\n(FAIL|ERROR): (\S+) \(([^\s()]+)\)")
_VERBOSE = re.compile(
    r"(?m)^(\S+) \(([^\s()]+)\)(?:\n[^\n]{1,200})? \.\.\. "
    r"(?:(ok|FAIL|ERROR|expected failure|unexpected success)|skipped (['\"][^\n]*))$"
)
_WORDS = {
    "ok": "passed",
    "FAIL": "failed",
    "ERROR": "error",
    "expected failure": "xfailed",
    "unexpected success": "failed",
}


def _read(output: Output) -> Parsed | None:
    """Claim a text with unittest's two closing lines."""
    closings = _CLOSING.findall(output.text)
    if not closings:
        return None
    outcomes = Outcomes()
    for match in _VERBOSE.finditer(output.text):
        word = _WORDS[match[3]] if match[3] else "skipped"
        outcomes.note(_full_name(match[1], match[2]), word, match[4] or "")
    for match in _HEADED.finditer(output.text):
        outcomes.note(_full_name(match[2], match[3]), _WORDS[match[1]])
    return outcomes.parsed("unittest", f"{closings[-1][0]} run, {closings[-1][1]}")


def _full_name(method: str, place: str) -> str:
    """``module.Class.method``; Python 3.11 and later name the method in the place too."""
    return place if place.endswith(f".{method}") else f"{place}.{method}"


PARSER = Parser(("Ran ",), _read)
