"""Python tracebacks, chained ones and groups too, and syntax errors."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.frames import Frames
from sakur4_core.memory.tool_output.output import Output

# A group's traceback stands behind a margin of `|` and `+`.
_MARGIN = r"[ |+]{0,40}"
_HEAD = re.compile(
    rf"(?: {{0,2}}|{_MARGIN}[|+] )(?:Exception Group )?Traceback \(most recent call last\):$"
)
_FRAME = re.compile(
    rf'{_MARGIN}File "([^"\n]{{1,500}})", line (\d{{1,9}})(?:, in (\S.{{0,300}}))?$'
)
_ERROR = re.compile(
    r"[ |]{0,40}((?:[A-Za-z_]\w{0,80}\.){0,10}[A-Za-z_]\w{0,80})(?:: (.*)|(?<=[a-z]))$"
)
_SYNTAX = re.compile(r"(SyntaxError|IndentationError|TabError): (.*)$")
_MARKS = re.compile(r"[ |~^]+$")
# Lines below a frame that show its source: the line itself, its marks, more of a statement.
SHOWN = 12


def _read(output: Output) -> Parsed | None:
    """Claim a traceback's headline with a frame below it, or a syntax error with its place."""
    frames = Frames()
    lines = output.lines
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if "Traceback (" in line and _HEAD.match(line):
            index = _trace(lines, index, frames)
        elif line.startswith('  File "'):
            _syntax_error(lines, index - 1, frames)
    return frames.parsed("python-traceback", "Python")


def _trace(lines: tuple[str, ...], start: int, frames: Frames) -> int:
    """Read the frames below a headline and the error that ends them."""
    index, seen = start, 0
    while index < len(lines):
        match = _FRAME.match(lines[index])
        if match is None:
            break
        index += 1
        depth = len(lines[index - 1]) - len(lines[index - 1].lstrip(" |+"))
        shown = _shown(lines, index, depth)
        code = lines[index].strip(" |") if shown else ""
        index += shown
        seen += 1
        frames.frame(match[3] or "<module>", match[1], match[2], code)
    if seen and index < len(lines) and (match := _ERROR.match(lines[index])):
        frames.error(match[1], match[2] or "")
        return index + 1
    return index


def _shown(lines: tuple[str, ...], start: int, depth: int) -> int:
    """How many lines show the source of the frame above: they stand further in."""
    count = 0
    for line in lines[start : start + SHOWN]:
        if len(line) - len(line.lstrip(" |+")) <= depth or _FRAME.match(line):
            break
        count += 1
    return count


def _syntax_error(lines: tuple[str, ...], index: int, frames: Frames) -> None:
    place = _FRAME.match(lines[index])
    if place is None or place[3]:
        return
    for line in lines[index + 1 : index + 4]:
        if match := _SYNTAX.match(line):
            frames.error(match[1], match[2], place[1], place[2])
            return


PARSER = Parser(('File "',), _read)
