"""ESLint's findings in its default form: a file's path, then its problems below it."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.diagnoses import Diagnoses
from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.output import Output

_FILE = re.compile(r"(?:[A-Za-z]:)?[^\s:][^:]{0,300}\.[A-Za-z]{1,10}$")
_PROBLEM = re.compile(r" {1,8}(\d{1,9}):(\d{1,9}) +(error|warning) {2,}(\S.*)$")
_RULE = re.compile(r"(?<! ) {2,}+(@?[a-z][\w/@-]{1,80})$")


def _read(output: Output) -> Parsed | None:
    """Claim problems that stand below a path."""
    found = Diagnoses()
    path: str | None = None
    for line in output.lines:
        if not line:
            path = None
        elif line[0] != " ":
            path = line if _FILE.match(line) else None
        elif path is not None and (match := _PROBLEM.match(line)):
            rule = _RULE.search(match[4])
            message = match[4][: rule.start()] if rule else match[4]
            found.add(path, match[1], match[2], match[3], message, rule[1] if rule else None)
    return found.parsed("eslint")


PARSER = Parser(("  error  ", "  warning  "), _read)
