"""Hits of grep and ripgrep: ``path:line:text``, with context lines or without."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Findings, Parsed, Parser, counted
from sakur4_core.memory.tool_output.output import Output
from sakur4_core.models import FactKind

_HIT = re.compile(
    r"((?:[A-Za-z]:(?=[\\/]))?(?:[^\s:]{0,300}/)?[^\s:/]{0,200}\.[A-Za-z][\w+-]{0,15})"
    r":(\d{1,9}):(?:\d{1,9}:)?(.*)$"
)
_CONTEXT = re.compile(r"\S{1,500}-\d{1,9}-")


def _read(output: Output) -> Parsed | None:
    """Claim a text that holds nothing but hits, their context and separators."""
    findings = Findings()
    files: set[str] = set()
    for line in output.lines:
        if not line.strip() or line == "--":
            continue
        match = _HIT.match(line)
        if match is None:
            if _CONTEXT.match(line):
                continue
            return None
        files.add(match[1])
        name = f"{match[1]}:{match[2]}"
        findings.add(FactKind.REGEX_MATCH, name, match[3].strip(), match[1], match[2])
    if not findings.total:
        return None
    summary = f"search, {counted(findings.total, 'hit')} in {counted(len(files), 'file')}"
    return findings.parsed("grep", summary)


PARSER = Parser((":",), _read)
