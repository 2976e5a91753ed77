"""Text in terminal cells: hostile text made visible, lines cut and spread to a width.

Stored text (turns, names, paths) is untrusted. It passes :func:`visible` and enters a
``Content`` as plain text; nothing in this package parses it as markup.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from sakur4_tui.glyphs import UNICODE, Glyphs

Part = str | Content | tuple[str, str]

LONGEST = 2_000
"""Characters of one line that are looked at; no terminal is wider."""

_JOINERS = "\u200c\u200d"
_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "␡"}


def visible(text: str, limit: int = LONGEST) -> str:
    """``text`` on one line, with every character that could act on a terminal shown instead.

    Controls become their pictures (``␛``, ``␊``), other format characters their code points;
    what lies beyond ``limit`` characters is replaced by an ellipsis.
    """
    clipped = text[: limit + 1]
    if not clipped.isprintable():
        clipped = "".join(_shown(character) for character in clipped)
    return clipped if len(text) <= limit else clipped[:limit] + "…"


def _shown(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    code = ord(character)
    if code in _PICTURES:
        return _PICTURES[code]
    category = unicodedata.category(character)
    if category == "Zs":
        return " "
    return "\ufffd" if category == "Cs" else f"<{code:04X}>"


def first_line(text: str) -> str:
    """The first line of ``text`` that says something, made visible."""
    for line in text[:LONGEST].splitlines():
        if line.strip():
            return visible(line.strip())
    return ""


def line(*parts: Part) -> Content:
    """One line of plain and styled parts; a style names a theme variable (``$quiet``)."""
    return Content.assemble(*(part for part in parts if part))


def fit(content: Content, width: int, glyphs: Glyphs = UNICODE) -> Content:
    """``content`` in at most ``width`` cells, ending in an ellipsis where it was cut."""
    if content.cell_length <= width:
        return content
    mark = glyphs.more
    room = width - cell_len(mark)
    if room <= 0:
        return content.truncate(max(width, 0))
    return content.truncate(room).append(mark)


def fit_text(text: str, width: int, glyphs: Glyphs = UNICODE) -> str:
    """``text`` in exactly ``width`` cells, padded or cut."""
    if cell_len(text) <= width:
        return text + " " * (width - cell_len(text))
    room = width - cell_len(glyphs.more)
    if room <= 0:
        return set_cell_size(text, max(width, 0))
    return set_cell_size(text, room) + glyphs.more


def right(text: str, width: int) -> str:
    """``text`` at the right end of ``width`` cells; never cut."""
    return " " * (width - cell_len(text)) + text


def spread(left: Content, end: Content, width: int, glyphs: Glyphs = UNICODE) -> Content:
    """``left`` and ``end`` at the two ends of a line; ``left`` gives way."""
    room = width - end.cell_length - 1
    if room < 1:
        return fit(left, width, glyphs)
    left = fit(left, room, glyphs)
    return left.append(" " * (width - left.cell_length - end.cell_length)).append(end)


def fold(text: str, width: int, limit: int = 200) -> Iterable[str]:
    """The lines of stored text, made visible and cut to ``width`` cells, at most ``limit``."""
    shown = 0
    for raw in text.splitlines() or [""]:
        rest = visible(raw.expandtabs(4), 40 * LONGEST)
        while True:
            if shown == limit:
                yield "…"
                return
            shown += 1
            if cell_len(rest) <= width:
                yield rest
                break
            head = set_cell_size(rest, max(width, 2)).rstrip(" ")
            head = rest[: max(len(head), 1)]
            yield head
            rest = rest[len(head) :]


def words(text: str, width: int, limit: int = 2) -> list[str]:
    """Stored text as one paragraph wrapped at spaces, at most ``limit`` lines."""
    lines: list[str] = []
    current = ""
    for word in visible(" ".join(text[:LONGEST].split())).split(" "):
        if current and cell_len(current) + 1 + cell_len(word) > width:
            lines.append(current)
            current = word
        else:
            current = f"{current} {word}" if current else word
    lines.append(current)
    if len(lines) > limit:
        lines = [*lines[: limit - 1], fit_text(f"{lines[limit - 1]} {lines[limit]}", width)]
    return lines


def flow(
    parts: Iterable[Content], width: int, indent: int, glyphs: Glyphs = UNICODE
) -> list[Content]:
    """Short pieces parted by dots, on as many indented lines as they need."""
    dot = line((f" {glyphs.dot} ", "$quiet"))
    lines: list[Content] = []
    for part in parts:
        if lines and lines[-1].cell_length + dot.cell_length + part.cell_length <= width:
            lines[-1] = lines[-1].append(dot).append(part)
        else:
            lines.append(Content(" " * indent).append(part))
    return lines


def bar(share: float, width: int, glyphs: Glyphs = UNICODE) -> str:
    """A bar of ``share`` (0..1) of ``width`` cells, to an eighth of a cell."""
    steps = len(glyphs.eighths)
    total = round(max(0.0, min(share, 1.0)) * width * steps)
    if share > 0:
        total = max(total, 1)
    whole, part = divmod(total, steps)
    return glyphs.full * whole + (glyphs.eighths[part - 1] if part else "")
