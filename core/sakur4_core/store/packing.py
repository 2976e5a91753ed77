"""What a parser's process hands to the writer, and how lists are packed into one value.

It imports no database, so that a process which only parses starts quickly.
"""

from __future__ import annotations

import json
import struct
import sys
import zlib
from array import array
from collections.abc import Iterable
from typing import Any, NamedTuple

EDGE_KINDS = ("calls", "imports", "inherits", "references")
CONFIDENCES = ("exact", "probable", "unresolved")
_HOW = {
    (kind, confidence): EDGE_KINDS.index(kind) + 4 * CONFIDENCES.index(confidence)
    for kind in EDGE_KINDS
    for confidence in CONFIDENCES
}
# Numbers that one use takes in a packed row of edges, and their size in bytes.
NUMBERS_A_USE = 3
BYTES_A_USE = 4 * NUMBERS_A_USE


class CodeFact(NamedTuple):
    """A fact of code as it is written: the columns of ``fact``, and its last name."""

    fact_id: str
    kind: str
    qualified_name: str
    file_path: str
    line_start: int
    line_end: int
    signature: str
    value: str | None
    interface_hash: str
    body_hash: str
    name: str
    source: str


class Words(NamedTuple):
    """The words of one file: of its path, and by definition.

    Attributes:
        folder, file: Of the folders it stands in, and of its own name.
        passages: The index of a definition and the words of its lines, the module's first.
        aside: Whether the file is ranked below what it is about.
    """

    folder: str
    file: str
    passages: tuple[tuple[int, str], ...]
    aside: bool


class Use(NamedTuple):
    """One use of a fact: in which definition, on which line, and how.

    Attributes:
        source: The row of the definition that uses it.
        how: The kind and the confidence, see :func:`how`.
        seen: The surface that the source saw, see :func:`seen_mark`; 0 where not known.
    """

    source: int
    line: int
    how: int
    seen: int


def pack(value: Any) -> bytes:
    """JSON, compressed."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 3)


def unpack(blob: bytes) -> Any:
    """The inverse of :func:`pack`."""
    return json.loads(zlib.decompress(blob).decode("utf-8", "surrogatepass"))


def pack_numbers(numbers: Iterable[int]) -> bytes:
    """Numbers of 32 bits, the same bytes on every machine."""
    packed = array("I", numbers)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def numbers(blob: bytes) -> array[int]:
    """The inverse of :func:`pack_numbers`."""
    unpacked = array("I", blob)
    if sys.byteorder == "big":
        unpacked.byteswap()
    return unpacked


def name_mark(name: str) -> int:
    """The number that stands for a name in a list; two names may share one."""
    return zlib.crc32(name.encode("utf-8", "surrogatepass"))


def seen_mark(interface_hash: str | None) -> int:
    """The number that stands for a surface: never 0, which means that none was seen."""
    return zlib.crc32(interface_hash.encode()) or 1 if interface_hash else 0


def how(kind: str, confidence: str) -> int:
    """The number that stands for a kind of edge and how certain it is; below 16."""
    return _HOW[kind, confidence]


def pack_edges(found: Iterable[Use]) -> bytes:
    """The uses of one fact in one file."""
    flat: list[int] = []
    for use in found:
        flat += (use.source, use.line << 4 | use.how, use.seen)
    return struct.pack(f"<{len(flat)}I", *flat)


def edges_in(blob: bytes) -> list[Use]:
    """The inverse of :func:`pack_edges`."""
    return [
        Use(source, line >> 4, line & 15, seen)
        for source, line, seen in struct.iter_unpack(f"<{NUMBERS_A_USE}I", blob)
    ]
