"""Exit codes, as shells and harnesses state them before or after an output."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Findings, Parsed, Parser
from sakur4_core.memory.tool_output.output import Output
from sakur4_core.models import FactKind

# A line of its own; ten digits hold every code of Windows.
_STATED = re.compile(
    r"""(?xi)
    \s*+ [\[(<]?
    (?: (?:the\ )?(?:command|process|script|program|shell|child\ process|recipe\ `[^`]{1,80}`)\ )?
    (?:
        (?:(?:exited|finished|failed|completed|terminated|returned)(?:\ on\ line\ \d{1,9})?
            \ (?:with\ )?(?:an?\ )?)?
        (?:exit[\ _-]?(?:code|status)|return[\ _-]?code) \ *+(?::|=|>|\ )?+
        | exited\ with\ (?:code|status) :?
    )
    \ *+ (-?\d{1,10}) (?:</exit_?code>)? [\])]? \.? \s*$
    """
)
_MAKE = re.compile(r"g?make(?:\[\d{1,4}\])?: \*\*\* .{0,300}\bError (\d{1,3})\s*$")
# What some harnesses put around the code, before the output itself.
_AROUND = re.compile(
    r"(?:Chunk ID|Wall time|Total output lines|Original token count|Output):(?: .*)?$"
)
HEAD_LINES = 6
TAIL_LINES = 6


def _read(output: Output) -> Parsed | None:
    """The last exit code stated among the first or the last filled lines."""
    filled = [index for index, line in enumerate(output.lines) if line.strip()]
    edges = sorted({*filled[:HEAD_LINES], *filled[-TAIL_LINES:]})
    codes: list[tuple[int, str]] = []
    for index in edges:
        line = output.lines[index]
        if match := _STATED.match(line) or _MAKE.match(line):
            codes.append((index, match[1]))
    if not codes:
        return None
    code = str(int(codes[-1][1]))
    findings = Findings()
    findings.add(FactKind.TOOL_EXIT_CODE, "exit_code", code)
    claimed = [range(index, index + 1) for index, _ in codes]
    if codes[0][0] in filled[:HEAD_LINES]:
        head = (i for i in filled[:HEAD_LINES] if _AROUND.match(output.lines[i]))
        claimed += [range(index, index + 1) for index in head]
    return findings.parsed("exit_code", f"exit code {code}", claimed)


PARSER = Parser(("xit", "eturn", "EXIT", "RETURN", "ake: *** ", "ake["), _read)
