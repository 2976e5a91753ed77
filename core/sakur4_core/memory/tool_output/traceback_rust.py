"""Rust panics and their backtraces."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.frames import Frames
from sakur4_core.memory.tool_output.output import Output

_PANIC = re.compile(
    r"thread '([^']{1,300})'(?: \(\d{1,9}\))? panicked at (?:'(.{0,1500})', )?"
    r"([^:\n']{1,300}):(\d{1,9}):\d{1,9}:?$"
)
_FRAME = re.compile(r" {1,6}\d{1,5}: (?:0x[0-9a-f]{1,16} - )?(\S.{0,500})$")
_PLACE = re.compile(r" {10,40}at (\S.{0,500}):(\d{1,9}):\d{1,9}$")


def _read(output: Output) -> Parsed | None:
    """Claim a panic's headline; frames count below it only."""
    frames = Frames()
    lines = output.lines
    inside = False
    for index, line in enumerate(lines):
        below = lines[index + 1] if index + 1 < len(lines) else ""
        if match := _PANIC.match(line) if line.startswith("thread '") else None:
            message = match[2] or below.strip()
            frames.error("panic", f"{message} (thread {match[1]})", match[3], match[4])
            inside = True
        elif inside and (match := _FRAME.match(line)) and (place := _PLACE.match(below)):
            frames.frame(match[1], place[1], place[2])
    return frames.parsed("rust-panic", "Rust")


PARSER = Parser((" panicked at ",), _read)
