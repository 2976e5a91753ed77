"""The prefix ledger: what was last sent to a slot, and how much of it the next prompt repeats."""

from __future__ import annotations

import bisect
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

HISTORY = "history"


class Shared(NamedTuple):
    """The longest common prefix of two prompts.

    Attributes:
        tokens: Its length, counted in the later prompt.
        parted: The part where they part (a block's name, or ``history``); None where the
            later prompt only goes on.
    """

    tokens: int
    parted: str | None


@dataclass(frozen=True, slots=True)
class Sent:
    """A prompt as the ledger keeps it: hashes of its blocks, and names of its episodes.

    Attributes:
        blocks: Name, hash of the text (empty where the text is not known), tokens.
        rows: Place, a mark that says how it is rendered, tokens. Content never changes, so
            place and mark name the text.
    """

    blocks: tuple[tuple[str, str, int], ...]
    rows: tuple[tuple[int, int, int], ...]

    def shared_with(self, before: Sent) -> Shared:
        """How much of this prompt repeats ``before`` from the beginning."""
        tokens = 0
        for now, then in zip(self.blocks, before.blocks, strict=False):
            if now[:2] != then[:2]:
                return Shared(tokens, now[0])
            tokens += now[2]
        for row, old in zip(self.rows, before.rows, strict=False):
            if row[:2] != old[:2]:
                return Shared(tokens, HISTORY)
            tokens += row[2]
        return Shared(tokens, HISTORY if len(before.rows) > len(self.rows) else None)

    def to_text(self) -> str:
        """As it stands in the store."""
        return json.dumps([self.blocks, self.rows], separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> Sent:
        """The inverse of :meth:`to_text`."""
        blocks, rows = json.loads(text)
        return cls(tuple(map(tuple, blocks)), tuple(map(tuple, rows)))


def digest(text: str) -> str:
    """A short hash of a block's text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def resume_at(offset: int, checkpoints: Sequence[int] | None) -> int:
    """Where a cache resumes when all before ``offset`` is the same.

    Args:
        checkpoints: Positions in rising order at which it can; None for any.
    """
    if checkpoints is None:
        return offset
    place = bisect.bisect_right(checkpoints, offset)
    return checkpoints[place - 1] if place else 0
