"""Results of a Jest run."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.outcomes import Outcomes
from sakur4_core.memory.tool_output.output import Output

_TESTS = re.compile(r"(?m)^Tests: +((?:\d{1,9} (?:failed|skipped|todo|passed), )*\d{1,9} total)$")
_SUITES = re.compile(r"(?m)^Test Suites: +(?:[^\n]{1,100}, )?\d{1,9}(?: of \d{1,9})? total$")
_FILE = re.compile(r"(?m)^(PASS|FAIL) +([^\s(]{1,300}\.[cm]?[jt]sx?)(?: \([\d.]{1,9} m?s\))?$")
_TEST = re.compile(
    r"(?m)^ {2,20}(✓|✕|○|✎|√|×) (?:skipped |todo )?([^\n]{1,300}?)(?: \([\d.]{1,9} m?s\))?$"
)
_HEADED = re.compile(r"(?m)^  ● ([^\n]{1,300})$")
_WORDS = {
    "✓": "passed",
    "√": "passed",
    "✕": "failed",
    "×": "failed",
    "○": "skipped",
    "✎": "todo",
    "PASS": "passed",
    "FAIL": "failed",
}


def _read(output: Output) -> Parsed | None:
    """Claim a text with both of Jest's closing counts."""
    counts = _TESTS.findall(output.text)
    if not counts or not _SUITES.search(output.text):
        return None
    outcomes = Outcomes()
    for match in _FILE.finditer(output.text):
        outcomes.note(match[2], _WORDS[match[1]], path=match[2])
    for match in _TEST.finditer(output.text):
        outcomes.note(match[2], _WORDS[match[1]])
    for match in _HEADED.finditer(output.text):
        if not match[1].startswith("Console"):
            outcomes.note(match[1].rstrip(), "failed")
    return outcomes.parsed("jest", counts[-1])


PARSER = Parser(("Test Suites: ",), _read)
