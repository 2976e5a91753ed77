"""A query, understood: its words, names, phrases and paths, and nothing of FTS5's syntax."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sakur4_core.recall.stop_words import STOP_WORDS
from sakur4_core.words import UNSPACED_RUN, name_parts

# Beyond these a query is a document; its first words say what it is about.
MAX_CHARS = 20_000
MAX_TERMS = 64

_QUOTED = re.compile(r'"([^"\n]+)"|`([^`\n]+)`|“([^”\n]+)”')
_COMPOUND = re.compile(r"\w+(?:(?:[./\\:#-]|::|->)\w+)*")
_WORD = re.compile(r"[^\W_]+")
_EXTENSION = re.compile(r"\.[A-Za-z]\w{0,7}$")


@dataclass(frozen=True, slots=True)
class Term:
    """Words that stand next to each other; with ``prefix`` the last one may go on."""

    words: tuple[str, ...]
    prefix: bool = False

    @property
    def expression(self) -> str:
        """The term in FTS5's language. Words hold letters and digits only, so it is safe."""
        return f'"{" ".join(self.words)}"{" *" if self.prefix else ""}'


@dataclass(frozen=True, slots=True)
class Query:
    """What a query asks for.

    Attributes:
        text: The query as it was asked.
        terms: What to look for, words first, distinct, in order.
        names: The identifiers in it, lower case, as they were written.
        paths: What looks like a file's path, with forward slashes.
    """

    text: str
    terms: tuple[Term, ...]
    names: tuple[str, ...]
    paths: tuple[str, ...]


def parse(text: str) -> Query:
    """Understand ``text``; one without any word to look for has no terms."""
    head = text[:MAX_CHARS]
    words: dict[str, None] = {}
    phrases: dict[tuple[str, ...], None] = {}
    names: dict[str, None] = {}
    paths: dict[str, None] = {}
    for match in _COMPOUND.finditer(head):
        compound = match[0]
        parts = tuple(_parts(compound))
        words.update(dict.fromkeys(part for part in parts if part not in STOP_WORDS))
        if _is_path(compound):
            paths[compound.replace("\\", "/").lower()] = None
        if _is_name(compound):
            names[compound.lower()] = None
            phrases.update(dict.fromkeys(_spellings(compound)))
    for match in _QUOTED.finditer(head):
        quoted = tuple(word.lower() for word in _WORD.findall(match[1] or match[2] or match[3]))
        if len(quoted) > 1 and not all(word in STOP_WORDS for word in quoted):
            phrases[quoted] = None
    terms = [term for word in words for term in _word_terms(word)]
    # A search box holding one name is often a name half typed.
    if len(names) == 1 and len(head.split()) == 1 and words:
        terms.append(Term((next(reversed(words)),), prefix=True))
    terms.extend(Term(phrase) for phrase in phrases)
    return Query(text, tuple(dict.fromkeys(terms))[:MAX_TERMS], tuple(names), tuple(paths))


def _parts(compound: str) -> Iterator[str]:
    for word in _WORD.findall(compound):
        yield word.lower()
        humps = name_parts(word)
        if len(humps) > 1:
            yield from (hump.lower() for hump in humps)


def _is_path(compound: str) -> bool:
    return "/" in compound or "\\" in compound or _EXTENSION.search(compound) is not None


def _is_name(compound: str) -> bool:
    return len(_WORD.findall(compound)) > 1 or len(name_parts(compound)) > 1


def _spellings(compound: str) -> Iterator[tuple[str, ...]]:
    """A name as the index may hold it: ``check_user``, ``checkUser`` and ``checkuser``."""
    words = [word.lower() for word in _WORD.findall(compound)]
    humps = [hump.lower() for word in _WORD.findall(compound) for hump in name_parts(word)]
    for spelling in (words, humps):
        if len(spelling) > 1:
            yield tuple(spelling)
    if len(words) > 1 and "_" in compound:
        yield ("".join(words),)


def _word_terms(word: str) -> Iterator[Term]:
    """A word as it is; a run of a script without spaces as its pairs of characters."""
    runs = UNSPACED_RUN.findall(word)
    if not runs:
        yield Term((word,))
        return
    for run in runs:
        pairs = [tuple(run[at : at + 2]) for at in range(max(1, len(run) - 1))]
        yield from (Term(pair) for pair in pairs)
    yield from (Term((rest,)) for rest in UNSPACED_RUN.split(word) if rest)
