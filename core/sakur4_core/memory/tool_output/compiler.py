"""Diagnostics of the form ``file:line:column: severity: message``: gcc, clang, javac, rustc."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.diagnoses import PATH, Diagnoses
from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.output import Output

_LINE = re.compile(
    rf"(?m)^({PATH}):(\d{{1,9}}):(?:(\d{{1,9}}):)?"
    r" (fatal error|error|warning|note|remark)(?:\[(\w{1,20})\])?: ([^\n]+)$"
)
_OPTION = re.compile(r" \[(-W[^\]\n]{1,80})\]$")
# mypy writes the same form for files of its own language.
_PYTHON = (".py", ".pyi")


def _read(output: Output) -> Parsed | None:
    """Claim lines that name a file, a line and a severity."""
    found = Diagnoses()
    for match in _LINE.finditer(output.text):
        if match[1].endswith(_PYTHON):
            continue
        option = _OPTION.search(match[6])
        message = match[6][: option.start()] if option else match[6]
        code = match[5] or (option[1] if option else None)
        found.add(match[1], match[2], match[3], match[4], message, code)
    return found.parsed("compiler")


PARSER = Parser((" error: ", " error[", " warning: ", " warning[", " note: ", " remark: "), _read)
