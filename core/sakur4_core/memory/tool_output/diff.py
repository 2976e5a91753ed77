"""Unified diffs: each hunk with its file and lines; what happened to whole files."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sakur4_core.memory.tool_output.finding import Findings, Parsed, Parser, counted
from sakur4_core.memory.tool_output.git_path import unquote
from sakur4_core.memory.tool_output.output import Output
from sakur4_core.models import FactKind

_HUNK = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: .*)?$")
_COMBINED = re.compile(r"@@@+(?: -\d{1,9}(?:,\d{1,9})?){2,9} \+(\d{1,9})(?:,\d{1,9})? @@@+")
_GIT = re.compile(r'diff --(?:git|cc|combined) ("?.+)$')
_SIDES = re.compile(r'("?a/.*) ("?b/.*)$')
_STAMP = re.compile(r"\t.*$")
_INDEX = re.compile(
    r"(?:index [0-9a-f]{4,64}[.,]|similarity index |dissimilarity index |old mode )"
)
# What git's extended header says of a whole file.
_CHANGES = (
    ("new file mode", "new"),
    ("deleted file mode", "deleted"),
    ("rename to ", "rename"),
    ("copy to ", "copy"),
    ("new mode ", "mode"),
    ("Binary files ", "binary"),
    ("GIT binary patch", "binary"),
)


def _read(output: Output) -> Parsed | None:
    """Claim git's file headers, and hunks below the header of their file."""
    walk = _Walk(output.lines)
    while walk.index < len(output.lines):
        walk.step()
    return walk.parsed()


@dataclass(slots=True)
class _File:
    path: str
    old: str
    start: int
    proven: bool = False
    hunks: bool = False


class _Walk:
    """Goes down the lines; a hunk's body is skipped by the counts in its head."""

    def __init__(self, lines: tuple[str, ...]) -> None:
        self.index = 0
        self._lines = lines
        self._findings = Findings()
        self._file: _File | None = None
        self._files: set[str] = set()
        self._claimed: list[range] = []
        self._added = 0
        self._removed = 0

    def parsed(self) -> Parsed | None:
        self._close(self.index)
        if not self._findings.total:
            return None
        changes = f"{self._added} added and {self._removed} removed lines"
        summary = f"diff, {counted(len(self._files), 'file')}, {changes}"
        return self._findings.parsed("diff", summary, self._claimed)

    def step(self) -> None:
        """Read one line, or one hunk."""
        line = self._lines[self.index]
        self.index += 1
        if self._file is None and line[:4] not in ("diff", "--- "):
            return
        if match := _GIT.match(line):
            self._close(self.index - 1)
            old, new = _sides(match[1])
            self._file = _File(new, old, self.index - 1)
        elif line.startswith("--- ") and self._next().startswith("+++ "):
            self._named(line)
        elif self._file is not None and line.startswith("@@"):
            self._hunk(self._file, line)
        elif self._file is not None:
            self._header(line, self._file)

    def _next(self) -> str:
        return self._lines[self.index] if self.index < len(self._lines) else ""

    def _named(self, line: str) -> None:
        old, new = _side(line[4:]), _side(self._next()[4:])
        path = old if new == "/dev/null" else new
        if self._file is None or self._file.hunks:
            # A file without git's header: only a hunk right below proves it.
            if not self._hunk_follows():
                return
            self._close(self.index - 1)
            self._file = _File(path, old, self.index - 1)
            if "/dev/null" in (old, new):
                self._change(self._file, "new" if old == "/dev/null" else "deleted", "")
        self._file.path, self._file.old = path, old
        self.index += 1

    def _hunk_follows(self) -> bool:
        below = "".join(self._lines[self.index + 1 : self.index + 2])
        return bool(_HUNK.match(below) or _COMBINED.match(below))

    def _header(self, line: str, file: _File) -> None:
        for prefix, word in _CHANGES:
            if line.startswith(prefix):
                self._change(file, word, line)
                return
        if line.startswith(("rename from ", "copy from ")):
            file.old = unquote(line.split(" from ", 1)[1])
        elif not (_INDEX.match(line) or line.startswith(("Binary", "literal ", "delta "))):
            self._close(self.index - 1)

    def _change(self, file: _File, word: str, line: str) -> None:
        file.proven = True
        if word in ("rename", "copy"):
            file.path = unquote(line.split(" to ", 1)[1])
            value = f"{word} from {file.old}"
        else:
            value = line if word == "mode" else word
        self._files.add(file.path)
        self._findings.add(FactKind.DIFF_HUNK, f"{file.path}:{word}", value, file.path)

    def _hunk(self, file: _File, line: str) -> None:
        body = self.index
        if match := _HUNK.match(line):
            added, removed = self._body(int(match[1] or 1), int(match[3] or 1))
            start = match[2]
        elif match := _COMBINED.match(line):
            added, removed = self._combined_body()
            start = match[1]
        else:
            return
        if self.index == body:
            return
        file.proven = file.hunks = True
        self._files.add(file.path)
        self._added += added
        self._removed += removed
        value = f"{line.rstrip()[:200]} {added} added, {removed} removed"
        self._findings.add(FactKind.DIFF_HUNK, f"{file.path}:{start}", value, file.path, start)

    def _body(self, old: int, new: int) -> tuple[int, int]:
        """Skip a hunk's lines; how many were added and removed."""
        added = removed = 0
        while (old > 0 or new > 0) and self.index < len(self._lines):
            mark = self._lines[self.index][:1]
            if mark == "+":
                new, added = new - 1, added + 1
            elif mark == "-":
                old, removed = old - 1, removed + 1
            elif mark in ("", " "):
                old, new = old - 1, new - 1
            elif mark != "\\":
                break
            self.index += 1
        return added, removed

    def _combined_body(self) -> tuple[int, int]:
        added = removed = 0
        while self.index < len(self._lines) and self._lines[self.index][:1] in ("+", "-", " "):
            marks = self._lines[self.index][:2]
            added, removed = added + ("+" in marks), removed + ("-" in marks)
            self.index += 1
        return added, removed

    def _close(self, stop: int) -> None:
        file, self._file = self._file, None
        if file is not None and file.proven:
            self._claimed.append(range(file.start, stop))


def _side(name: str) -> str:
    path = unquote(_STAMP.sub("", name).strip())
    return path[2:] if path[:2] in ("a/", "b/", "i/", "w/", "c/", "o/") else path


def _sides(names: str) -> tuple[str, str]:
    """Old and new path of a git header; unquoted paths may hold spaces, so halves are tried."""
    half = len(names) // 2
    if names[half : half + 1] == " " and names[1:half] == names[half + 2 :]:
        return _side(names[:half]), _side(names[half + 1 :])
    if match := _SIDES.match(names):
        return _side(match[1]), _side(match[2])
    return _side(names), _side(names)


PARSER = Parser(("diff --", "@@ -"), _read)
