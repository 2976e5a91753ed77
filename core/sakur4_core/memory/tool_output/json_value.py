"""JSON documents: every leaf with its path, its type and its value."""

from __future__ import annotations

from sakur4_core.memory.tool_output.finding import Findings, Parsed, Parser, counted
from sakur4_core.memory.tool_output.json_reader import OBJECT, NotJson, Walk, walk
from sakur4_core.memory.tool_output.output import Output
from sakur4_core.models import FactKind


def _read(output: Output) -> Parsed | None:
    """Claim a text that is one JSON object or array, and nothing else."""
    body = output.document
    if body[:1] not in ("{", "["):
        return None
    findings = Findings()
    try:
        seen = walk(body, "$", findings, cut=output.omitted > 0)
    except NotJson:
        return None
    if not findings.total:
        findings.add(FactKind.JSON_FIELD, "$", "object {}")
    return findings.parsed("json", f"JSON, {_shape(seen)}, {counted(findings.total, 'field')}")


def _shape(seen: Walk) -> str:
    least = "" if seen.complete else "at least "
    if seen.kind == OBJECT:
        return least + counted(seen.size, "key")
    return f"array of {least}{seen.size}"


PARSER = Parser((), _read)
