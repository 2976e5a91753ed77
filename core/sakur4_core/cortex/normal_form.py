"""Hashes of what a reader of the code would call a change, and of nothing else.

The normal form is the source's own text, edited at the places that the language's query
captured, and folded at once for the whole file:

- ``@comment`` and ``@dropped`` (optional brackets) are left out;
- ``@grouped`` expressions stand in parentheses, whether the source has them or not, so that
  redundant ones do not count and others do; a ``@short`` one is held by what its value should;
- ``@block`` is marked where indentation alone tells it, ``@ended`` where a semicolon is optional;
- the white space within ``@string`` is sealed, except in ``@code`` inside it; in ``@words`` all
  white space is alike;
- a ``@kept`` comma is no trailing comma.

Tests hold this to the syntax tree: see ``tests/core/cortex/languages``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from sakur4_core.cortex.languages.layout import (
    BLOCK_END,
    BLOCK_START,
    ENDED,
    FILL,
    GAP,
    KEPT_COMMA,
    LINE,
    MARK,
    SOFT_CLOSE,
    SOFT_OPEN,
    STRING_END,
    STRING_START,
    NormalRules,
    Pairs,
)

if TYPE_CHECKING:
    from tree_sitter import Node

Captures = Mapping[str, Sequence["Node"]]

# What is inserted, in the order in which it stands where several fall on one byte: ends of what
# lies further in come first, and the parts of two neighbours never mix.
_INSERTED = (b")", ENDED, MARK, BLOCK_END, BLOCK_START, MARK, b"(")
_GROUP_END, _ENDED, _MARK_END, _BLOCK_END, _BLOCK_START, _MARK_START, _GROUP_START = range(7)
_BITS = 3
_KIND = (1 << _BITS) - 1

_OWN = MARK + BLOCK_START + BLOCK_END + ENDED + SOFT_OPEN + SOFT_CLOSE + LINE + KEPT_COMMA
_OWN += STRING_START + STRING_END + FILL + GAP
_SEALED_FROM = b" \t\r\n\f\v,;()[]{}\\"
_SEALED_TO = bytes(range(0x11, 0x20))
_SEAL = bytes.maketrans(_SEALED_FROM, _SEALED_TO)
_FOREIGN = bytes.maketrans(_OWN + _SEALED_TO, b"\x7f" * len(_OWN + _SEALED_TO))
_SOFT = bytes.maketrans(SOFT_OPEN + SOFT_CLOSE, b"  ")
_BETWEEN_WORDS = re.compile(rb" (?<=[\w\x80-\xff] )(?=[\w\x80-\xff])")
_QUOTES = (b'"', b"'")
_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)
_OUTER_BREAK = re.compile(rb"\A\s*\n\s*|\s*\n\s*\Z")
_WHITE = re.compile(rb"\s+")


@dataclass(frozen=True, slots=True)
class NormalForm:
    """A file's normal form, and where in it each mark of the source stands.

    A piece of it is the same whatever stands in it or follows: the marks, which keep what they
    stand between from folding, are taken out, and at its end the ends of blocks, which a comment
    may part from the end of what holds them.
    """

    text: bytes
    marks: Mapping[int, int]
    pairs: Pairs

    def file(self) -> bytes:
        """All of it."""
        return self._piece(0, len(self.text)).strip(LINE + b";")

    def head(self, start: int, body: int) -> bytes:
        """From a definition's first byte to the first of its body."""
        marks = self.marks
        return self._piece(marks[start << _BITS | _MARK_START], marks[body << _BITS | _MARK_START])

    def whole(self, start: int, end: int) -> bytes:
        """From a definition's first byte to its end."""
        marks = self.marks
        piece = self._piece(marks[start << _BITS | _MARK_START], marks[end << _BITS | _MARK_END])
        return piece.rstrip(LINE + BLOCK_END)

    def _piece(self, start: int, end: int) -> bytes:
        piece = self.text[start:end].strip(MARK)
        return _paired(piece.replace(MARK, b""), self.pairs) if MARK in piece else piece


def normal_form(
    data: bytes,
    captures: Captures,
    rules: NormalRules,
    starts: Set[int],
    ends: Set[int],
) -> NormalForm:
    """The normal form of one file.

    Args:
        starts: Bytes at which something begins that a hash is asked of.
        ends: Bytes at which such a thing ends.
    """
    if len(data.translate(None, _OWN + _SEALED_TO)) < len(data):
        data = data.translate(_FOREIGN)
    marks = [byte << _BITS | _MARK_START for byte in starts]
    marks += [byte << _BITS | _MARK_END for byte in ends]
    marks.sort()
    text = _with_inserted(_edited(data, captures, rules), sorted(marks + _inserted(captures)))
    text = _folded(text, rules)
    lengths = accumulate(map(len, text.split(MARK)))
    places = (length + before for before, length in enumerate(lengths))
    return NormalForm(text, dict(zip(marks, places, strict=False)), rules.pairs)


