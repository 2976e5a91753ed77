"""HTTP responses: the status line and the headers below it."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Findings, Parsed, Parser, counted
from sakur4_core.memory.tool_output.output import Output
from sakur4_core.models import FactKind

# `< ` is how curl -v marks what it received; wget -S indents by two spaces.
_STATUS = re.compile(r"(< |  )?HTTP/(?:1\.[01]|2|3)(?:\.0)? (\d{3})(?: (.{0,100}))?$")
_HEADER = re.compile(r"([A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}):[ \t]*(.*)$")


def _read(output: Output) -> Parsed | None:
    """Claim every status line that has at least one header below it."""
    findings, claimed = Findings(), []
    statuses: list[str] = []
    index = 0
    while index < len(output.lines):
        status = _STATUS.match(output.lines[index])
        start, index = index, index + 1
        if status is None:
            continue
        headers = _headers(output.lines, index, status[1] or "")
        if not headers:
            continue
        index += len(headers)
        statuses.append(" ".join(part for part in (status[2], status[3]) if part))
        findings.add(FactKind.HTTP_HEADER, "status", statuses[-1])
        for name, value in headers:
            findings.add(FactKind.HTTP_HEADER, name.lower(), value)
        claimed.append(range(start, index))
    if not statuses:
        return None
    headers_seen = findings.total - len(statuses)
    summary = f"HTTP {statuses[-1]}, {counted(headers_seen, 'header')}"
    return findings.parsed("http", summary, claimed)


def _headers(lines: tuple[str, ...], start: int, prefix: str) -> list[tuple[str, str]]:
    found = []
    for line in lines[start : start + 200]:
        if not line.startswith(prefix):
            break
        match = _HEADER.match(line[len(prefix) :])
        if match is None:
            break
        found.append((match[1], match[2].strip()))
    return found


PARSER = Parser(("HTTP/",), _read)
