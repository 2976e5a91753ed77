"""Parsers of tool output. Each demands positive evidence before it claims a text."""

from __future__ import annotations

from collections.abc import Callable

from sakur4_core.memory.tool_output import diff, exit_code, json_value, pytest_run
from sakur4_core.memory.tool_output.finding import Parsed

Parser = Callable[[str], Parsed | None]

# The most specific first: the first that claims a text names it; an exit code is added to any.
PARSERS: tuple[Parser, ...] = (json_value.parse, diff.parse, pytest_run.parse)


def parse(text: str, tool_name: str | None = None) -> Parsed | None:
    """What the first parser that claims ``text`` saw in it; None where none does."""
    code = exit_code.parse(text)
    for parser in PARSERS:
        parsed = parser(text)
        if parsed is not None:
            return _join(parsed, code)
    return code


def _join(parsed: Parsed, code: Parsed | None) -> Parsed:
    if code is None:
        return parsed
    return Parsed(
        parsed.parser, f"{parsed.summary}; {code.summary}", (*parsed.findings, *code.findings)
    )
