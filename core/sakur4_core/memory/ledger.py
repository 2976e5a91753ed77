"""The Symbolic Ledger's write path: the one place where a fact is made.

Facts come from a closed set of deterministic parsers. Nothing here can reach a model: import
contracts check it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from sakur4_core.memory.tool_output import parse
from sakur4_core.memory.tool_output.finding import Finding
from sakur4_core.models import Fact

NO_STRUCTURE = "no structure detected"
MAX_FACTS = 500


@dataclass(frozen=True, slots=True)
class Extraction:
    """What the parsers saw in one tool result."""

    parser: str
    summary: str
    facts: tuple[Fact, ...]


def natural_id(*parts: str | int) -> str:
    """The id of a fact: a hash of its natural key, the same wherever it is computed."""
    body = "\x1f".join(str(part) for part in parts)
    return "fact_" + hashlib.blake2b(body.encode("utf-8"), digest_size=12).hexdigest()


def extract(content: str, *, session_id: str, call: str, tool_name: str | None) -> Extraction:
    """The facts of a tool result, keyed by session and call so that none overwrites another's.

    Args:
        call: The tool call's id, or the episode's where it has none.
    """
    parsed = parse(content, tool_name)
    if parsed is None:
        return Extraction("none", NO_STRUCTURE, ())
    scope = f"{session_id}/{call}"
    seen: dict[tuple[str, str], int] = {}
    facts = []
    for finding in parsed.findings[:MAX_FACTS]:
        key = (finding.kind, finding.name)
        ordinal = seen.get(key, 0)
        seen[key] = ordinal + 1
        facts.append(_fact(finding, scope, ordinal))
    return Extraction(parsed.parser, parsed.summary, tuple(facts))


def _fact(finding: Finding, scope: str, ordinal: int) -> Fact:
    return Fact(
        fact_id=natural_id("tool-output", scope, finding.kind, finding.name, ordinal),
        kind=finding.kind,
        qualified_name=finding.name,
        file_path=finding.file_path,
        line_start=finding.line,
        line_end=finding.line,
        signature=None,
        value=finding.value,
        interface_hash=None,
        body_hash=None,
        source="tool-output",
        scope=scope,
    )
