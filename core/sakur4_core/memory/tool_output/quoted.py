"""Text that shows a result without being one: listings of files, sources, fenced samples.

An agent reads test files and manuals all day. A sample of a test run inside them is no run.
"""

from __future__ import annotations

import re
from itertools import pairwise

from sakur4_core.memory.tool_output.output import Output

_NUMBERED = re.compile(r" *(\d{1,7})(?:→|\t| ?\||: )")
_PAGES = ("<!doctype", "<html")
_FENCE = re.compile(r"(?:```|~~~)")
# Lines in the first column that only a source file has. Compilers and test runners print code
# too, but behind a margin.
_SOURCE = re.compile(
    r"""(?x)
    from\ [\w.]++\ import\ | import\ [\w.]++(?:\ as\ \w++)?$ | (?:async\ )?def\ \w++\(
    | class\ \w++.*[:{]$ | @\w++(?:[.\w]*+\(.*)?$ | if\ __name__\ ==
    | import\ .+\ from\ ['"] | (?:export|module\.exports)\ \S
    | (?:async\ )?function\ \w++\( | (?:const|let|var)\ \w++\ =\ | (?:describe|it|test)\(["'`]
    | (?:pub\ )?(?:fn|struct|enum|trait|mod|impl|use)\ .*[{;]$ | \#!?\[\w++.*\]$
    | package\ [\w.]++;?$ | func\ .*\{$ | import\ (?:\(|")| type\ \w++\ (?:struct|interface)
    | \#include\ [<"] | \#(?:define|ifdef|ifndef|pragma)\ \w
    | public\ (?:final\ |abstract\ )?(?:class|interface|enum|record)\ \w
    """
)
MIN_SOURCE_LINES = 3
MIN_LISTED = 3


def is_listing(output: Output) -> bool:
    """Whether the text is a file's content behind line numbers, as file readers show it."""
    filled = [line for line in output.lines if line]
    numbers = []
    for line in filled:
        match = _NUMBERED.match(line)
        if match:
            numbers.append(int(match[1]))
    if not numbers or 2 * len(numbers) < len(filled) or not _starts_with_number(filled):
        return False
    if len(numbers) < MIN_LISTED:
        return "→" in filled[0]
    rising = sum(after == before + 1 for before, after in pairwise(numbers))
    return 10 * rising >= 8 * (len(numbers) - 1)


def _starts_with_number(filled: list[str]) -> bool:
    # A reader may put one tag before the lines; a table puts its column names there.
    first = filled[1] if filled[0].startswith("<") and len(filled) > 1 else filled[0]
    return _NUMBERED.match(first) is not None


def quoted(output: Output) -> list[range]:
    """The lines that a document quotes, and those from the first to the last line of source.

    All that a web page shows is quoted.
    """
    if output.document[:9].lower().startswith(_PAGES):
        return [range(len(output.lines))]
    return [*_fenced(output), *_source(output)]


def _fenced(output: Output) -> list[range]:
    if "```" not in output.text and "~~~" not in output.text:
        return []
    fences = [index for index, line in enumerate(output.lines) if _FENCE.match(line)]
    filled = [index for index, line in enumerate(output.lines) if line.strip()]
    if len(fences) == 2 and fences == [filled[0], filled[-1]]:
        # The whole result stands in one fence: that is wrapping, not quoting.
        return [range(index, index + 1) for index in fences]
    if len(fences) % 2:
        return []
    opening, closing = fences[::2], fences[1::2]
    return [range(start, stop + 1) for start, stop in zip(opening, closing, strict=True)]


def _source(output: Output) -> list[range]:
    found = [index for index, line in enumerate(output.lines) if line and _SOURCE.match(line)]
    return [range(found[0], found[-1] + 1)] if len(found) >= MIN_SOURCE_LINES else []
