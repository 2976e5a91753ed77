"""What a query asks for: weighted words, and names that may be spelt as code spells them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from sakur4_core.words import name_parts, search_text

# Beyond these a query is a document; its weightiest words say what it is about.
MAX_WORDS = 48
MAX_NAMES = 64
MAX_CHARS = 20_000
# The first line of a request or a message says more than what follows.
LATER_WEIGHT = 0.5

_NAME = re.compile(r"[^\W\d]\w*")
# The shortest beginning that leaves an ending, so that the longest ending goes.
_LONG_ENDING = re.compile(
    r"(\w{4,}?)(?:ations?|at(?:ed?|es|ing|ors?)|i(?:ngly|ons?|ng|ves?)|edly|ments?|able)"
)
_ENDING = re.compile(r"(\w{3,}?)(?:e|es|ed|ers?|ly|s)")
_STOP_WORDS = """
a add added adding adds allow allows also an and any are as at be been before being but by can
change changed changes could did do does doing done don each either else ensure even fix fixed
fixes fixing for from get gets got had has have having he her here him his how i if in instead
into is it its just let make makes may me might more most must my need needs new no nor not now
of off on once one only or other our out over own please remove removed removes same see she
should since so some still such than that the their them then there these they this those through
to too under until up upon us use used uses using very via was we were what when where which
while who why will with within without would you your
"""
STOP = frozenset(_STOP_WORDS.split())


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a query, for all its forms.

    Attributes:
        text: Its first form, lower case, as the full-text index is asked for it.
        weight: 1 for a word that stands once, in the first line.
    """

    text: str
    stem: str
    weight: float

    @property
    def phrase(self) -> str:
        """The word in FTS5's language: letters, digits and spaces in quotes."""
        return f'"{self.text}"'


@dataclass(frozen=True, slots=True)
class Query:
    """What a query asks for.

    Attributes:
        words: The weightiest first.
        names: Each name as it is spelt, and the weight of where it stands.
    """

    words: tuple[Word, ...]
    names: tuple[tuple[str, float], ...]

    @classmethod
    def of(cls, text: str) -> Query:
        """Read free text; ``check_user`` and ``parseReply`` give their parts as words too."""
        forms: dict[str, str] = {}
        counts: dict[str, int] = {}
        places: dict[str, float] = {}
        names: dict[str, float] = {}
        for number, line in enumerate(text[:MAX_CHARS].strip().splitlines()):
            place = LATER_WEIGHT if number else 1.0
            for name in _NAME.findall(line):
                if len(name) > 1 and name.lower() not in STOP:
                    names.setdefault(name, place)
                for word in parts_of(name):
                    key = stem(word)
                    if word in STOP or len(word) < 2:
                        continue
                    forms.setdefault(key, word)
                    places.setdefault(key, place)
                    counts[key] = counts.get(key, 0) + 1
        words = [
            Word(forms[key], key, round(places[key] * (1 + math.log(count)), 6))
            for key, count in counts.items()
        ]
        words.sort(key=lambda word: -word.weight)
        return cls(tuple(words[:MAX_WORDS]), tuple(names.items())[:MAX_NAMES])

    @property
    def stems(self) -> dict[str, Word]:
        """The words by their stems."""
        return {word.stem: word for word in self.words}


def parts_of(name: str) -> list[str]:
    """The words in a name, lower case; a camelCase name as a whole is one of them too."""
    found: list[str] = []
    for piece in name.split("_"):
        humps = name_parts(piece)
        whole = piece if len(humps) == 1 else " ".join(humps)
        found += search_text(whole).partition("\n")[0].lower().split() if piece else []
        if len(humps) > 1:
            found.append(piece.lower())
    return found


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word without its endings, so that ``encoding`` and ``encoder`` are the same word.

    Coarser than the index's own stemmer; it compares names of definitions with a query's words.
    """
    while found := _LONG_ENDING.fullmatch(word) or _ENDING.fullmatch(word):
        word = found[1]
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


@lru_cache(maxsize=50_000)
def stems_of(name: str) -> frozenset[str]:
    """The stems of the words in a name, dotted or not."""
    return frozenset(stem(part) for piece in _NAME.findall(name) for part in parts_of(piece))
