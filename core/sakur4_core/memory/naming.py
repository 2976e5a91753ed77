"""Which words of a text are names of code, as people and agents write them."""

from __future__ import annotations

import re
from typing import Final

from sakur4_core.words import LONGEST_NAME, name_parts

_PART: Final = rf"[A-Za-z_$][\w$]{{0,{LONGEST_NAME - 1}}}"
# The lookbehind keeps a run of word characters from being tried at each of its places.
_NAME: Final = re.compile(rf"(?<![\w$.])({_PART}(?:(?:\.|::|#){_PART}){{0,8}})(\(?)")
_SEPARATOR: Final = re.compile(r"::|#")
_CODE: Final = re.compile(r"`([^`\n]{1,200})`")
# A text that names more is a listing; what it says rests on none of them in particular.
MOST_NAMES: Final = 200


def names_in(text: str) -> list[str]:
    """The names in ``text``, in their order and once each, with dots between their parts.

    A word is a name if it is written like one: with an underscore, a dot or a hump within it,
    before a parenthesis, or between backticks. Other words may mean anything.
    """
    quoted = {name for code in _CODE.findall(text) for name, _ in _NAME.findall(code)}
    found: dict[str, None] = {}
    for name, opens in _NAME.findall(text):
        if opens or name in quoted or _looks_like_code(name):
            found[_SEPARATOR.sub(".", name)] = None
            if len(found) == MOST_NAMES:
                break
    return list(found)


def _looks_like_code(name: str) -> bool:
    inner = name.strip("_")
    if "_" in inner or "." in name or "::" in name or "#" in name:
        return True
    return not name.isupper() and len(name_parts(name)) > 1
