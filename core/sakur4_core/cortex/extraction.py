"""From one file to its facts: deterministic, by syntax tree, without any model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any

from sakur4_core.cortex.aside import is_aside
from sakur4_core.cortex.declarations import declared_parts
from sakur4_core.cortex.definitions import definitions
from sakur4_core.cortex.discovery import Found
from sakur4_core.cortex.languages import by_name
from sakur4_core.cortex.languages.language import Language
from sakur4_core.cortex.model import FileStatus, ParsedFile
from sakur4_core.cortex.names import Names
from sakur4_core.cortex.outline import Outline, Source
from sakur4_core.cortex.passages import one_passage, passages
from sakur4_core.cortex.reading import read
from sakur4_core.cortex.secrecy import looks_secret
from sakur4_core.memory.redaction import redact


@dataclass(frozen=True, slots=True)
class Job:
    """One file to be parsed. ``language`` is None where only its status is wanted."""

    found: Found
    language: str | None
    max_bytes: int


def extract(job: Job) -> ParsedFile:
    """Read and parse one file. It never raises: what went wrong is the file's status."""
    reading = read(job.found, job.max_bytes)
    status, detail = reading.status, reading.detail
    if reading.text is not None and job.language is None:
        status = FileStatus.UNSUPPORTED
    parts: dict[str, Any] = {}
    if reading.text is not None and job.language is not None:
        try:
            parts = parse(job.found.path, reading.text, by_name(job.language))
        except (RecursionError, MemoryError, ValueError) as error:
            status, detail = FileStatus.DEGRADED, f"not parsed: {type(error).__name__}"
        else:
            if parts.pop("broken"):
                status, detail = FileStatus.DEGRADED, "syntax errors; the rest was parsed"
    return ParsedFile(
        path=job.found.path,
        language=job.language,
        status=status,
        detail=detail,
        size=reading.size,
        stamp_ns=reading.stamp_ns,
        hash=reading.hash,
        **parts,
    )


def parse(path: str, text: str, language: Language) -> dict[str, Any]:
    """The parts of a :class:`ParsedFile` that come from its text, and ``broken``."""
    if language.declares is not None:
        return declared_parts(path, text, language)
    from tree_sitter import QueryCursor

    parser, query = _tools(language.name)
    data = text.encode("utf-8", "replace")
    root = parser.parse(data).root_node
    cursor = QueryCursor(query)
    # The time of a query grows with the square of a tree's depth, and nothing stops it: 20,000
    # brackets inside each other would take many minutes.
    cursor.set_max_start_depth(MAX_DEPTH)
    captures = cursor.captures(root)
    for name in IN_ORDER & captures.keys():
        captures[name].sort(key=_place)
    clean = redact(text)
    secret = looks_secret(path)
    source = Source(path, data, root, captures, language, secret, bool(clean.types))
    outline = Outline(source)
    names = Names(source, outline)
    found = (*definitions(source, outline), *names.export_definitions())
    # What was redacted may have taken lines with it, and then no line is where it was.
    in_place = clean.text.count("\n") == text.count("\n")
    return {
        "definitions": found,
        "scopes": names.scopes(),
        "references": names.references(),
        "passages": passages(clean.text, found) if in_place else one_passage(clean.text),
        "aside": is_aside(path, text, language),
        "broken": root.has_error,
    }


# How deep in the syntax tree a definition or a use may stand to be seen. A chain of a thousand
# calls is 2,000 deep; people's code stays below 100. A file deeper than this takes about a second.
MAX_DEPTH = 2_500

# What is read one after another: captures come in no order that could be relied on. Others are
# sorted where they are used, or their order means nothing.
IN_ORDER = frozenset({"comment", "decorator", "export", "import", "inherits", "typed"})

_place = attrgetter("start_byte")


@cache
def _tools(name: str) -> tuple[Any, Any]:
    """A language's parser and compiled query, made at its first use in a process."""
    from tree_sitter import Parser, Query
    from tree_sitter_language_pack import get_language

    language = by_name(name)
    grammar = get_language(language.grammar)  # type: ignore[arg-type]
    return Parser(grammar), Query(grammar, language.query)
