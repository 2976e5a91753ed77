"""Secrets are taken out before a text reaches the disk, the index or an event.

Five detectors look at a shadow of the text (see ``shadow``) that has the escapes resolved; what
they find is replaced by ``[redacted:<type>]``. All of it is linear in the text's length: detectors
look for literals first, and at what stands around one only then. Why no library does this:
docs/adr/0009-redaction.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sakur4_core.memory.redaction import blocks, fields, headers, links, tokens
from sakur4_core.memory.redaction.shadow import lowered, shadow_of
from sakur4_core.memory.redaction.span import Span, covered, merged

# A placeholder may complete a notation around it (a longer value, a list), so a changed text is
# looked at again until nothing is found; each pass takes letters away, and one is the rule.
MOST_PASSES = 16


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and the types of what was taken out, in order."""

    text: str
    types: tuple[str, ...]


def redact(text: str) -> Redacted:
    """Replace every secret in ``text`` by ``[redacted:<type>]``; without one, it stays itself."""
    types: list[str] = []
    for _ in range(MOST_PASSES):
        spans = merged(_found(text))
        if not spans:
            break
        types += (span.type for span in spans)
        text = covered(text, spans)
    return Redacted(text, tuple(types))


# Names of tools and sessions come again and again.
@lru_cache(maxsize=1024)
def clean(name: str | None) -> str | None:
    """A name or a short note without its secrets; None stays None."""
    return None if name is None else redact(name).text


def _found(text: str) -> Iterator[Span]:
    shown = shadow_of(text)
    lower = lowered(shown)
    yield from blocks.find(shown, lower)
    yield from tokens.find(shown)
    yield from links.find(text)
    yield from headers.find(shown, lower)
    yield from fields.find(shown, lower)
