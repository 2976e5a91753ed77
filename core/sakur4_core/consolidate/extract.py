"""A summary made of the text's own sentences: nothing in it was not said.

Sentences are chosen one after the other: each time the one that adds most for its tokens. What it
adds is what it is worth by itself (:mod:`worth`), less for what the chosen ones say already and
for lines whose like stand all over the text.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple

from sakur4_core.consolidate.sentences import Sentence, is_prose, split
from sakur4_core.consolidate.worth import worth
from sakur4_core.words import UNSPACED_RUN

# Tokens that a sentence costs beyond its own, in two tries: without them scraps would always win.
OVERHEADS: Final = (20, 200)
# Less than this is not worth a line, even where there is room for it.
LEAST: Final = 0.6
# The first sentence of prose says what it is about, the last what came of it.
EDGE: Final = 0.3
# What is left of a sentence that repeats only what was chosen before.
REPEATED: Final = 0.1
# A name or a number tells two sentences apart sooner than a word does.
TELLING: Final = 2.0
# So many lines of one shape are a log or a listing, and one of them shows what it is like.
USUAL: Final = 3
# So many sentences in a row that did not fit, and the room left is taken to be too small.
MISFITS: Final = 64
# Characters of a token, roughly: an order of sentences needs no exact count of each.
TOKEN_CHARS: Final = 4

_TERM: Final = re.compile(r"[^\W_]+(?:[._-][^\W_]+)*+")
_DIGITS: Final = re.compile(r"\d+")
_HEX: Final = re.compile(r"\b[0-9a-f]{6,64}\b")
_TELLS: Final = re.compile(r"[\d_.]")
_SHORT_WORD: Final = 3


class _Candidate(NamedTuple):
    sentence: Sentence
    value: float
    terms: frozenset[str]


def summarise(
    text: str,
    *,
    count: Callable[[str], int],
    most: int,
    novel: Callable[[str], float] | None = None,
) -> str | None:
    """The sentences of ``text`` most worth keeping, in its order, each verbatim on its own line.

    Args:
        count: Tokens in a text.
        most: Tokens that the summary may have.
        novel: How much of a sentence is not known from elsewhere, 0 to 1.

    Returns:
        None where nothing is worth keeping, or what is would not be shorter than the text.
    """
    most = min(most, count(text) - 1)
    chosen = _choose(_candidates(text, novel), count, most)
    while chosen:
        summary = "\n".join(one.text for one in sorted(chosen, key=lambda one: one.start))
        # A counter may take the joined text for more than its parts.
        if count(summary) <= most:
            return summary
        chosen.pop()
    return None


def _candidates(text: str, novel: Callable[[str], float] | None) -> list[_Candidate]:
    """The sentences worth a line, each wording once."""
    sentences = split(text)
    shapes = Counter(_shape(sentence.text) for sentence in sentences)
    edges = _edges(sentences)
    known: set[str] = set()
    found = []
    for place, sentence in enumerate(sentences):
        wording = " ".join(sentence.text.split()).casefold()
        if wording in known:
            continue
        known.add(wording)
        value = worth(sentence.text) * (1 + EDGE * (place in edges))
        value *= min(1.0, USUAL / shapes[_shape(sentence.text)])
        if novel is not None and value >= LEAST:
            value *= min(1.0, max(0.0, novel(sentence.text)))
        if value >= LEAST:
            found.append(_Candidate(sentence, value, _terms(sentence.text)))
    return found


def _choose(
    candidates: list[_Candidate], count: Callable[[str], int], most: int
) -> list[Sentence]:
    """The better of two choices. Scraps can fill a small room that one fact would have filled
    better, and one long sentence a room for three; which it is shows only in the sum."""
    choices = (_greedy(candidates, count, most, overhead) for overhead in OVERHEADS)
    return max(choices, key=lambda choice: choice[0])[1]


def _greedy(
    candidates: list[_Candidate], count: Callable[[str], int], most: int, overhead: int
) -> tuple[float, list[Sentence]]:
    """What is chosen when each time the sentence is that adds most for its cost, and its worth.

    What a sentence adds only sinks as others are chosen, so the heap's old figures are upper
    bounds, and only the top one is ever computed anew.
    """
    costs = [overhead + _size(one.sentence.text) / TOKEN_CHARS for one in candidates]
    heap = [(-one.value / costs[place], place) for place, one in enumerate(candidates)]
    heapq.heapify(heap)
    chosen: list[Sentence] = []
    said: set[str] = set()
    total, left, misfits = 0.0, most, 0
    while heap and left > 0 and misfits < MISFITS:
        _, place = heapq.heappop(heap)
        one = candidates[place]
        value = one.value * _new(one.terms, said)
        if value < LEAST:
            continue
        if heap and (gain := -value / costs[place]) > heap[0][0]:
            heapq.heappush(heap, (gain, place))
            continue
        tokens = count(one.sentence.text) + bool(chosen)
        if tokens > left:
            misfits += 1
            continue
        total, left, misfits = total + value, left - tokens, 0
        chosen.append(one.sentence)
        said |= one.terms
    return total, chosen


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _new(terms: frozenset[str], said: set[str]) -> float:
    """How much of a sentence is not said yet, from ``REPEATED`` to 1."""
    if not terms:
        return REPEATED
    total = sum(map(_weight, terms))
    fresh = sum(_weight(term) for term in terms if term not in said)
    # The root: half of the words new is a new thing said of the same subject.
    return float(REPEATED + (1 - REPEATED) * (fresh / total) ** 0.5)


def _weight(term: str) -> float:
    return TELLING if _TELLS.search(term) else 1.0


def _terms(sentence: str) -> frozenset[str]:
    """The words that carry what a sentence says; scripts without spaces by pairs."""
    lower = sentence.casefold()
    terms = {
        term for term in _TERM.findall(lower) if len(term) > _SHORT_WORD or not term.isalpha()
    }
    for run in UNSPACED_RUN.findall(lower):
        terms.update(run[at : at + 2] for at in range(len(run) - 1))
    return frozenset(terms)


def _shape(sentence: str) -> str:
    """A line without its numbers, which is what the lines of a log have in common."""
    return _DIGITS.sub("0", _HEX.sub("0", sentence))


def _edges(sentences: list[Sentence]) -> frozenset[int]:
    """Places of the first and the last sentence of prose."""
    prose = [place for place, one in enumerate(sentences) if is_prose(one.text)]
    return frozenset((prose[0], prose[-1])) if prose else frozenset()
