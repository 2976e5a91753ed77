"""Diagnostics of the TypeScript compiler, plain and pretty."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.diagnoses import PATH, Diagnoses
from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.output import Output

_LINE = re.compile(
    rf"(?m)^({PATH})(?:\((\d{{1,9}}),(\d{{1,9}})\): |:(\d{{1,9}}):(\d{{1,9}}) - )"
    r"(error|warning|message) (TS\d{1,6}): ([^\n]+)$"
)


def _read(output: Output) -> Parsed | None:
    """Claim places that a TS code follows."""
    found = Diagnoses()
    for match in _LINE.finditer(output.text):
        line, column = match[2] or match[4], match[3] or match[5]
        found.add(match[1], line, column, match[6], match[8], match[7])
    return found.parsed("tsc")


PARSER = Parser((" TS",), _read)
