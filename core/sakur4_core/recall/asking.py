"""What a query asks an index of turns for: terms, each with the postings that answer it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sakur4_core.recall.bm25 import Weighted
from sakur4_core.recall.postings import Postings, total
from sakur4_core.recall.query import MAX_CHARS, MAX_TERMS
from sakur4_core.recall.terms import NAME, name_terms, pair_terms, spelling

# Two to so many words of a query in a row may be the words of one name.
LONGEST_NAME_WORDS = 5
# In a document nobody spells a name out; only the first words are tried.
TRIED_WORDS = 24
# A word that nothing holds stands for what begins with it; so many terms at most.
RESCUED = 48
SHORTEST_PREFIX = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """The postings behind a query: of its words, then of the names and pairs in it."""

    words: tuple[Weighted, ...]
    names: tuple[Weighted, ...]

    @property
    def all(self) -> tuple[Weighted, ...]:
        """Words and names together."""
        return self.words + self.names


def ask(postings: Postings, text: str) -> Asked:
    """Look a query's terms up."""
    head = text[:MAX_CHARS]
    written = NAME.findall(head)[: 4 * MAX_TERMS]
    words: dict[str, None] = {}
    names: dict[str, None] = {}
    for name in written:
        for term in name_terms(name):
            (names if term[0] == "_" else words)[term] = None
    names.update(dict.fromkeys(pair_terms(head)[:MAX_TERMS]))
    names.update(dict.fromkeys(_spelled_out(postings, written)))
    found_words = _found(postings, list(words)[:MAX_TERMS])
    found_names = _found(postings, list(names)[:MAX_TERMS])
    if len(head.split()) == 1 and len(written) == 1:
        found_names = (*found_names, *_half_typed(postings, written[0]))
    return Asked(found_words, found_names)


def _spelled_out(postings: Postings, written: list[str]) -> Iterable[str]:
    """Names that stand in the query as separate words: ``check user`` for ``check_user``."""
    words = [spelling(name) for name in written[:TRIED_WORDS]]
    for size in range(2, LONGEST_NAME_WORDS + 1):
        for start in range(len(words) - size + 1):
            term = "_" + "_".join(words[start : start + size])
            if postings.holds(term):
                yield term


def _found(postings: Postings, terms: Iterable[str]) -> tuple[Weighted, ...]:
    found = []
    for term in terms:
        packed = postings.of(term)
        if not len(packed) and len(term) >= SHORTEST_PREFIX:
            longer = postings.beginning(term, RESCUED)
            if longer:
                packed = total(postings.of(other) for other in longer)
        if len(packed):
            found.append(Weighted(packed))
    return tuple(found)


def _half_typed(postings: Postings, name: str) -> tuple[Weighted, ...]:
    """The names that begin as the query does, when it is one word and nothing else."""
    start = "_" + spelling(name)
    names = postings.beginning(f"{start}_", RESCUED) if name.endswith("_") else ()
    names = names or postings.beginning(start, RESCUED)
    if not names or len(start) <= SHORTEST_PREFIX:
        return ()
    return (Weighted(total(postings.of(term) for term in names)),)
