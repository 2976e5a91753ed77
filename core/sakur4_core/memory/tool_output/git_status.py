"""The state of a work tree: ``git status``, long, short and porcelain."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Findings, Parsed, Parser, counted
from sakur4_core.memory.tool_output.git_path import unquote
from sakur4_core.memory.tool_output.output import Output
from sakur4_core.models import FactKind

_BRANCH = re.compile(r"(?:On branch |HEAD detached (?:at|from) |Not currently on any branch)(.*)$")
_SECTIONS = {
    "Changes to be committed:": "staged",
    "Changes not staged for commit:": "not staged",
    "Unmerged paths:": "unmerged",
    "Untracked files:": "untracked",
    "Ignored files:": "ignored",
}
_ENTRY = re.compile(
    r"\t(?:(new file|modified|deleted|renamed|copied|typechange|both modified|both added"
    r"|both deleted|added by us|added by them|deleted by us|deleted by them): +)?(\S.*)$"
)
_SENTENCES = (
    "nothing to commit",
    "no changes added to commit",
    "nothing added to commit",
    "Your branch ",
    "You have unmerged paths",
    "All conflicts fixed",
    "rebase in progress",
    "interactive rebase in progress",
    "No commits yet",
)
_SHORT = re.compile(r"([ MTADRCU?!])([ MTADU?!]) (\S.*)$")
# A harness that trims an output takes the first line's leading blank.
_TRIMMED = re.compile(r"([MTAD]) (\S.*)$")
_SHORT_BRANCH = re.compile(r"## (\S[^\n]*)$")
_V2 = re.compile(
    r"(?:1 (\S\S) \S{4} (?:\d{6} ){3}(?:[0-9a-f]{40,64} ){2}(.+)"
    r"|2 (\S\S) \S{4} (?:\d{6} ){3}(?:[0-9a-f]{40,64} ){2}[RC]\d{1,3} ([^\t]+)\t.*"
    r"|u (\S\S) \S{4} (?:\d{6} ){4}(?:[0-9a-f]{40,64} ){3}(.+)"
    r"|([?!]) (.+))$"
)
_PATHLIKE = re.compile(r'"|\S*[./]')


def _read(output: Output) -> Parsed | None:
    """Claim the long form by its branch line and a section; the short ones by every line."""
    return _long(output) or _v2(output) or _short(output)


def _long(output: Output) -> Parsed | None:
    branch = section = None
    sure, entries = False, 0
    findings = Findings()
    for line in output.lines:
        if branch is None:
            if match := _BRANCH.match(line):
                branch = match[1] or "none"
                findings.add(FactKind.VCS_STATUS, "branch", line)
        elif line in _SECTIONS:
            section, sure = _SECTIONS[line], True
        elif section and (match := _ENTRY.match(line)):
            path = unquote(match[2].rsplit(" -> ", 1)[-1])
            value = f"{section}: {match[1]}" if match[1] else section
            entries += 1
            findings.add(FactKind.VCS_STATUS, path, value, path)
        elif line.startswith(_SENTENCES):
            sure = True
            findings.add(FactKind.VCS_STATUS, "state", line)
        elif line and not line.startswith("  ("):
            section = None
    return _parsed(findings, branch, entries) if sure and branch is not None else None


def _short(output: Output) -> Parsed | None:
    first = next((line for line in output.lines if line.strip()), "")
    if not (_SHORT_BRANCH.match(first) or _SHORT.match(first) or _TRIMMED.match(first)):
        return None
    lines = [line for line in output.lines if line.strip()]
    findings = Findings()
    branch, sure, entries = None, False, 0
    for number, line in enumerate(lines):
        if number == 0 and (match := _SHORT_BRANCH.match(line)):
            branch = match[1].split("...")[0]
            findings.add(FactKind.VCS_STATUS, "branch", match[1])
            continue
        match = _SHORT.match(line)
        if match and (match[1] + match[2]).strip() and _coherent(match[1], match[2]):
            state, path = match[1] + match[2], match[3]
            sure = sure or state in ("??", "!!") or match[1] == " "
        elif number == 0 and len(lines) > 1 and (match := _TRIMMED.match(line)):
            state, path = f" {match[1]}", match[2]
        else:
            return None
        if not _PATHLIKE.match(path):
            return None
        entries += 1
        path = unquote(path.rsplit(" -> ", 1)[-1])
        findings.add(FactKind.VCS_STATUS, path, state, path)
    sure = sure or branch is not None or entries > 1
    return _parsed(findings, branch, entries) if sure and findings.total else None


def _coherent(index: str, tree: str) -> bool:
    return (index in "?!") == (tree in "?!") and (index == tree or index not in "?!")


def _v2(output: Output) -> Parsed | None:
    first = next((line for line in output.lines if line.strip()), "")
    if not (first.startswith("# branch.oid ") or _V2.match(first)):
        return None
    lines = [line for line in output.lines if line.strip()]
    findings, branch, entries = Findings(), None, 0
    for line in lines:
        if line.startswith("# branch.head "):
            branch = line[14:]
            findings.add(FactKind.VCS_STATUS, "branch", branch)
        elif match := _V2.match(line):
            state = match[1] or match[3] or match[5] or match[7]
            path = unquote(match[2] or match[4] or match[6] or match[8])
            entries += 1
            findings.add(FactKind.VCS_STATUS, path, state, path)
        elif not line.startswith(("# branch.", "# stash ")):
            return None
    return _parsed(findings, branch, entries) if findings.total else None


def _parsed(findings: Findings, branch: str | None, entries: int) -> Parsed:
    place = f"on {branch}, " if branch else ""
    return findings.parsed("git-status", f"git status, {place}{counted(entries, 'changed path')}")


PARSER = Parser(
    (
        "On branch ",
        "HEAD detached ",
        "Not currently",
        "## ",
        "# branch.",
        *(f"{mark} " for mark in "MADRCTU?!"),
    ),
    _read,
)
