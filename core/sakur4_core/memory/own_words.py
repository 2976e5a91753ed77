"""This system's own words, when they come back: kept as said, but learnt nothing from.

An agent's transcript holds what recall, the anchors and the map told it. Indexed again, a recalled
text would be found again, and again. So what we rendered is recognised by its first line and its
form, and a result of our own tools by the tool's name.
"""

from __future__ import annotations

import re

# The first lines of what this system renders. Each block goes on as long as its lines have the
# form that the renderer gives them.
RECALL_HEADING = "Recalled from memory"
ANCHOR_HEADING = "# Pinned by the user; these hold for the whole session"
MAP_HEADING = "# Map of "
FOLD_HEADING = "# Work of this session that was folded"
REDUCED_HEADING = (
    "# Turns that an approved plan made shorter; memory_recall has them word for word"
)

_HEADINGS = (RECALL_HEADING, ANCHOR_HEADING, MAP_HEADING, FOLD_HEADING, REDUCED_HEADING)
_BLOCKS = (
    (re.compile(rf"{re.escape(RECALL_HEADING)}: \d+ hits?\."), re.compile(r"\[\d+\] |  |Note: ")),
    (re.compile(re.escape(ANCHOR_HEADING)), re.compile(r"## |- ")),
    (re.compile(re.escape(FOLD_HEADING)), re.compile(r"- |  ")),
    (re.compile(re.escape(REDUCED_HEADING)), re.compile(r"- #\d+ ")),
    (re.compile(rf"{re.escape(MAP_HEADING)}.+, indexed "), re.compile(r"\S*[./]\S*$|  |# ")),
)
_OWN_TOOL = re.compile(r"(?:^|[_.])sakur4(?:[_.]|$)")


def is_own_tool(tool_name: str | None) -> bool:
    """Whether a tool's name is one of ours as harnesses write it (``mcp__sakur4__…``)."""
    return tool_name is not None and _OWN_TOOL.search(tool_name) is not None


def without_own(text: str) -> str:
    """``text`` without the blocks that this system rendered; unchanged where there are none."""
    for heading in _HEADINGS:
        if heading in text:
            return _stripped(text)
    return text


def _stripped(text: str) -> str:
    kept: list[str] = []
    inside: re.Pattern[str] | None = None
    for line in text.splitlines(keepends=True):
        if inside is not None and (inside.match(line) or not line.strip()):
            continue
        inside = next((form for first, form in _BLOCKS if first.match(line)), None)
        if inside is None:
            kept.append(line)
    return "".join(kept)
