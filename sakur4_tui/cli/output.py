"""What a command prints: data on stdout, narration on stderr, stored text made visible."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "␡"}


@dataclass(frozen=True, slots=True)
class Output:
    """Where a command's answer goes: as text for a person, or as one JSON document."""

    as_json: bool

    def show(self, value: Any, text: str) -> None:
        """Print the answer in the form that was asked for."""
        if self.as_json:
            from sakur4_core.models import to_json

            text = json.dumps(to_json(value), ensure_ascii=False, indent=2)
        _write(sys.stdout, text)

    def tell(self, text: str) -> None:
        """Say something about the work; never part of the answer."""
        _write(sys.stderr, text)


def complain(message: str, hint: str | None = None) -> None:
    """One sentence on what is wrong, and one on what to do next, on stderr."""
    _write(sys.stderr, f"sakur4-tui: {visible(message)}")
    if hint:
        _write(sys.stderr, f"  {visible(hint)}")


def visible(text: str) -> str:
    """``text`` on one line, with every character that could act on a terminal shown instead."""
    if text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def quoted(text: str, *, indent: str = "  │ ", limit: int = 40) -> str:
    """Stored text behind a rule, each line made visible, at most ``limit`` lines."""
    lines = text.splitlines()
    shown = [indent + visible(line.expandtabs(4)) for line in lines[:limit]]
    if len(lines) > limit:
        shown.append(f"{indent}… {len(lines) - limit} more lines")
    return "\n".join(shown)


def first_line(text: str, limit: int = 72) -> str:
    """The first line that says something, made visible and cut."""
    for line in text.splitlines():
        if line.strip():
            clean = visible(line.strip())
            return clean if len(clean) <= limit else clean[: limit - 1] + "…"
    return ""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Columns, left-aligned but for numbers, under their names."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    numeric = [
        bool(cells) and all(_is_number(row[place]) for row in cells) for place in range(len(head))
    ]
    lines = [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in (list(head), *cells)
    ]
    return "\n".join(lines)


def pairs(entries: Iterable[tuple[str, object]]) -> str:
    """Names and values, the values aligned."""
    known = [(name, str(value)) for name, value in entries]
    width = max((len(name) for name, _ in known), default=0)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in known)


def _is_number(cell: str) -> bool:
    return cell.lstrip("≈→−").replace(",", "").replace(".", "").rstrip("kM%").isdigit()


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    return _PICTURES.get(code) or f"<{code:04X}>"


def _write(stream: TextIO, text: str) -> None:
    # A terminal that cannot show a character gets a stand-in, never a traceback.
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")
    stream.flush()
