"""TOML: its tables and the keys of each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sakur4_core.cortex.languages.declared import declared, line_starts
from sakur4_core.cortex.languages.language import Declared

_TABLE = re.compile(r"\s*\[\[?\s*(?P<name>[^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*(?P<name>[A-Za-z0-9_.\"'-]+)\s*=\s*(?P<value>.*)$")
_QUOTES = ('"""', "'''")


def keys(text: str) -> Iterator[Declared]:
    """Tables, and keys under their table's name; what stands inside a long string is none."""
    table, closing = "", ""
    for number, line in line_starts(text):
        if closing:
            closing = "" if closing in line else closing
            continue
        header, key = _TABLE.match(line), _KEY.match(line)
        if header is not None:
            table = header["name"]
            yield Declared(table, None, number, number)
        elif key is not None:
            name = key["name"] if not table else f"{table}.{key['name']}"
            closing = next((quote for quote in _QUOTES if line.count(quote) % 2), "")
            yield Declared(name, None if closing else key["value"], number, number)


TOML = declared("toml", (".toml",), keys)
