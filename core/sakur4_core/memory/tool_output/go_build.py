"""Errors of ``go build``, ``go vet`` and golangci-lint."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.diagnoses import Diagnoses
from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.output import Output

# A search's hits look alike, so a bare place counts only below a package's headline.
_PACKAGE = re.compile(r"# [^\s#]+(?: \[[^\s\]]+\])?$")
_PLACE = re.compile(
    r"(vet: )?((?:[A-Za-z]:(?=[\\/]))?[^\s:][^:]{0,300}?\.go):(\d{1,9}):(\d{1,9}): (\S.*)$"
)
_LINTER = re.compile(r" \(([a-z][a-z0-9]{1,30})\)$")


def _read(output: Output) -> Parsed | None:
    """Claim places in Go files that a package's headline, ``vet:`` or a linter's name backs."""
    found = Diagnoses()
    inside = False
    for line in output.lines:
        match = _PLACE.match(line) if ".go:" in line else None
        if match is None:
            # The text under a place, indented by a tab, belongs to it.
            inside = _PACKAGE.match(line) is not None or (inside and line.startswith("\t"))
            continue
        linter = _LINTER.search(match[5])
        if inside or match[1] or linter:
            message = match[5][: linter.start()] if linter else match[5]
            code = linter[1] if linter else None
            found.add(match[2], match[3], match[4], "error", message, code)
    return found.parsed("go")


PARSER = Parser((".go:",), _read)
