"""The one renderer: what an episode looks like in the prompt at each tier."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sakur4_core.memory.text import preview
from sakur4_core.models import Role, Tier

# Names this way of rendering where counts of it are kept; a change to any text gets a new name.
RENDERING: Final = "r1"

# Below this a mask would leave out nothing worth its own marker.
MASK_MIN_CHARS: Final = 1_000
HEAD_LINES: Final = 6
TAIL_LINES: Final = 6
LINE_CHARS: Final = 160
KEPT_ERRORS: Final = 8
KEPT_PATHS: Final = 12
STUB_CHARS: Final = 48

# Every pattern starts at a word's edge or has a bound, so that no text makes them slow.
_ERROR: Final = re.compile(
    r"error|exception|traceback|fatal|panic|failed|failure|denied|not found", re.IGNORECASE
)
_EXIT: Final = re.compile(
    r"\bexit(?:ed)?(?: with)?(?: code| status)?[ :=]{1,3}(\d{1,3})\b", re.IGNORECASE
)
_PATH: Final = re.compile(r"(?<![\w./-])/?(?:[\w.-]{1,64}/){1,12}[\w.-]{1,64}(?::\d{1,6})?")
_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


@dataclass(frozen=True, slots=True)
class Label:
    """What names an episode in a rendered stub."""

    seq: int
    role: Role
    tool_name: str | None

    def __str__(self) -> str:
        return f"#{self.seq} {_plain(self.tool_name or self.role.value)}"


@dataclass(frozen=True, slots=True)
class Mask:
    """A masked text and what of its middle it still holds, in words."""

    text: str
    kept: str


def render(tier: Tier, label: Label, content: str) -> str:
    """The text of an episode at ``tier``: all of it, its outline, a line, or nothing."""
    if tier is Tier.LIVE:
        return content
    if tier is Tier.MASKED:
        return mask(label, content).text
    if tier is Tier.REFERENCED:
        return stub(label, content)
    return ""


def stub(label: Label, content: str) -> str:
    """One line that names the episode and says how to get it back; a shorter text itself."""
    line = f"[{label} {headline(content)} · recall(#{label.seq})]"
    return line if len(line) < len(content) else content


def headline(content: str) -> str:
    """The path that a text starts with, or else the beginning of its first line."""
    first = preview(content, 400)
    path = _PATH.search(first)
    return _plain(path[0] if path else first)


def mask(label: Label, content: str) -> Mask:
    """Head and tail, and of the middle the errors, the paths and the exit code.

    A text that would not become shorter is returned as it is.
    """
    if len(content) < MASK_MIN_CHARS:
        return Mask(content, "all of it")
    lines = content.splitlines()
    head, tail = lines[:HEAD_LINES], lines[HEAD_LINES:][-TAIL_LINES:]
    middle = lines[HEAD_LINES : max(HEAD_LINES, len(lines) - TAIL_LINES)]
    kept, described = _keep(middle, head + tail)
    marker = f"[{len(middle)} lines of {label} left out · recall(#{label.seq})]"
    text = "\n".join([*map(_cut, head), marker, *kept, *map(_cut, tail)])
    if len(text) >= len(content):
        return Mask(content, "all of it")
    return Mask(text, described)


def _keep(middle: Sequence[str], ends: Sequence[str]) -> tuple[list[str], str]:
    """The lines that stand for the middle, and what is kept of the whole, in words."""
    errors: list[str] = []
    paths: dict[str, None] = {}
    exit_code: str | None = None
    for line in map(_cut, middle):
        found = _EXIT.search(line)
        exit_code = found[1] if found else exit_code
        if len(errors) < KEPT_ERRORS and _ERROR.search(line):
            errors.append(line)
        elif len(paths) < KEPT_PATHS:
            paths.update(dict.fromkeys(_PATH.findall(line)))
    names = list(paths)[:KEPT_PATHS]
    kept = list(errors)
    if names:
        kept.append(f"paths: {', '.join(names)}")
    if exit_code is not None:
        kept.append(f"exit code {exit_code}")
    for line in map(_cut, ends):
        found = _EXIT.search(line)
        exit_code = found[1] if found else exit_code
    errors += [line for line in map(_cut, ends) if _ERROR.search(line)]
    words = ["head and tail"]
    if errors:
        words.append(f"{len(errors)} error line{'s' if len(errors) > 1 else ''}")
    if names:
        words.append(f"{len(names)} path{'s' if len(names) > 1 else ''}")
    if exit_code is not None:
        words.append(f"exit code {exit_code}")
    return kept, ", ".join(words)


def _cut(line: str) -> str:
    return line if len(line) <= LINE_CHARS else line[: LINE_CHARS - 1] + "…"


def _plain(text: str) -> str:
    """Text of others that cannot end the stub, start a line or turn the writing round."""
    folded = _UNPRINTABLE.sub(" ", text).replace("[", "(").replace("]", ")")
    return folded if len(folded) <= STUB_CHARS else folded[: STUB_CHARS - 1] + "…"
