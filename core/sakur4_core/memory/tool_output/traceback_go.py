"""Go panics and the stacks of their goroutines."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.frames import Frames
from sakur4_core.memory.tool_output.output import Output

_PANIC = re.compile(r"(panic|fatal error): (.+)$")
_GOROUTINE = re.compile(r"goroutine \d{1,9}(?: gp=\S+ m=\S+(?: mp=\S+)?)? \[[^\]]{1,200}\]:$")
_PLACE = re.compile(r"\s+(\S.{0,500}\.(?:go|s)):(\d{1,9})(?: \+0x[0-9a-f]{1,16})?$")
_FUNCTION = re.compile(r"(?:created by )?(\S.{0,500}?)(?:\([^()]*\)| in goroutine \d{1,9})?$")


def _read(output: Output) -> Parsed | None:
    """Claim goroutines with frames; the panic above the first of them is their error."""
    frames = Frames()
    panic: re.Match[str] | None = None
    inside = False
    for line, below in zip(output.lines, (*output.lines[1:], ""), strict=True):
        if match := _PANIC.match(line):
            panic = match
        elif line.startswith("goroutine ") and _GOROUTINE.match(line):
            inside = True
            if panic is not None:
                frames.error(panic[1], panic[2])
                panic = None
        elif not line:
            inside = False
        elif inside and line[0] not in " \t" and (place := _PLACE.match(below)):
            function = _FUNCTION.match(line)
            frames.frame(function[1] if function else line, place[1], place[2])
    return frames.parsed("go-panic", "Go")


PARSER = Parser(("goroutine ",), _read)
