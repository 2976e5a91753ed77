"""Markdown: its headings, each as far as the next of its level or a higher one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sakur4_core.cortex.languages.declared import declared, line_starts
from sakur4_core.cortex.languages.language import Declared

_HEADING = re.compile(r" {0,3}(?P<level>#{1,6})[ \t]+(?P<title>.*?)[ \t]*#*$")
_FENCE = re.compile(r" {0,3}(?P<fence>```+|~~~+)")


def headings(text: str) -> Iterator[Declared]:
    """Headings outside of code blocks, named by their path of titles."""
    found: list[tuple[int, int, str]] = []
    fence, last = "", 0
    for last, line in line_starts(text):
        opened = _FENCE.match(line)
        if opened is not None:
            if not fence:
                fence = opened["fence"]
            elif opened["fence"].startswith(fence):
                fence = ""
        heading = None if fence or opened else _HEADING.match(line)
        if heading is not None and heading["title"]:
            found.append((len(heading["level"]), last, " ".join(heading["title"].split())))
    path: list[tuple[int, str]] = []
    for index, (level, number, title) in enumerate(found):
        path = [*((above, name) for above, name in path if above < level), (level, title)]
        after = (line for other, line, _ in found[index + 1 :] if other <= level)
        name = " > ".join(name for _, name in path)
        yield Declared(name, None, number, next(after, last + 1) - 1)


MARKDOWN = declared("markdown", (".md", ".markdown"), headings)
