"""JSON Lines: one JSON object a line, each read as an item of one array."""

from __future__ import annotations

from sakur4_core.memory.tool_output.finding import Findings, Parsed, Parser, counted
from sakur4_core.memory.tool_output.json_reader import MAX_ITEMS, NotJson, walk
from sakur4_core.memory.tool_output.output import Output
from sakur4_core.models import FactKind

# Characters whose grammar is checked; the other lines have to begin and end as an object does.
CHECKED_CHARS = 50_000


def _read(output: Output) -> Parsed | None:
    """Claim a text of two lines or more that are all JSON objects."""
    if output.document[:1] != "{":
        return None
    lines = [line.strip() for line in output.raw[: output.head] if line.strip()]
    if output.omitted:
        lines = lines[:-1]
    if len(lines) < 2 or not all(line[0] == "{" and line[-1] == "}" for line in lines):
        return None
    findings, unseen = Findings(), Findings(limit=0)
    findings.add(FactKind.JSON_FIELD, "$.length", f"number {len(lines)}")
    checked = 0
    for index, line in enumerate(lines):
        try:
            walk(line, f"$[{index}]", findings if index < MAX_ITEMS else unseen)
        except NotJson:
            return None
        checked += len(line)
        if checked > CHECKED_CHARS:
            break
    shape = f"JSON Lines, {counted(len(lines), 'object')}"
    return findings.parsed("jsonl", f"{shape}, {counted(findings.total, 'field')}")


PARSER = Parser((), _read)
