"""What a turn tells besides its words: who speaks, when, how long, whether it asks."""

from __future__ import annotations

import re
from typing import NamedTuple

from sakur4_core.recall.dates import minute_of, stamped_minute

# A leading name: one to three words before a colon, after a date in brackets or without.
_SPEAKER = re.compile(
    r"\s*(?:[\[(][^\])\n]{1,40}[\])]\s*|\d{4}-\d\d-\d\d[T \d:.Z]*\s*[|,-]?\s*)?"
    r"[*<]{0,2}([^\W\d_][\w.'-]{0,30}(?: [^\W\d_][\w.'-]{0,30}){0,2})[*>]{0,2}"
    r"(?: ?[\[(][^\])\n]{1,40}[\])])?:[*]{0,2}\s"
)
_TRAILING_NOTE = re.compile(r"\s*[\[(][^\[\]()]*[\])]\s*$")


class Traits(NamedTuple):
    """A turn's traits.

    Attributes:
        speaker: The name before a leading colon, lower case, or "".
        minute: Minutes since 1970, from a date in the text, else from the time of the commit.
        dated: Whether the text itself told the date.
        asks: Whether the turn ends with a question.
    """

    speaker: str
    minute: int
    dated: bool
    asks: bool


def traits(text: str, created_at: str) -> Traits:
    """Look at one turn."""
    match = _SPEAKER.match(text[:160])
    stamped = stamped_minute(text)
    body = text[-400:].rstrip()
    while (note := _TRAILING_NOTE.search(body)) is not None:
        body = body[: note.start()]
    return Traits(
        match[1].lower() if match is not None else "",
        minute_of(created_at) if stamped is None else stamped,
        stamped is not None,
        body.rstrip().endswith(("?", "？")),
    )
