"""Results of a pytest run: every test that is named, and the closing counts."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.outcomes import Outcomes
from sakur4_core.memory.tool_output.output import Output

_COUNT = (
    r"\d{1,9} (?:passed|failed|errors?|skipped|xfailed|xpassed|warnings?|deselected|reruns?"
    r"|rerun|subtests passed)"
)
_CLOSING = re.compile(
    rf"(?m)^(?:=+ )?(no tests (?:ran|collected)|{_COUNT}(?:, {_COUNT}){{0,9}})"
    r"(?: \(\d{1,9} deselected\))? in \d{1,9}\.\d\ds(?: \([\d:, a-z]{1,30}\))?(?: =+)?$"
)
# The summary at the end: `FAILED path::name - reason`. A name may hold ` - ` in brackets.
_SUMMED = re.compile(
    r"(?m)^(FAILED|ERROR|PASSED|XFAIL|XPASS) ([^\s:\[]+(?:::[^\[\n]*?(?:\[[^\n]*?\])?)?)"
    r"(?: - ([^\n]*))?$"
)
_VERBOSE = re.compile(
    r"(?m)^([^\s:]+::[^\n]*?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)"
    r"(?: \(([^\n]{0,300})\))? *(?:\[ *\d{1,3}%\])?$"
)
_WORKER = re.compile(
    r"(?m)^\[gw\d{1,4}\] \[ *\d{1,3}%\] (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) ([^\n]*?) *$"
)
# Where a failure was raised, in the long and in the short form of a traceback.
_PLACE = re.compile(r"(?m)^([^\s:]{1,300}\.py):(\d{1,9}): (?:in (\S+)|([A-Za-z_][\w.]*))$")
_WORDS = {
    "PASSED": "passed",
    "FAILED": "failed",
    "ERROR": "error",
    "SKIPPED": "skipped",
    "XFAIL": "xfailed",
    "XPASS": "xpassed",
}


def _read(output: Output) -> Parsed | None:
    """Claim a text that holds pytest's closing line."""
    closings = _CLOSING.findall(output.text)
    if not closings:
        return None
    outcomes = Outcomes()

    def note(name: str, word: str, detail: str | None) -> None:
        outcomes.note(name, _WORDS[word], detail or "", name.partition("::")[0])

    for match in _VERBOSE.finditer(output.text):
        note(match[1], match[2], match[3])
    for match in _WORKER.finditer(output.text):
        note(match[2], match[1], None)
    for match in _SUMMED.finditer(output.text):
        note(match[2], match[1], match[3])
    for match in _PLACE.finditer(output.text):
        outcomes.frame(match[3] or match[4], match[1], match[2])
    return outcomes.parsed("pytest", "; ".join(closings[:3]))


PARSER = Parser((" in ",), _read)
