"""The Symbolic Ledger's write path: the one place where a fact is made.

Facts come from a closed set of deterministic parsers. Nothing here can reach a model: import
contracts check it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache

from sakur4_core.memory.text import storable
from sakur4_core.memory.tool_output import parse
from sakur4_core.memory.tool_output.finding import Finding, Parsed
from sakur4_core.models import Fact

NO_STRUCTURE = "no structure detected"
# Facts of one tool result: more would make the ledger a second copy of the transcript.
MAX_FACTS = 500


@dataclass(frozen=True, slots=True)
class Extraction:
    """What the parsers saw in one tool result."""

    parser: str
    summary: str
    facts: tuple[Fact, ...]


def natural_id(scope: str, *parts: str | int) -> str:
    """The id of a fact: a hash of its natural key, the same wherever it is computed.

    It begins with a hash of the scope alone, so that the facts of one tool result stand side by
    side in the index: written at random places, twenty of them change twenty of its pages.
    """
    mark, begun = _begun(scope)
    whole = begun.copy()
    whole.update("\x1f".join(("", *map(str, parts))).encode("utf-8"))
    return mark + whole.hexdigest()


# The facts of one result come one after another.
@lru_cache(maxsize=8)
def _begun(scope: str) -> tuple[str, hashlib.blake2b]:
    """What all ids of a scope begin with, and the hash of the rest as far as it is the same."""
    body = scope.encode("utf-8")
    mark = hashlib.blake2b(body, digest_size=5).hexdigest()
    return f"fact_{mark}", hashlib.blake2b(body, digest_size=7)


def tool_scope(session_id: str, call: str) -> str:
    """The scope of one tool result's facts; no other session and call have the same."""
    escaped = session_id.replace("%", "%25").replace("/", "%2F")
    return f"{escaped}/{call}"


def extract(content: str, *, session_id: str, call: str) -> Extraction:
    """The facts of a tool result, keyed by session and call so that none overwrites another's.

    Args:
        call: The tool call's id, or the episode's where it has none.
    """
    parsed = parse(content)
    if parsed is None:
        return Extraction("none", NO_STRUCTURE, ())
    scope = tool_scope(session_id, call)
    seen: dict[tuple[str, str], int] = {}
    facts = []
    for finding in parsed.findings[:MAX_FACTS]:
        name = storable(finding.name)[0]
        ordinal = seen.get((finding.kind, name), 0)
        seen[finding.kind, name] = ordinal + 1
        facts.append(_fact(finding, name, scope, ordinal))
    return Extraction(parsed.parser, _summary(parsed, len(facts)), tuple(facts))


def _summary(parsed: Parsed, kept: int) -> str:
    summary = " ".join(storable(parsed.summary)[0].split())
    total = len(parsed.findings) + parsed.beyond
    return summary if total == kept else f"{summary}; kept {kept} of {total:,} facts"


def _fact(finding: Finding, name: str, scope: str, ordinal: int) -> Fact:
    path = finding.file_path
    return Fact(
        fact_id=natural_id(scope, finding.kind, name, ordinal),
        kind=finding.kind,
        qualified_name=name,
        file_path=None if path is None else storable(path)[0],
        line_start=finding.line,
        line_end=finding.line,
        signature=None,
        value=storable(finding.value)[0],
        interface_hash=None,
        body_hash=None,
        source="tool-output",
        scope=scope,
    )
