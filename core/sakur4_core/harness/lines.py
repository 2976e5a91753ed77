"""Bytes of a growing file as whole lines.

Lines end at the byte ``\\n`` and nowhere else. A last line without its end is held back while it
may still be written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sakur4_core.harness.records import Line, Skipped

BOM_CHAR = "\ufeff"
# No count of tokens or bytes is larger; the store's integers end soon after.
LARGEST_COUNT = 1 << 53

# Not strict: some writers leave control characters, NUL too, bare in their strings.
_JSON = json.JSONDecoder(strict=False)


class LineSplitter:
    """Turns chunks into lines; knows where the last whole line ended.

    Args:
        offset: Bytes of the file before the first chunk.
        number: Lines before it.
        ended: Whether the last of them had its line end (see :meth:`rest`).
    """

    def __init__(self, offset: int = 0, number: int = 0, *, ended: bool = True) -> None:
        self.offset = offset
        self.number = number
        self.ended = ended
        self._pieces: list[bytes] = []

    @property
    def pending(self) -> bytes:
        """What has come after the last line's end."""
        return b"".join(self._pieces)

    def feed(self, chunk: bytes) -> Iterator[Line]:
        """The lines that ``chunk`` completes."""
        start = 0
        if not self.ended and chunk:
            # The line end that `rest` did not wait for.
            start = 1 if chunk.startswith(b"\n") else 2 if chunk.startswith(b"\r\n") else 0
            self.offset += start
            self.ended = True
        while (stop := chunk.find(b"\n", start)) >= 0:
            self._pieces.append(chunk[start:stop])
            data = b"".join(self._pieces)
            self._pieces.clear()
            start = stop + 1
            yield self._line(data, 1)
        if start < len(chunk):
            self._pieces.append(chunk[start:])

    def rest(self) -> Line | None:
        """The last line of a file at rest, if it is a whole object without its line end."""
        data = self.pending
        if not data.rstrip().endswith(b"}") or isinstance(parsed(data), str):
            return None
        self._pieces.clear()
        self.ended = False
        return self._line(data, 0)

    def _line(self, data: bytes, end: int) -> Line:
        self.offset += len(data) + end
        self.number += 1
        return Line(self.number, self.offset, data.removesuffix(b"\r"))


def read_object(line: Line) -> dict[str, Any] | Skipped | None:
    """The JSON object of a line; None for a blank one, the reason where there is no object."""
    if not line.data or line.data.isspace():
        return None
    value = parsed(line.data)
    return Skipped(line.number, value) if isinstance(value, str) else value


def parsed(data: bytes) -> dict[str, Any] | str:
    """The JSON object that ``data`` holds, or why it holds none."""
    try:
        value = _JSON.decode(data.decode("utf-8", "replace").removeprefix(BOM_CHAR))
    except (ValueError, RecursionError):
        return "no valid JSON"
    return value if isinstance(value, dict) else f"JSON {type(value).__name__}, no object"


def text(value: Any) -> str | None:
    """``value`` if it is a string with something in it."""
    return value if isinstance(value, str) and value else None


def number(value: Any) -> int | None:
    """``value`` as a count of tokens, None where it is none."""
    if type(value) is int:
        return value if 0 <= value <= LARGEST_COUNT else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # Written so that "not a number" and the infinities fail it too.
    return int(value) if 0 <= value <= LARGEST_COUNT else None


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
