"""The words of a text: what the full-text index holds, and how identifiers fall apart.

The commit path imports this module, so it depends on nothing but ``re``. The index is
contentless: removing a row takes the very text that was put in, so ``search_text`` is a pure
function, and a change of its output needs a rebuild of the index.
"""

from __future__ import annotations

import re

# Longer runs of letters and digits are hashes and encoded data, not names.
LONGEST_NAME = 64

# Everything but ASCII letters and digits as a space: far quicker than a pattern over the text.
_NAMES_ALONE = bytes(
    byte if byte < 0x80 and chr(byte).isalnum() else ord(" ") for byte in range(0x100)
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Scripts written without spaces: kana, Han (with its extensions), Hangul, Thai.
_UNSPACED = (
    "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNSPACED_CHAR = re.compile(f"[{_UNSPACED}]")
UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")


def name_parts(name: str) -> tuple[str, ...]:
    """The words that the humps of a camelCase name mark; one where it has none.

    ``parseHTTPReply`` has the parts ``parse``, ``HTTP`` and ``Reply``. Underscores, dots and
    slashes need no help: the index's tokenizer splits there by itself.
    """
    return tuple(_HUMP.split(name))


def search_text(text: str) -> str:
    """``text`` as it is indexed: with the parts of its camelCase names after it.

    Characters of scripts without spaces stand alone, so that any run of them is found as a
    phrase. The text itself keeps its order, so that phrases of it are found too.
    """
    parts: dict[str, None] = {}
    for name in dict.fromkeys(text.encode("utf-8", "replace").translate(_NAMES_ALONE).split()):
        # Most have no capital, and so no hump.
        if name.islower() or len(name) > LONGEST_NAME:
            continue
        if not name[1:].islower() and not name.isupper():
            humps = name_parts(name.decode())
            if len(humps) > 1:
                parts.update(dict.fromkeys(humps))
    spaced = text if text.isascii() else _UNSPACED_CHAR.sub(r" \g<0> ", text)
    return f"{spaced}\n{' '.join(parts)}" if parts else spaced
