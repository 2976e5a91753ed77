"""Stack traces of Node and browsers."""

from __future__ import annotations

import re

from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.frames import Frames
from sakur4_core.memory.tool_output.output import Output

_ERROR = re.compile(
    r" {0,8}(?:\[cause\]: )?(?:Uncaught )?"
    r"((?:[A-Za-z_$][\w$.]{0,80}?)?(?:Error|Exception|Rejection))"
    r"(?: \[[A-Z_0-9]{1,80}\])?(?:: (.*))?$"
)
_FRAME = re.compile(
    r" {2,12}at (?:async )?(?:([^()\n]{1,300}?)(?: \[as [^\]]{1,100}\])? \(([^()\n]{1,500}):"
    r"(\d{1,9}):\d{1,9}\)|((?:file:|node:|/|[A-Za-z]:\\)[^()\n]{1,500}):"
    r"(\d{1,9}):\d{1,9})(?: \{)?$"
)
_LEFT_OUT = re.compile(r" {2,12}\.\.\. \d{1,9} lines matching cause stack trace \.\.\.$")
_SCHEME = "file://"
# A message of several lines may stand between the error and its first frame.
MESSAGE_LINES = 20


def _read(output: Output) -> Parsed | None:
    """Claim frames that name a line and a column, below an error's headline."""
    frames = Frames()
    headline: tuple[int, re.Match[str]] | None = None
    inside = False
    for index, line in enumerate(output.lines):
        frame = _FRAME.match(line) if " at " in line else None
        if frame is None:
            inside = inside and _LEFT_OUT.match(line) is not None
            if match := _ERROR.match(line):
                headline = index, match
        elif inside or (headline is not None and index - headline[0] <= MESSAGE_LINES):
            if not inside and headline is not None:
                frames.error(headline[1][1], headline[1][2] or "")
                headline = None
            inside = True
            path = (frame[2] or frame[4]).removeprefix(_SCHEME)
            frames.frame(frame[1] or "<anonymous>", path, frame[3] or frame[5])
    return frames.parsed("node-stack", "JavaScript")


PARSER = Parser(("  at ",), _read)
