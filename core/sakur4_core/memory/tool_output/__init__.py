"""Parsers of tool output. Each demands positive evidence before it claims a text.

A text is read in three steps: what stands around an output (an exit code, HTTP headers); then
formats that fill a text as a whole; then reports, of which a text may hold several. Each step
and each parser within it has a fixed place, so the same text gives the same facts in the same
order.
"""

from __future__ import annotations

from collections.abc import Iterable

from sakur4_core.memory.tool_output import (
    cargo_test,
    compiler,
    diff,
    eslint_run,
    exit_code,
    git_change,
    git_log,
    git_status,
    go_build,
    go_test,
    http_headers,
    jest_run,
    json_lines,
    json_value,
    mypy_run,
    node_test,
    pytest_run,
    ruff,
    rustc,
    search_hits,
    table,
    traceback_go,
    traceback_node,
    traceback_python,
    traceback_rust,
    tsc_run,
    unittest_run,
    vitest_run,
)
from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.output import SCAN_CHARS, Output, read
from sakur4_core.memory.tool_output.quoted import is_listing, quoted

AROUND: tuple[Parser, ...] = (exit_code.PARSER, http_headers.PARSER)
# The first that claims a text has all of it.
WHOLE: tuple[Parser, ...] = (go_test.EVENTS, json_value.PARSER, json_lines.PARSER)
# A text may hold several. The diff comes first: its lines show other things and are none.
REPORTS: tuple[Parser, ...] = (
    diff.PARSER,
    pytest_run.PARSER,
    unittest_run.PARSER,
    cargo_test.PARSER,
    go_test.PARSER,
    jest_run.PARSER,
    vitest_run.PARSER,
    node_test.PARSER,
    ruff.PARSER,
    mypy_run.PARSER,
    eslint_run.PARSER,
    tsc_run.PARSER,
    rustc.PARSER,
    go_build.PARSER,
    compiler.PARSER,
    git_status.PARSER,
    git_log.PARSER,
    git_change.PARSER,
    traceback_python.PARSER,
    traceback_node.PARSER,
    traceback_rust.PARSER,
    traceback_go.PARSER,
)
# Their evidence is weak: they claim only what nothing else has claimed, and only as a whole.
WEAK: tuple[Parser, ...] = (table.PARSER, search_hits.PARSER)


def parse(text: str) -> Parsed | None:
    """What the parsers saw in ``text``; None where none has evidence.

    Reads at most ``SCAN_CHARS`` characters, the head and the tail; the summary says so.
    """
    output = read(text)
    around, output = _each(AROUND, output)
    found = [*around, *_body(output)]
    return _join(found, len(text), output.omitted) if found else None


def _body(output: Output) -> list[Parsed]:
    if is_listing(output):
        return []
    whole = _first(WHOLE, output)
    if whole is not None:
        return [whole]
    output = output.without(quoted(output))
    whole = _first(WHOLE, output)
    if whole is not None:
        return [whole]
    reports, _ = _each(REPORTS, output)
    if reports:
        return reports
    weak = _first(WEAK, output)
    return [weak] if weak is not None else []


def _first(parsers: Iterable[Parser], output: Output) -> Parsed | None:
    return next((seen for parser in parsers if (seen := parser.parse(output))), None)


def _each(parsers: Iterable[Parser], output: Output) -> tuple[list[Parsed], Output]:
    """What each parser saw, and the output without the lines that they claimed."""
    found = []
    for parser in parsers:
        seen = parser.parse(output)
        if seen is not None:
            found.append(seen)
            output = output.without(seen.claimed)
    return found, output


def _join(found: list[Parsed], length: int, omitted: int) -> Parsed:
    summary = "; ".join(parsed.summary for parsed in found)
    if omitted:
        summary += f"; read {SCAN_CHARS:,} of {length:,} characters"
    findings = tuple(finding for parsed in found for finding in parsed.findings)
    names = "+".join(parsed.parser for parsed in found)
    return Parsed(names, summary, findings, sum(parsed.beyond for parsed in found))
