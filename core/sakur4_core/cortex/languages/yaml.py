"""YAML: its keys to the second level."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sakur4_core.cortex.languages.declared import declared, line_starts
from sakur4_core.cortex.languages.language import Declared

MAX_DEPTH = 2

_KEY = re.compile(r"(?P<indent> *)(?P<name>[\w./@$\"'][\w ./@$\"'-]*?)\s*:(?:\s+(?P<value>.*))?$")
_LONG_STRING = re.compile(r"[|>][+-]?\d*\s*(?:#.*)?$")


def keys(text: str) -> Iterator[Declared]:
    """Keys under the key above them; lists and long strings are passed over."""
    above: list[tuple[int, str]] = []
    string_below: int | None = None
    for number, line in line_starts(text):
        indent = len(line) - len(line.lstrip(" "))
        if string_below is not None and (not line.strip() or indent > string_below):
            continue
        string_below = None
        match = _KEY.match(line)
        if match is None:
            continue
        above = [*((depth, name) for depth, name in above if depth < indent)]
        above.append((indent, match["name"].strip("\"'")))
        value = match["value"] or None
        if value is not None and _LONG_STRING.match(value):
            string_below, value = indent, None
        if len(above) <= MAX_DEPTH:
            yield Declared(".".join(name for _, name in above), value, number, number)


YAML = declared("yaml", (".yaml", ".yml"), keys)
