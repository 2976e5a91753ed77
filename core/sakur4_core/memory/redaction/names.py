"""Names that tell of a secret, wherever they stand in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# The word by which a name is found, all of the name from there on, and the secret's type.
_WORDS = (
    ("pass", r"pass(?:w(?:or)?d|wort|phrase|code)?", "password"),
    ("pwd", "pwd", "password"),
    ("secret", r"secret(?:[_ -]?(?:access[_ -]?)?key)?", "secret"),
    ("token", "token", "token"),
    ("key", "key", "api-key"),
    ("cred", "cred(?:ential)?", "credential"),
    ("auth", "auth", "credential"),
    ("sig", "sig(?:nature)?", "signature"),
)
_NAMES = tuple(
    (word, re.compile(rf"(?P<word>{name})(?P<tail>s?[\w.-]{{0,40}})", re.ASCII), kind)
    for word, name, kind in _WORDS
)
# A last part that makes the name one of another thing: a password's hint, a token's count.
_OTHER_THING_WORDS = """
url uri link path file dir folder name names field label hint title text message prompt type kind
policy regex pattern length size count limit timeout expiry expires expired expire lifetime hash
hasher hashed digest algorithm method validator validation validate required visible enabled
disabled strength reset changed change input placeholder format encoding index column header
headers prefix suffix endpoint host port user provider manager service store storage class schema
version refresh rotation error errors usage budget cost price total used remaining limits
reference scope scopes model
"""
_OTHER_THING = tuple(_OTHER_THING_WORDS.split())
# Too short to tell by an ending alone: a part of their own.
_OTHER_PART_WORDS = """
id ids ttl age salt ring rings ref arn at in on by for from to is len min max fn cb no
"""
_OTHER_PART = frozenset(_OTHER_PART_WORDS.split())
# What stands before "key" in the name of one that opens something.
_OPENING = re.compile(
    r"(?:api|access|secret|private|account|encrypt(?:ion)?|sign(?:ing)?|master|auth|service"
    r"|storage|shared|consumer|app(?:lication)?|subscription|webhook|license|deploy|admin|server"
    r"|session|jwt|hmac|aes|functions?|instrumentation|root|write|host|openai|anthropic|stripe"
    r"|google|azure|aws|datadog|dd|twilio|sendgrid|mailgun|cloudflare|cf|heroku|algolia|sentry"
    r"|mapbox|gemini|mistral|cohere|groq)[_ .-]?\Z"
)
LONGEST_OPENING = 16
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_.-$"
# How far back a name and what is before it are looked at.
BEFORE = 96


@dataclass(frozen=True, slots=True)
class Name:
    """A telling name's place.

    Attributes:
        begin, end: All of the name; ``word`` is where its telling word begins.
        kind: The type of secret that it tells of.
        before: What stands before the name, in lower case.
    """

    begin: int
    word: int
    end: int
    kind: str
    before: str

    @property
    def of_password(self) -> bool:
        """Whether words may be the secret, not only random letters."""
        return self.kind == "password"

    @property
    def in_query(self) -> bool:
        """Whether it is a parameter's of a URL."""
        return self.before.endswith(("?", "&"))


def names(text: str, lower: str) -> Iterator[Name]:
    """The telling names of a shadow; ``lower`` is its lower case."""
    for word, pattern, kind in _NAMES:
        at = lower.find(word)
        while at >= 0:
            match = pattern.match(lower, at)
            if match and _goes_on(text, match):
                window = lower[max(0, at - BEFORE) : at]
                before = window.rstrip(_LETTERS)
                name = Name(at - len(window) + len(before), at, match.end(), kind, before)
                if _begins(text, window, word, match, name):
                    yield name
            at = lower.find(word, at + len(word))


def _goes_on(text: str, match: re.Match[str]) -> bool:
    """Whether the name is, after its word, still one of a secret."""
    tail, at = match["tail"], match.start("tail")
    if not tail or tail == "s":
        return True
    new_word = text[at - 1].islower() and text[at].isupper()
    if tail[0].isalpha() and not new_word and not re.match(r"s[\d_.-]", tail):
        return False
    return not (tail.endswith(_OTHER_THING) or re.split(r"[_.-]", tail)[-1] in _OTHER_PART)


def _begins(text: str, window: str, word: str, match: re.Match[str], name: Name) -> bool:
    """Whether the name is, before its word, one of a secret."""
    if name.in_query:
        return True
    if word == "key":
        return bool(_OPENING.search(window[-LONGEST_OPENING:]))
    if match["word"] in ("pass", "auth", "cred"):
        at = name.word
        return not window[-1:].isalpha() or (text[at - 1].islower() and text[at].isupper())
    return word != "sig"
