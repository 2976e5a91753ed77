"""Histories: ``git log`` and ``git show`` in their usual forms, and one line a commit."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Findings, Parsed, Parser, counted
from sakur4_core.memory.tool_output.output import Output
from sakur4_core.models import FactKind

_COMMIT = re.compile(r"[*|\\/ ]{0,40}commit ([0-9a-f]{7,64})(?: \(([^)]{1,300})\))?$")
_FIELD = re.compile(r"[*|\\/ ]{0,40}(Author|AuthorDate|Date|Merge|Commit|CommitDate):\s+(.*)$")
_SUBJECT = re.compile(r"[*|\\/ ]{0,40}    (\S.*)$")
# Seven to twelve digits are git's short names, forty a whole one; md5 and sha256 lists are not.
_ONE_LINE = re.compile(
    r"[*|\\/_ ]{0,40}([0-9a-f]{7,12}|[0-9a-f]{40}) (?:\(([^)]{1,300})\) )?(\S.*)$"
)
_GRAPH = re.compile(r"[*|\\/_ ]+$")


def _read(output: Output) -> Parsed | None:
    """Claim commits with an author below them, or a text of short names and subjects only."""
    findings = Findings()
    _full(output.lines, findings)
    if not findings.total:
        _one_line(output.lines, findings)
    if not findings.total:
        return None
    return findings.parsed("git-log", f"git log, {counted(findings.total, 'commit')}")


def _full(lines: tuple[str, ...], findings: Findings) -> None:
    for index, line in enumerate(lines):
        match = _COMMIT.match(line) if "commit " in line else None
        if match is None:
            continue
        fields, subject = _below(lines[index + 1 : index + 10])
        if "Author" not in fields:
            continue
        date = fields.get("Date") or fields.get("AuthorDate") or ""
        parts = (subject, match[2] or "", fields["Author"], date)
        value = "; ".join(part for part in parts if part)
        findings.add(FactKind.VCS_STATUS, match[1], value)


def _below(lines: tuple[str, ...]) -> tuple[dict[str, str], str]:
    """The header's fields and the subject."""
    fields: dict[str, str] = {}
    for line in lines:
        if match := _FIELD.match(line):
            fields[match[1]] = match[2]
        elif match := _SUBJECT.match(line):
            return fields, match[1]
        elif line.strip("*|\\/ "):
            break
    return fields, ""


def _one_line(lines: tuple[str, ...], findings: Findings) -> None:
    """All lines or none. A hash has digits nearly always, and some hash has letters."""
    found = []
    for line in lines:
        match = _ONE_LINE.match(line)
        if match is not None:
            found.append(match)
        elif line.strip() and not _GRAPH.match(line):
            return
    hashes = [match[1] for match in found]
    decorated = any(match[2] for match in found)
    digits = sum(any(sign.isdigit() for sign in name) for name in hashes)
    letters = any(sign.isalpha() for name in hashes for sign in name)
    if (len(found) < 2 and not decorated) or 5 * digits < 4 * len(found) or not letters:
        return
    for match in found:
        value = f"{match[3]}; {match[2]}" if match[2] else match[3]
        findings.add(FactKind.VCS_STATUS, match[1], value)


PARSER = Parser(("commit ", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"), _read)
