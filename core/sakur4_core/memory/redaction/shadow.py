"""A copy of a text, letter for letter as long, in which escapes look like what they stand for.

Secrets stand inside JSON strings, shell words, URLs, HTML and coloured output as often as in the
open. Detectors read the shadow and need to know no escapes; where they find something in it, it
stands at the same place of the text itself.
"""

from __future__ import annotations

import re

# Stands for every letter of an escaped quotation mark, so that it closes with its own kind only.
ESCAPED_QUOTE = "\x01"
# A quotation mark in a shadow.
QUOTE = rf"""(?:["'`]|{ESCAPED_QUOTE}+)"""

# As many backslashes as levels of quoting put there; a colour may itself be escaped.
_ESCAPE = re.compile(
    r"""\\\\{0,14}+(?:[nrt"']|(?:u001b|x1b|033|e)\[[0-9;]*m|u00[0-9a-fA-F]{2})"""
    r"""|%(?:20|0[9AaDd]|2[267]|3[ACDEacde])"""
    r"""|&(?:quot|apos|lt|gt|amp|\#3[49]|\#x2[27]);|\x1b\[[0-9;]*m"""
)
_ENTITIES = {
    "&quot;": '"',
    "&apos;": "'",
    "&lt;": "<",
    "&gt;": ">",
    "&amp;": "&",
    "&#34;": '"',
    "&#39;": "'",
    "&#x22;": '"',
    "&#x27;": "'",
}
_LETTERS = {"n": "\n", "r": "\n", "t": " ", '"': '"', "'": "'"}
_SHOWN = "=:&<>"


def shadow_of(text: str) -> str:
    """``text`` with each escape replaced by as many of the character that it stands for."""
    if not any(mark in text for mark in "\\%&\x1b"):
        return text
    return _ESCAPE.sub(_shown, text)


def lowered(text: str) -> str:
    """``text`` in lower case and as long as before; one letter alone would become two."""
    return (
        text.lower()
        if text.isascii()
        else text.replace("\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}", "i").lower()
    )


def _shown(match: re.Match[str]) -> str:
    escape = match[0]
    character = _meaning(escape)
    if character in ("\n", "\r"):
        return "\n" * len(escape)
    if character.isspace():
        return " " * len(escape)
    if character in "\"'":
        return ESCAPED_QUOTE * len(escape)
    return character * len(escape) if character in _SHOWN else escape


def _meaning(escape: str) -> str:
    if escape[0] == "%":
        return chr(int(escape[1:], 16))
    if escape[0] == "&":
        return _ENTITIES[escape]
    if escape[-1] == "m":
        return " "
    letters = escape.lstrip("\\")
    return _LETTERS.get(letters) or chr(int(letters[1:], 16))
