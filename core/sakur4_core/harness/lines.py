"""Bytes of a growing file as whole lines.

Lines end at the byte ``\\n`` and nowhere else. A last line without its end is held back while it
may still be written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sakur4_core.harness.records import Skipped

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its number from 1, the offset behind it, and its bytes without the end."""

    number: int
    end: int
    data: bytes


class LineSplitter:
    """Turns chunks into lines; knows where the last whole line ended.

    Args:
        offset: Bytes of the file before the first chunk.
        number: Lines before it.
    """

    def __init__(self, offset: int = 0, number: int = 0) -> None:
        self.offset = offset
        self.number = number
        self._pieces: list[bytes] = []

    @property
    def pending(self) -> bytes:
        """What has come after the last line's end."""
        return b"".join(self._pieces)

    def feed(self, chunk: bytes) -> Iterator[Line]:
        """The lines that ``chunk`` completes."""
        start = 0
        while (stop := chunk.find(b"\n", start)) >= 0:
            self._pieces.append(chunk[start:stop])
            data = b"".join(self._pieces)
            self._pieces.clear()
            start = stop + 1
            yield self._line(data, 1)
        if start < len(chunk):
            self._pieces.append(chunk[start:])

    def rest(self) -> Line | None:
        """The last line of a file at rest, if it is whole JSON without its line end."""
        data = self.pending
        if not data.strip():
            return None
        try:
            json.loads(data)
        except (ValueError, RecursionError):
            return None
        self._pieces.clear()
        return self._line(data, 0)

    def _line(self, data: bytes, end: int) -> Line:
        first = self.offset == 0
        self.offset += len(data) + end
        self.number += 1
        data = data.removesuffix(b"\r")
        return Line(self.number, self.offset, data.removeprefix(BOM) if first else data)


def read_object(line: Line) -> dict[str, Any] | Skipped | None:
    """The JSON object of a line; None for a blank one, the reason where there is no object."""
    if not line.data.strip():
        return None
    try:
        value = json.loads(line.data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return Skipped(line.number, "no valid JSON")
    if not isinstance(value, dict):
        return Skipped(line.number, f"JSON {type(value).__name__}, no object")
    return value


def text(value: Any) -> str | None:
    """``value`` if it is a string with something in it."""
    return value if isinstance(value, str) and value else None


def number(value: Any) -> int | None:
    """``value`` as a count of tokens, None where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        return None
    return int(value)


def mapping(value: Any) -> dict[str, Any]:
    """``value`` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """``value`` if it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def plain(value: Any) -> str:
    """A tool's argument or result as text: strings as they are, blocks joined, data as JSON.

    Binary content is named, not kept as text: base64 is no words and no tokens.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return "\n".join(part for item in value if (part := _block(item)))
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _block(block: dict[str, Any]) -> str:
    kind = block.get("type")
    for key in ("text", "thinking"):
        if isinstance(block.get(key), str):
            return str(block[key])
    if kind in ("image", "document", "input_image", "image_url", "file"):
        source = mapping(block.get("source"))
        data = text(source.get("data")) or text(block.get("image_url")) or ""
        name = text(source.get("media_type")) or text(block.get("mime")) or str(kind)
        return f"[{kind}: {name}, {len(data) * 3 // 4} bytes]"
    if kind == "tool_reference":
        return f"[tool: {block.get('tool_name', '')}]"
    return json.dumps(block, ensure_ascii=False)
