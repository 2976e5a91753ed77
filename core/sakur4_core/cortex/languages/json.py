"""JSON: its keys to the second level."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sakur4_core.cortex.languages.declared import declared
from sakur4_core.cortex.languages.language import Declared

MAX_DEPTH = 2
MAX_CHARACTERS = 500_000
"""Read of one file; what only stands further down is not found."""

_TOKEN = re.compile(
    r'"(?P<string>(?:[^"\\]|\\.)*)"(?P<colon>\s*:\s*(?P<value>"(?:[^"\\]|\\.)*"|[^\s,{}\[\]]+)?)?'
    r"|[{}\[\]]|//[^\n]*"
)


def keys(text: str) -> Iterator[Declared]:
    """Keys of objects within objects; what stands in lists is passed over."""
    path: list[str] = []
    closers: list[str] = []
    line, at, key = 1, 0, ""
    for token in _TOKEN.finditer(text[:MAX_CHARACTERS]):
        mark = token[0]
        if mark == "{":
            closers.append("}" if key or not closers else "]")
            path.append(key)
            key = ""
        elif mark == "[":
            closers.append("]")
            path.append(key)
            key = ""
        elif mark in ("}", "]"):
            if path:
                path.pop()
                closers.pop()
            key = ""
        elif token["colon"] is not None and "]" not in closers and len(path) <= MAX_DEPTH:
            line += text.count("\n", at, token.start())
            at = token.start()
            key = token["string"]
            yield Declared(".".join((*path[1:], key)), token["value"], line, line)
        elif token["colon"] is not None:
            key = token["string"]


JSON = declared("json", (".json", ".jsonc", ".json5"), keys)
