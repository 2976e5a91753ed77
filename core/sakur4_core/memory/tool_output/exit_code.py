"""Exit codes, as shells and harnesses state them before or after an output."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

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
    lines = output.lines
    head = _filled(lines, range(len(lines)), HEAD_LINES)
    tail = _filled(lines, reversed(range(len(lines))), TAIL_LINES)
    codes: list[tuple[int, str]] = []
    for index in sorted({*head, *tail}):
        line = output.lines[index]
        if match := _STATED.match(line) or _MAKE.match(line):
            codes.append((index, match[1]))
    if not codes:
        return None
    code = str(int(codes[-1][1]))
    findings = Findings()
    findings.add(FactKind.TOOL_EXIT_CODE, "exit_code", code)
    claimed = [range(index, index + 1) for index, _ in codes]
    if codes[0][0] in head:
        around = (index for index in head if _AROUND.match(lines[index]))
        claimed += [range(index, index + 1) for index in around]
    return findings.parsed("exit_code", f"exit code {code}", claimed)


def _filled(lines: tuple[str, ...], order: Iterable[int], limit: int) -> list[int]:
    """The first places in ``order`` that hold more than white space."""
    return list(islice((index for index in order if lines[index].strip()), limit))


PARSER = Parser(("xit", "eturn", "EXIT", "RETURN", "ake: *** ", "ake["), _read)
