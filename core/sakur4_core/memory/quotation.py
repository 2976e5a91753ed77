"""What other texts took over from one turn, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

# Words shorter than this, and those of letters alone, are anybody's.
LEAST_WORD = 6
# So many words in the same order are a quotation whatever they are.
PHRASE = 4

_WORD = re.compile(rf"[^\s\"'`=:,;(){{}}\[\]<>|…]{{{LEAST_WORD},}}")
_ANYBODYS = re.compile(r"[A-Z]?[a-z]+[.!?]*|[A-Z]+[.!?]*|[\d.,:/-]+")


class Quotation:
    """One turn's content, asked which pieces of another text come from it."""

    def __init__(self, content: str) -> None:
        self._line = " ".join(content.split())
        self._words = frozenset(self._line.split(" "))
        self._telling = frozenset(_telling(content))

    def pieces(self, text: str) -> Iterator[str]:
        """The telling words and the phrases of ``text`` that stand in the content too."""
        yield from self._telling.intersection(_telling(text))
        words = text.split()
        known = [word in self._words for word in words]
        for at in range(len(words) - PHRASE + 1):
            if all(known[at : at + PHRASE]):
                phrase = " ".join(words[at : at + PHRASE])
                if phrase in self._line:
                    yield phrase


def without_common(pieces: Iterable[str], others: Iterable[str]) -> frozenset[str]:
    """The pieces that none of the other texts holds: what can only come from this one."""
    left = set(pieces)
    for other in others:
        if not left:
            break
        line = " ".join(other.split())
        left = {piece for piece in left if piece not in line}
    return frozenset(left)


def _telling(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        if not _ANYBODYS.fullmatch(word):
            yield word.rstrip(".!?")
