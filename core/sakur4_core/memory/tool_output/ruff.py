"""Ruff's findings, concise and in full; flake8 and pycodestyle write the concise form too."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.diagnoses import PATH, Diagnoses
from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.output import Output

_CODE = r"[A-Z]{1,7}\d{2,5}|invalid-syntax"
_CONCISE = re.compile(rf"(?m)^({PATH}):(\d{{1,9}}):(\d{{1,9}}): ({_CODE}):? ([^\n]+)$")
_FULL = re.compile(
    rf"(?m)^({_CODE}):? ([^\n]+)\n {{0,9}}--> ([^\n]{{1,300}}?):(\d{{1,9}}):(\d{{1,9}})$"
)
_REFORMAT = re.compile(r"(?m)^Would reformat: ([^\n]{1,300})$")
_CLEAN = re.compile(r"(?m)^(?:All checks passed!|\d{1,9} files? already formatted)$")


def _read(output: Output) -> Parsed | None:
    """Claim places followed by a rule's code, or one of Ruff's closing lines."""
    found = Diagnoses()
    for match in _CONCISE.finditer(output.text):
        found.add(match[1], match[2], match[3], "error", match[5], match[4])
    for match in _FULL.finditer(output.text):
        found.add(match[3], match[4], match[5], "error", match[2], match[1])
    for match in _REFORMAT.finditer(output.text):
        found.add(match[1], "1", None, "would reformat", "the file is not formatted")
    if not found:
        for match in _CLEAN.finditer(output.text):
            found.state("ruff", match[0])
    return found.parsed("ruff")


PARSER = Parser(
    (".py", ".ipynb:", "--> ", "Would reformat: ", "All checks passed!", "already formatted"),
    _read,
)
