"""Unified diffs: each hunk with its file and lines; new, deleted and renamed files."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Finding, Parsed
from sakur4_core.models import FactKind

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$")
_GIT = re.compile(r"^diff --git a/(.+) b/(.+)$")


def parse(text: str) -> Parsed | None:
    """Claim a text with at least one file header followed by a hunk, or a git rename."""
    findings: list[Finding] = []
    path: str | None = None
    old: str | None = None
    files: set[str] = set()
    for line in text.splitlines():
        if match := _GIT.match(line):
            old, path = match[1], match[2]
            files.add(path)
        elif line.startswith("rename to ") and old is not None and path is not None:
            findings.append(Finding(FactKind.DIFF_HUNK, f"{path}:rename", f"from {old}", path))
        elif line.startswith(("new file mode", "deleted file mode")) and path is not None:
            word = line.split()[0]
            findings.append(Finding(FactKind.DIFF_HUNK, f"{path}:{word}", word, path))
        elif line.startswith("+++ "):
            named = line[4:].split("\t")[0].strip()
            if named != "/dev/null":
                path = named.removeprefix("b/")
                files.add(path)
        elif (match := _HUNK.match(line)) and path is not None:
            start = int(match[3])
            findings.append(
                Finding(FactKind.DIFF_HUNK, f"{path}:{start}", line.strip()[:200], path, start)
            )
    if not findings:
        return None
    count = sum(":" in finding.name for finding in findings)
    return Parsed("diff", f"diff, {len(files)} files, {count} changes", tuple(findings))
