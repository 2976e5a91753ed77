"""Ruff's findings, concise and in full; flake8 and pycodestyle write the concise form too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sakur4_core.memory.tool_output.diagnoses import PATH, Diagnoses
from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.output import Output

_CODE = r"[A-Z]{1,7}\d{2,5}|invalid-syntax"
_CONCISE = re.compile(rf"(?m)^({PATH}):(\d{{1,9}}):(\d{{1,9}}): ({_CODE}):? ([^\n]+)$")
# What every line of the concise form holds; far quicker to look for than a path.
_PLACED = re.compile(rf":\d{{1,9}}: (?:{_CODE})")
_FULL = re.compile(
    rf"(?m)^({_CODE}):? ([^\n]+)\n {{0,9}}--> ([^\n]{{1,300}}?):(\d{{1,9}}):(\d{{1,9}})$"
)
_REFORMAT = re.compile(r"(?m)^Would reformat: ([^\n]{1,300})$")
_CLEAN = re.compile(r"(?m)^(?:All checks passed!|\d{1,9} files? already formatted)$")


def _read(output: Output) -> Parsed | None:
    """Claim places followed by a rule's code, or one of Ruff's closing lines."""
    found = Diagnoses()
    text = output.text
    for match in _each(_CONCISE, text, hinted=_PLACED.search(text) is not None):
        found.add(match[1], match[2], match[3], "error", match[5], match[4])
    for match in _each(_FULL, text, hinted="--> " in text):
        found.add(match[3], match[4], match[5], "error", match[2], match[1])
    for match in _each(_REFORMAT, text, hinted="Would reformat: " in text):
        found.add(match[1], "1", None, "would reformat", "the file is not formatted")
    if not found:
        for match in _each(
            _CLEAN, text, hinted="All checks" in text or "already formatted" in text
        ):
            found.state("ruff", match[0])
    return found.parsed("ruff")


def _each(form: re.Pattern[str], text: str, *, hinted: bool) -> Iterator[re.Match[str]]:
    """The lines of a form, where the text holds what every one of them does."""
    return form.finditer(text) if hinted else iter(())


PARSER = Parser(
    (".py", ".ipynb:", "--> ", "Would reformat: ", "All checks passed!", "already formatted"),
    _read,
)
