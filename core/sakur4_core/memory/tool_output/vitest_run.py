"""Results of a Vitest run."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.outcomes import Outcomes
from sakur4_core.memory.tool_output.output import Output

_COUNT = r"\d{1,9} (?:failed|passed|skipped|todo)"
_FILES = re.compile(rf"(?m)^ *Test Files +{_COUNT}(?: \| {_COUNT}){{0,4}} \(\d{{1,9}}\)$")
_TESTS = re.compile(rf"(?m)^ *Tests +({_COUNT}(?: \| {_COUNT}){{0,4}}) \(\d{{1,9}}\)$")
_LINE = re.compile(
    r"(?m)^ {1,10}(✓|❯|×|↓|→) ([^\n]{1,300}?)(?: \(\d{1,9} tests?[^\n()]{0,60}\))?"
    r"(?: \d{1,9}(?:\.\d{1,3})?m?s)?$"
)
_HEADED = re.compile(r"(?m)^ ?FAIL {1,2}(\S{1,300}\.[cm]?[jt]sx?)( > [^\n]{1,300})?$")
_REASON = re.compile(r"\n([A-Za-z]{1,60}Error: [^\n]*)")
_PLACE = re.compile(r"(?m)^ ❯ (?:(\S{1,200}) )?([^\s:]{1,300}):(\d{1,9}):\d{1,9}$")
_WORDS = {"✓": "passed", "×": "failed", "❯": "failed", "↓": "skipped"}


def _read(output: Output) -> Parsed | None:
    """Claim a text with both of Vitest's closing counts."""
    counts = _TESTS.findall(output.text)
    if not counts or not _FILES.search(output.text):
        return None
    outcomes = Outcomes()
    for match in _LINE.finditer(output.text):
        if match[1] in _WORDS and not _PLACE.match(match[0]):
            outcomes.note(match[2], _WORDS[match[1]])
    for match in _HEADED.finditer(output.text):
        reason = _REASON.match(output.text, match.end())
        name = match[1] + (match[2] or "").rstrip()
        outcomes.note(name, "failed", reason[1] if reason else "", match[1])
    for match in _PLACE.finditer(output.text):
        outcomes.frame(match[1] or "<anonymous>", match[2], match[3])
    return outcomes.parsed("vitest", counts[-1].replace(" | ", ", "))


PARSER = Parser(("Test Files ",), _read)
