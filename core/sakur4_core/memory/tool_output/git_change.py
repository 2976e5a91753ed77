"""What git says of a change: ``--stat`` tables, a commit just made, conflicts of a merge."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Findings, Parsed, Parser, counted
from sakur4_core.memory.tool_output.git_path import unquote
from sakur4_core.memory.tool_output.output import Output
from sakur4_core.models import FactKind

_CLOSING = re.compile(
    r"(?m)^ (\d{1,9} files? changed"
    r"(?:, \d{1,9} insertions?\(\+\))?(?:, \d{1,9} deletions?\(-\))?)$"
)
_FILE = re.compile(r"(?m)^ (\S[^|\n]{0,500}+)\| ++(\d{1,9}|Bin [^\n]{1,60})(?: [+-]+)?$")
_MADE = re.compile(r"(?m)^\[([^\]\n ]{1,200})(?: \(root-commit\))? ([0-9a-f]{7,40})\] (\S[^\n]*)$")
_CONFLICT = re.compile(r"(?m)^CONFLICT \(([a-z/ -]{1,60})\): ([^\n]+)$")
_IN = re.compile(r"Merge conflict in (.+)$")


def _read(output: Output) -> Parsed | None:
    """Claim the closing counts of a change, or a conflict."""
    findings = Findings()
    parts = []
    closings = _CLOSING.findall(output.text)
    if closings:
        for match in _MADE.finditer(output.text):
            findings.add(FactKind.VCS_STATUS, match[2], f"{match[3]}; on {match[1]}")
        for match in _FILE.finditer(output.text):
            path = unquote(match[1].rstrip())
            findings.add(FactKind.VCS_STATUS, path, f"changed: {match[2]}", path)
        findings.add(FactKind.VCS_STATUS, "changes", closings[-1])
        parts.append(closings[-1])
    conflicts = 0
    for match in _CONFLICT.finditer(output.text):
        place = _IN.match(match[2])
        where = unquote(place[1]) if place else None
        findings.add(FactKind.VCS_STATUS, where or match[2], f"conflict: {match[1]}", where)
        conflicts += 1
    if conflicts:
        parts.append(counted(conflicts, "conflict"))
    return findings.parsed("git-change", f"git, {', '.join(parts)}") if parts else None


PARSER = Parser((" changed", "CONFLICT ("), _read)
