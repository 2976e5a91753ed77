"""Paths as git writes them: quoted like C strings where they hold unusual characters."""

from __future__ import annotations

import re

_ESCAPE = re.compile(rb"\\(?:([0-7]{3})|(.))")
_LETTERS = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
}


def unquote(path: str) -> str:
    """The path itself; bytes that are no UTF-8 become U+FFFD."""
    if len(path) < 2 or path[0] != '"' or path[-1] != '"':
        return path
    inner = path[1:-1].encode("utf-8", "replace")
    return _ESCAPE.sub(_unescape, inner).decode("utf-8", "replace")


def _unescape(match: re.Match[bytes]) -> bytes:
    if match[1]:
        return bytes([int(match[1], 8) & 0xFF])
    return _LETTERS.get(match[2], match[2])
