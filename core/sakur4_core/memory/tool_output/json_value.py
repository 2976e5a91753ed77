"""JSON documents: every leaf with its path, its type and its value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sakur4_core.memory.tool_output.finding import Finding, Parsed, clip
from sakur4_core.models import FactKind

MAX_LEAVES = 300
MAX_ITEMS = 20
MAX_DEPTH = 12
# bool before int: every bool is an int.
_TYPES: tuple[tuple[type, str], ...] = (
    (bool, "boolean"),
    (int, "number"),
    (float, "number"),
    (str, "string"),
    (dict, "object"),
    (list, "array"),
)


def parse(text: str) -> Parsed | None:
    """Claim a text that is one JSON object or array, and nothing else."""
    body = text.strip()
    if len(body) < 2 or (body[0], body[-1]) not in (("{", "}"), ("[", "]")):
        return None
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    findings: list[Finding] = []
    for path, leaf in _leaves(value, "$", 0):
        if len(findings) == MAX_LEAVES:
            break
        findings.append(Finding(FactKind.JSON_FIELD, path, clip(leaf)))
    if not findings:
        return None
    shape = f"{len(value)} keys" if isinstance(value, dict) else f"array of {len(value)}"
    return Parsed("json", f"JSON, {shape}, {len(findings)} fields", tuple(findings))


def _leaves(value: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and depth < MAX_DEPTH:
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}", depth + 1)
    elif isinstance(value, list) and depth < MAX_DEPTH:
        yield f"{path}.length", f"number {len(value)}"
        for index, item in enumerate(value[:MAX_ITEMS]):
            yield from _leaves(item, f"{path}[{index}]", depth + 1)
    else:
        yield path, f"{_type(value)} {json.dumps(value, ensure_ascii=False)}"


def _type(value: Any) -> str:
    for kind, name in _TYPES:
        if isinstance(value, kind):
            return name
    return "null"
