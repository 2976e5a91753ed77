"""Stems of English words: Porter's algorithm of 1980, the one behind FTS5's tokenizer."""

from __future__ import annotations

import re
from functools import lru_cache

# Longer words and words with digits are names, hashes and figures; they have no endings.
LONGEST = 24

_VOWEL = re.compile(r"[aeiou]|(?<=[^aeiou])y")
_DOUBLE = re.compile(r"([^aeioulsz])\1$")
_VOWELS = frozenset("aeiou")

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize",
    "abli": "able", "bli": "ble", "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous",
    "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al", "iveness": "ive",
    "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
    "logi": "log",
}  # fmt: skip
_STEP_3 = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


def _ending(endings: tuple[str, ...] | dict[str, str]) -> re.Pattern[str]:
    longest_first = sorted(endings, key=len, reverse=True)
    return re.compile(f"(?:{'|'.join(longest_first)})$")


_ENDS_2, _ENDS_3, _ENDS_4 = _ending(_STEP_2), _ending(_STEP_3), _ending(_STEP_4)


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """The stem of a word in lower case; other words than plain English ones as they are."""
    if not 2 < len(word) <= LONGEST or not word.isascii() or not word.isalpha():
        return word
    word = _participle(_plural(word))
    if word.endswith("y") and _VOWEL.search(word[:-1]):
        word = f"{word[:-1]}i"
    word = _swap(word, _ENDS_2, _STEP_2)
    word = _swap(word, _ENDS_3, _STEP_3)
    return _final(_suffix(word))


def _shape(part: str) -> str:
    """Its letters as ``v`` and ``c``; y is a vowel after a consonant, which may itself be a y."""
    kinds, consonant = [], False
    for letter in part:
        consonant = letter not in _VOWELS and not (letter == "y" and consonant)
        kinds.append("c" if consonant else "v")
    return "".join(kinds)


def _measure(part: str) -> int:
    """How many times vowels are followed by consonants."""
    return _shape(part).count("vc")


def _is_short(part: str) -> bool:
    """Whether it ends in consonant, vowel, consonant, the last of them none of w, x and y."""
    return part[-1] not in "wxy" and _shape(part).endswith("cvc")


def _plural(word: str) -> str:
    # An ending that is the whole word is none.
    if word not in ("sses", "ies") and word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _participle(word: str) -> str:
    if word.endswith("eed") and word != "eed":
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        part = word[: -len(ending)]
        if word.endswith(ending) and _VOWEL.search(part):
            if part.endswith(("at", "bl", "iz")) or (_measure(part) == 1 and _is_short(part)):
                return f"{part}e"
            return part[:-1] if _DOUBLE.search(part) else part
    return word


def _swap(word: str, ends: re.Pattern[str], into: dict[str, str]) -> str:
    match = ends.search(word)
    if match is None or not _measure(word[: match.start()]):
        return word
    return word[: match.start()] + into[match[0]]


def _suffix(word: str) -> str:
    match = _ENDS_4.search(word)
    if match is None:
        return word
    part = word[: match.start()]
    if match[0] == "ion" and not part.endswith(("s", "t")):
        return word
    return part if _measure(part) > 1 else word


def _final(word: str) -> str:
    if word.endswith("e"):
        part = word[:-1]
        measure = _measure(part)
        if measure > 1 or (measure == 1 and not _is_short(part)):
            word = part
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
