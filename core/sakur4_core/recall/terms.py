"""What a text is found by: stems of its words, the names in it, and pairs of names.

Terms are plain strings. A name of several parts is the term ``_`` followed by its parts joined
by ``_``, so ``checkUser`` and ``check_user`` are the same; two names with a dot or a slash
between are the term ``.`` followed by both. Words hold neither, so the three never meet, and in
a sorted vocabulary all that begins alike stands together.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from sakur4_core.recall.stemming import stem
from sakur4_core.recall.stop_words import STOP_WORDS
from sakur4_core.words import LONGEST_NAME, UNSPACED_RUN, name_parts

NAME = re.compile(r"\w+")
# Two names joined as attributes, paths and qualified names are. Possessive, so that a word
# without a joint behind it is not tried again from each of its letters.
_JOINT = re.compile(r"(?<=\w)(?:[./\\]|::|->)(?=\w)")
_PAIR = re.compile(r"(\w++)(?:[./\\]|::|->)(?=(\w++))")

# A text beyond this says what it is about before it.
MAX_CHARS = 200_000


def document_terms(text: str) -> tuple[Counter[str], int]:
    """How often each term occurs in a text, and how many words the text has."""
    head = text[:MAX_CHARS]
    names = NAME.findall(head)
    found: Counter[str] = Counter()
    for name, count in Counter(names).items():
        for term in name_terms(name):
            found[term] += count
    for term in pair_terms(head):
        found[term] += 1
    return found, len(names)


def pair_terms(text: str) -> list[str]:
    """The terms of all names in a text that a dot, a slash or an arrow joins."""
    if _JOINT.search(text) is None:
        return []
    return [pair_term(left, right) for left, right in _PAIR.findall(text)]


@lru_cache(maxsize=1 << 16)
def name_terms(name: str) -> tuple[str, ...]:
    """The terms of one run of letters, digits and underscores."""
    if len(name) > LONGEST_NAME:
        return ()
    folded = name if name.isascii() else fold(name)
    terms: list[str] = []
    parts: list[str] = []
    for piece in folded.split("_"):
        if not piece:
            continue
        humps = name_parts(piece)
        parts.extend(humps)
        terms.extend(_word_terms(piece.lower()))
        if len(humps) > 1:
            for hump in humps:
                terms.extend(_word_terms(hump.lower()))
    if len(parts) > 1:
        terms.append(name_term(parts))
    return tuple(terms)


def name_term(parts: list[str] | tuple[str, ...]) -> str:
    """The term of a name of several parts."""
    return "_" + "_".join(parts).lower()


@lru_cache(maxsize=1 << 14)
def pair_term(left: str, right: str) -> str:
    """The term of two joined names."""
    return f".{spelling(left)}.{spelling(right)}"


def spelling(name: str) -> str:
    """A name's parts in lower case with underscores between, however it was written."""
    folded = name if name.isascii() else fold(name)
    parts = (hump for piece in folded.split("_") if piece for hump in name_parts(piece))
    return "_".join(parts).lower()


def fold(text: str) -> str:
    """``text`` without accents."""
    plain = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFKC", "".join(c for c in plain if not unicodedata.combining(c)))


def _word_terms(word: str) -> Iterator[str]:
    """The stem of a word that says something; pairs of characters where no spaces part words."""
    if word.isascii():
        if word not in STOP_WORDS:
            yield stem(word)
        return
    for run in UNSPACED_RUN.findall(word):
        yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))
    yield from (rest for rest in UNSPACED_RUN.split(word) if rest)