def _inserted(captures: Captures) -> list[int]:
    """What the syntax tree adds, and where: byte and kind in one number."""
    blocks = captures.get("block", ())
    grouped = [(node.start_byte, node.end_byte) for node in captures.get("grouped", ())]
    for node in captures.get("short", ()):
        value, whole = node.child_by_field_name("value"), node.parent
        if value is not None and whole is not None:
            grouped.remove((node.start_byte, node.end_byte))
            grouped.append((value.start_byte, whole.end_byte))
    ended = {node.end_byte for node in captures.get("ended", ())}
    return [
        *[start << _BITS | _GROUP_START for start, _ in grouped],
        *[end << _BITS | _GROUP_END for _, end in grouped],
        *[node.start_byte << _BITS | _BLOCK_START for node in blocks],
        *[node.end_byte << _BITS | _BLOCK_END for node in blocks],
        *[byte << _BITS | _ENDED for byte in ended],
    ]


def _with_inserted(text: bytes, keys: Sequence[int]) -> bytes:
    bounds = [key >> _BITS for key in keys]
    pieces = [b""] * (2 * len(keys) + 1)
    pieces[::2] = [
        text[start:end] for start, end in zip([0, *bounds], [*bounds, len(text)], strict=True)
    ]
    pieces[1::2] = [_INSERTED[key & _KIND] for key in keys]
    return b"".join(pieces)


def _folded(text: bytes, rules: NormalRules) -> bytes:
    """White space gone where it only separates, and what is optional left out."""
    text = b" ".join(rules.layout(text).translate(_SOFT).split())
    text = _BETWEEN_WORDS.sub(GAP, text).translate(None, b" " + FILL)
    return _paired(text, rules.pairs)


def _paired(text: bytes, pairs: Pairs) -> bytes:
    for old, new in pairs:
        text = text.replace(old, new)
    return text


def _edited(data: bytes, captures: Captures, rules: NormalRules) -> bytes:
    """The source with its strings sealed and without its comments; of the same length."""
    text = bytearray(data)
    strings, code = captures.get("string", ()), captures.get("code", ())
    spans = [(node.start_byte, node.end_byte) for node in strings]
    if code:
        _seal_around(text, data, spans, code, rules)
    else:
        for start, end in spans:
            text[start:end] = _sealed(data[start:end], rules)
    for node in captures.get("words", ()):
        start, end = node.start_byte, node.end_byte
        piece = _WHITE.sub(b" ", _OUTER_BREAK.sub(b"", data[start:end])).translate(_SEAL)
        text[start:end] = piece + FILL * (end - start - len(piece))
    for node in captures.get("comment", ()):
        start, end = node.start_byte, node.end_byte
        line = b"\n" if b"\n" in data[start:end] else b" "
        text[start:end] = line + b" " * (end - start - 1)
    for node in captures.get("dropped", ()):
        start, end = node.start_byte, node.end_byte
        soft = {b"(": SOFT_OPEN, b")": SOFT_CLOSE}.get(data[start:end])
        text[start:end] = soft or b" " * (end - start)
    for node in captures.get("kept", ()):
        text[node.start_byte : node.end_byte] = KEPT_COMMA
    return bytes(text)


def _seal_around(
    text: bytearray,
    data: bytes,
    strings: Sequence[tuple[int, int]],
    code: Sequence[Node],
    rules: NormalRules,
) -> None:
    """Seal strings that hold code, from outside in, and open the code again."""
    inner = [(node.start_byte, node.end_byte) for node in code]
    order = [(start, -end, True) for start, end in strings]
    order += [(start, -end, False) for start, end in inner]
    for start, negative, is_string in sorted(order):
        piece = data[start:-negative]
        text[start:-negative] = _sealed(piece, rules) if is_string else piece


def _sealed(piece: bytes, rules: NormalRules) -> bytes:
    """A string literal whose white space and punctuation are its own; of the same length."""
    if rules.quotes is None:
        return piece.translate(_SEAL)
    if piece[:1] in _QUOTES and piece[:2] != piece[1:3] and b"\\" not in piece:
        return (STRING_START + piece[1:-1].translate(_SEAL) + STRING_END)[: len(piece)]
    opening = rules.quotes.match(piece)
    if opening is None:
        return piece.translate(_SEAL)
    prefix, quote = opening[1].lower(), len(opening[0]) - len(opening[1])
    content = piece[opening.end() : -quote]
    if b"\\" in content and b"r" not in prefix:
        content = _ESCAPE.sub(_without_needless_escape, content)
    filled = FILL * (quote - 1)
    mark = prefix.replace(b"u", FILL) + STRING_START + filled
    return (mark + content.translate(_SEAL) + filled + STRING_END)[: len(piece)]


def _without_needless_escape(match: re.Match[bytes]) -> bytes:
    return FILL + match[1] if match[1] in (b'"', b"'") else match[0]


def digest(token: bytes) -> str:
    """A short hash of a normal form."""
    return hashlib.blake2b(token, digest_size=10).hexdigest()
