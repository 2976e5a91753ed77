"""A pane: a titled list over the facts, or one line of summary where it is one line high."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.content import Content
from textual.reactive import reactive

from sakur4_tui.cells import fit, fold, line
from sakur4_tui.facts import Facts, Topic
from sakur4_tui.look import Look
from sakur4_tui.widgets.virtual import Row, VirtualList

NAME_CELLS = 9
"""Cells for a pane's number and name in its one-line form."""


class Pane(VirtualList):
    """One of the main screen's panes. Subclasses name themselves and draw their rows."""

    DEFAULT_CSS = """
    Pane {
        border: round $rule;
        border-title-color: $quiet;
        border-title-style: none;
        border-subtitle-color: $quiet;
        padding: 0 1;
        color: $ink;
        &:focus {
            border: round $focus;
            border-title-color: $focus;
            border-title-style: bold;
        }
        &.-ascii { border: ascii $rule; scrollbar-size: 0 0; }
        &.-ascii:focus { border: ascii $focus; }
        &.-line { border: none; height: 1; padding: 0 2; scrollbar-size: 0 0; }
        &.-line:focus { border: none; background: $cursor; }
    }
    """

    number: ClassVar[int]
    name_: ClassVar[str]
    topic: ClassVar[Topic]

    facts: reactive[Facts] = reactive(Facts, repaint=False)

    def __init__(self, look: Callable[[], Look], *, id: str) -> None:
        super().__init__(id=id)
        self.look = look
        self.glyphs = look().glyphs
        self.set_class(self.glyphs.box == "ascii", "-ascii")

    # -- what a subclass says --------------------------------------------------

    def note(self, facts: Facts, look: Look) -> str:
        """What stands beside the name in the border."""
        return ""

    def summary(self, facts: Facts, look: Look) -> Content:
        """The pane in one line."""
        raise NotImplementedError

    def rows(self, facts: Facts, look: Look, width: int, height: int) -> Sequence[Row]:
        """The pane's rows."""
        raise NotImplementedError

    # -- drawing ---------------------------------------------------------------

    def watch_facts(self) -> None:
        self.border_title = self._heading()
        self.rebuild()

    def _heading(self) -> Content:
        look = self.look()
        note = "" if self.facts.nothing_read else self.note(self.facts, look)
        dot = f" {look.glyphs.dot} " if note else ""
        return Content(f"{self.number} {self.name_}{dot}{note}")

    def build(self, width: int, height: int) -> Sequence[Row]:
        look = self.look()
        failure = self.facts.failures.get(self.topic)
        if self.has_class("-line"):
            name = (f"{self.number} {self.name_}".ljust(NAME_CELLS + 2), "$quiet")
            text = line((failure, "$stale")) if failure else self._summary(look)
            return [Row(fit(line(name, text), width, look.glyphs))]
        if failure:
            return [Row(line((text, "$stale"))) for text in fold(failure, width)]
        if self.facts.nothing_read:
            return quiet("Reading.", width)
        return self.rows(self.facts, look, width, height)

    def _summary(self, look: Look) -> Content:
        if self.facts.nothing_read:
            return line(("reading", "$quiet"))
        return self.summary(self.facts, look)


def quiet(text: str, width: int) -> list[Row]:
    """Rows of muted words, wrapped at spaces; how empty states speak."""
    rows, current = [], ""
    for word in text.split():
        if current and len(current) + 1 + len(word) > width:
            rows.append(Row(line((current, "$quiet"))))
            current = word
        else:
            current = f"{current} {word}".strip()
    return [*rows, Row(line((current, "$quiet")))]
