"""Results of ``cargo test``, summed over the crate's test programs."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.outcomes import Outcomes, tally
from sakur4_core.memory.tool_output.output import Output

_CLOSING = re.compile(
    r"(?m)^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored;"
    r" (\d{1,9}) measured; (\d{1,9}) filtered out"
)
_TEST = re.compile(
    r"(?m)^test ([^\n]{1,300}?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)(?:, ([^\n]*))?$"
)
_PANIC = re.compile(
    r"(?m)^---- ([^\n]{1,300}) stdout ----\n+thread '[^'\n]{1,300}'(?: \(\d{1,9}\))?"
    r" panicked at ([^\n:]{1,300}):\d{1,9}:\d{1,9}:\n([^\n]*)"
)
_WORDS = {"ok": "passed", "FAILED": "failed", "ignored": "ignored"}


def _read(output: Output) -> Parsed | None:
    """Claim a text with the closing line of a Rust test program."""
    sums = [0, 0, 0, 0, 0]
    closings = _CLOSING.findall(output.text)
    if not closings:
        return None
    for closing in closings:
        sums = [old + int(new) for old, new in zip(sums, closing, strict=True)]
    outcomes = Outcomes()
    for match in _TEST.finditer(output.text):
        outcomes.note(match[1], _WORDS[match[2]], match[3] or "")
    for match in _PANIC.finditer(output.text):
        outcomes.note(match[1], "failed", match[3], match[2])
    passed, failed, ignored, _, filtered = sums
    counts = {"failed": failed, "passed": passed, "ignored": ignored, "filtered out": filtered}
    return outcomes.parsed("cargo-test", tally(counts) or "no tests")


PARSER = Parser(("test result: ",), _read)
