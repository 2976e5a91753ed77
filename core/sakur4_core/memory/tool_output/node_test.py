"""Results of Node's own test runner, in its spec and its TAP form."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.outcomes import Outcomes, tally
from sakur4_core.memory.tool_output.output import Output

_COUNTS = re.compile(
    r"(?m)^[ℹ#] tests (\d{1,9})\n(?:[ℹ#] suites \d{1,9}\n)?[ℹ#] pass (\d{1,9})\n"
    r"[ℹ#] fail (\d{1,9})\n(?:[ℹ#] cancelled \d{1,9}\n)?[ℹ#] skipped (\d{1,9})$"
)
_SPEC = re.compile(
    r"(?m)^ {0,40}(✔|✖|﹣) ([^\n]{1,300}?) \(\d{1,9}(?:\.\d{1,9})?ms\)(?: # SKIP)?$"
)
_TAP = re.compile(r"(?m)^ {0,40}(not ok|ok) \d{1,9} - ([^\n]{1,300}?)( # SKIP[^\n]*)?$")
_WORDS = {"✔": "passed", "✖": "failed", "﹣": "skipped", "ok": "passed", "not ok": "failed"}


def _read(output: Output) -> Parsed | None:
    """Claim a text with the runner's closing block of counts."""
    blocks = _COUNTS.findall(output.text)
    if not blocks:
        return None
    outcomes = Outcomes()
    for match in _SPEC.finditer(output.text):
        outcomes.note(match[2], _WORDS[match[1]])
    for match in _TAP.finditer(output.text):
        outcomes.note(match[2], "skipped" if match[3] else _WORDS[match[1]])
    _, passed, failed, skipped = (int(number) for number in blocks[-1])
    counts = {"failed": failed, "passed": passed, "skipped": skipped}
    return outcomes.parsed("node-test", tally(counts) or "no tests")


PARSER = Parser(("ℹ tests ", "# tests "), _read)
