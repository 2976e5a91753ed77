"""Whether a value beside a telling name is a secret, or a stand-in for one."""

from __future__ import annotations

import re

# Words that documentation, types and forms put where a secret would stand.
_STAND_IN_WORDS = """
a an the my your our his any some new old current previous next this that here there
enter insert add put set get change changeme replace replaceme update provide choose type paste
me it in on of to for with from is and or not no yes null nil none undefined true false
string str text bytes byte bool boolean int integer number float object array any secretstr
value val key keys token tokens secret secrets password passwd pass pwd passphrase passcode
api apikey access private public client app auth bearer basic jwt oauth id uuid hash
user username login admin account email name default example examples sample demo dummy fake
mock test tests testing todo fixme placeholder redacted masked hidden omitted removed
confidential required optional invalid incorrect wrong missing empty mandatory encrypted
forgot forgotten reset confirm confirmation repeat verify show hide toggle label hint error
message field input foo bar baz qux foobar xxx abc somepassword mypassword yourpassword
service session cookie csrf refresh hashed plaintext plain
must should be at least most too short long do does match characters letters digits
"""
_STAND_INS = frozenset(_STAND_IN_WORDS.split())
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# $NAME, ${...}, $(...), {{...}}, {name}, %(name)s, %s, <...>, #{...}, !tag, @name@, scheme:...
_TEMPLATE = re.compile(
    r"\$[A-Za-z_]\w*$|\$env:|[$#%@]?\{|\$\(|%\(|%[sdrv]$|<|![A-Za-z]+\b|@\w+@$|\*+$|\.\.\.|…"
    r"|(?:env|vault|op|ref|secret|secrets|ssm|arn|file|sops|kms|ENC)[:(\[]"
)
# Code: a member of something, a call or an element, a type, a place on the disk.
_MEMBER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+$")
_CALL = re.compile(r"&?[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*[(\[]")
_TYPE = re.compile(r"(?:u?int|float|string|bytes|char|varchar|utf|base|sha|md|argon|scrypt)-?\d*$")
_PATH = re.compile(r"(?:[A-Za-z]:|~|\.{1,2})?[/\\](?:[\w.@%+-]+[/\\])*[\w.@%-]*[a-z]{3}[\w.@%-]*$")
# ``string?``, ``user&pass``: names, joined or marked, are no password where code may stand.
_NAMES_ONLY = re.compile(r"[A-Za-z_]+(?:[+&*?!@][A-Za-z_.]*)*")
_NO_LETTER = re.compile(r"[0-9!@#$%^&*+~?]")
_DIGIT, _LETTER = re.compile("[0-9]"), re.compile("[A-Za-z]")
# A capital that begins a word is no change of its own.
_CHANGE = re.compile("(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_OPAQUE = re.compile(r"[A-Za-z0-9_+/=.~:%!@#$^&*|-]+")

# A secret shows in its first letters.
MOST_JUDGED = 96
LEAST_PASSWORD = 6
LEAST_PLAIN_PASSWORD = 8
MOST_WORDS = 8
LEAST_KEY = 10
LEAST_WITHOUT_DIGITS = 24
# Changes between capital, small letter and digit, a letter: names in camelCase stay below,
# random base62 has about 0.4 and hexadecimal 0.47.
LEAST_CHANGES = 0.2


def stands_in(value: str) -> bool:
    """Whether a value names a secret instead of being one: a template, a mask, ``changeme``."""
    if "[redacted:" in value or _TEMPLATE.match(value):
        return True
    value = value[:MOST_JUDGED]
    words = _WORD.findall(value)
    letters = "".join(words).casefold()
    if len(set(letters)) <= 2:
        return True
    return all(_plain(word) for word in words)


def _plain(word: str) -> bool:
    word = word.casefold()
    return word in _STAND_INS or len(set(word)) == 1 or word in ("123", "1234", "12345")


def is_reference(value: str) -> bool:
    """Whether an unquoted value is code: a member, a call, an element, a type or a path."""
    return bool(
        _MEMBER.match(value) or _CALL.match(value) or _TYPE.match(value) or _PATH.match(value)
    )


def is_random(value: str, least: int = LEAST_KEY) -> bool:
    """Whether a value looks drawn by lot: no words, and digits among its letters."""
    value = value[:MOST_JUDGED]
    if len(value) < least or not _OPAQUE.fullmatch(value) or stands_in(value):
        return False
    digits, letters = len(_DIGIT.findall(value)), len(_LETTER.findall(value))
    if not letters or not (digits or letters >= LEAST_WITHOUT_DIGITS):
        return False
    return len(_CHANGE.findall(value)) >= (digits + letters) * LEAST_CHANGES


def is_password(value: str, *, sure: bool) -> bool:
    """Whether a value beside a password's name is one.

    Args:
        sure: The value is quoted or a shell's, so it cannot be a name in a program.
    """
    if len(value) < LEAST_PASSWORD or stands_in(value) or _PATH.match(value):
        return False
    if any(character.isspace() for character in value):
        return _is_phrase(value)
    if sure:
        return not value.isalpha() or len(value) >= LEAST_PLAIN_PASSWORD
    if is_reference(value) or _NAMES_ONLY.fullmatch(value):
        return False
    return any(mark.isalpha() for mark in value) and bool(_NO_LETTER.search(value))


def _is_phrase(value: str) -> bool:
    """Whether words in quotation marks are a pass phrase, not a sentence about one."""
    words = value.split()
    if len(words) > MOST_WORDS or any(_plain(word) for word in _WORD.findall(value)):
        return False
    if any(character.isdigit() for character in value):
        return True
    return len(words) >= 4 and value.replace(" ", "").islower()
