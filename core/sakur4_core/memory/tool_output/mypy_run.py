"""mypy's errors and notes, and its closing line."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.diagnoses import Diagnoses
from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.output import Output

_LINE = re.compile(
    r"(?m)^((?:[A-Za-z]:(?=[\\/]))?[^\s:][^:\n]{0,300}?\.pyi?):(\d{1,9}):(?:(\d{1,9}):)?"
    r"(?:\d{1,9}:\d{1,9}:)? (error|note|warning): ([^\n]+)$"
)
_CODE = re.compile(r" \[([a-z][a-z-]{1,40})\]$")
# With --pretty a message is wrapped; its code then ends one of the next lines.
_WRAPPED = re.compile(r"(?:\n(?!\s)([^\n]{1,200})){1,3}")
_CLEAN = re.compile(r"(?m)^Success: no issues found in \d{1,9} source files?$")


def _read(output: Output) -> Parsed | None:
    """Claim lines that name a Python file, a line and a severity; or mypy's word of success."""
    found = Diagnoses()
    for match in _LINE.finditer(output.text):
        message, code = ("", None) if found.full else _message(output.text, match)
        found.add(match[1], match[2], match[3], match[4], message, code)
    if not found:
        for match in _CLEAN.finditer(output.text):
            found.state("mypy", match[0])
    return found.parsed("mypy")


def _message(text: str, match: re.Match[str]) -> tuple[str, str | None]:
    """The message and its code, joined from several lines where it was wrapped."""
    whole = match[5]
    code = _CODE.search(whole)
    if code is None and match[4] == "error" and (wrapped := _WRAPPED.match(text, match.end())):
        for line in wrapped[0].split("\n")[1:]:
            if _LINE.match(line):
                break
            whole = f"{whole} {line}"
            code = _CODE.search(whole)
            if code is not None:
                break
    return (whole[: code.start()].rstrip(), code[1]) if code else (match[5], None)


PARSER = Parser((": error: ", ": note: ", ": warning: ", "Success: no issues found in"), _read)
