"""Diagnostics of rustc and Clippy: a headline, then an arrow to the place."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.diagnoses import Diagnoses
from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.output import Output

_BLOCK = re.compile(
    r"(?m)^(error|warning)(?:\[([\w:-]{1,60})\])?: ([^\n]+)\n"
    r" {0,9}--> ([^\n]{1,300}?):(\d{1,9}):(\d{1,9})$"
)


def _read(output: Output) -> Parsed | None:
    """Claim headlines with an arrow below them."""
    found = Diagnoses()
    for match in _BLOCK.finditer(output.text):
        found.add(match[4], match[5], match[6], match[1], match[3], match[2])
    return found.parsed("rustc")


PARSER = Parser(("--> ",), _read)
