"""The one list: draws only the rows in view, however many there are."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, NamedTuple

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from sakur4_tui.actions import bindings
from sakur4_tui.cells import fit
from sakur4_tui.glyphs import UNICODE

log = logging.getLogger(__name__)

SEARCHED: Final = 5_000
"""Rows in which the cursor's thing is looked for after a change; a feed holds no more."""


class Row(NamedTuple):
    """One line. Rows with the same key are one thing to select; None is not selectable."""

    content: Content
    key: str | None = None


class VirtualList(ScrollView, can_focus=True):
    """A scrolling list with a cursor on things rather than lines.

    Subclasses build their rows for a width; a row is drawn when it comes into view. The
    cursor stays on its thing when rows come and go.
    """

    BINDINGS = bindings("list")  # type: ignore[assignment]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"virtual-list--cursor"}
    DEFAULT_CSS = """
    VirtualList {
        scrollbar-size: 1 1;
        overflow-x: hidden;
        overflow-y: auto;
        & > .virtual-list--cursor { background: $cursor; }
    }
    """

    class _OnRow(Message):
        """Something about one thing of a list."""

        def __init__(self, widget: VirtualList, key: str) -> None:
            super().__init__()
            self.widget = widget
            self.key = key

        @property
        def control(self) -> VirtualList:
            return self.widget

    class Opened(_OnRow):
        """The person opened a thing."""

    class Moved(_OnRow):
        """The cursor stands on another thing."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.glyphs = UNICODE
        self.cursor: str | None = None
        self._rows: Sequence[Row] = ()
        self._cursor_row = 0
        self._width = 0

    def build(self, width: int, height: int) -> Sequence[Row]:
        """The rows for a view of this size; may be lazy."""
        raise NotImplementedError

    # -- drawing ---------------------------------------------------------------

    def rebuild(self) -> None:
        """Build the rows anew, keeping cursor and scroll where they were."""
        width, height = self._view()
        if width <= 0 or height <= 0:
            return
        rows = self._safely_built(width, height)
        if len(rows) > height:
            width -= 1
            rows = self._safely_built(width, height)
        self._rows, self._width = rows, width
        self.virtual_size = Size(width, len(rows))
        self._keep_cursor()
        self.refresh()

    def _view(self) -> tuple[int, int]:
        region = self.container_size
        return region.width, region.height

    def _safely_built(self, width: int, height: int) -> Sequence[Row]:
        """What cannot be drawn costs its own place on the screen, not the program."""
        try:
            return self.build(width, height)
        except Exception as error:
            log.exception("%s cannot be drawn", type(self).__name__)
            text = f"This cannot be drawn ({type(error).__name__}); the log has the details."
            return [Row(fit(Content.styled(text, "$stale"), width))]

    def on_resize(self) -> None:
        self.rebuild()

    def render_line(self, y: int) -> Strip:
        index = round(self.scroll_y) + y
        width = self.size.width
        if not 0 <= index < len(self._rows):
            return Strip.blank(width, self.rich_style)
        row = self._rows[index]
        style = self.visual_style
        if row.key is not None and row.key == self.cursor and self.has_focus:
            style = self.get_visual_style("virtual-list--cursor")
        content = fit(row.content, self._width, self.glyphs)
        return Visual.to_strips(self, content, width, 1, style, pad=True)[0]

    # -- the cursor ------------------------------------------------------------

    def _keep_cursor(self) -> None:
        """Find the cursor's thing again, or take the nearest one."""
        for index in self._nearby(self._cursor_row) if self.cursor is not None else ():
            if self._rows[index].key == self.cursor:
                self._cursor_row = self._head(index)
                return
        near = min(self._cursor_row, len(self._rows) - 1)
        chosen = self._selectable(near, 1)
        if chosen is None:
            chosen = self._selectable(near, -1)
        self._set_cursor(chosen, scroll=False)

    def _nearby(self, start: int) -> Iterator[int]:
        """The rows around ``start``, nearest first, as far as things move between drawings."""
        yield from range(max(start, 0), min(start + SEARCHED, len(self._rows)))
        yield from range(min(start, len(self._rows)) - 1, max(start - SEARCHED, 0) - 1, -1)

    def _selectable(self, start: int, step: int) -> int | None:
        index = start
        while 0 <= index < len(self._rows):
            if self._rows[index].key is not None:
                return index
            index += step
        return None

    def _head(self, index: int) -> int:
        """The first row of the thing that row ``index`` belongs to."""
        key = self._rows[index].key
        while index > 0 and self._rows[index - 1].key == key:
            index -= 1
        return index

    def _set_cursor(self, index: int | None, *, scroll: bool = True) -> None:
        key = None
        if index is not None:
            index = self._head(index)
            key = self._rows[index].key
            self._cursor_row = index
        if key != self.cursor:
            self.cursor = key
            self.refresh()
            self.refresh_bindings()
            if key is not None:
                self.post_message(self.Moved(self, key))
        if scroll and index is not None:
            self._bring_into_view(index)

    def _bring_into_view(self, index: int) -> None:
        height = self._view()[1]
        last = index
        while last + 1 < len(self._rows) and self._rows[last + 1].key == self.cursor:
            last += 1
        top = round(self.scroll_y)
        if index < top:
            self.scroll_to(y=index, animate=False, force=True)
        elif last >= top + height:
            self.scroll_to(y=min(index, last - height + 1), animate=False, force=True)

    # -- keys and mouse --------------------------------------------------------

    def action_move(self, step: int) -> None:
        if self.cursor is None:
            self.scroll_to(y=self.scroll_y + step, animate=False, force=True)
            return
        index: int | None = self._cursor_row
        while index is not None and self._rows[index].key == self.cursor:
            index = self._selectable(index + step, step)
        if index is not None:
            self._set_cursor(index)
        else:
            self.scroll_to(y=self.scroll_y + step, animate=False, force=True)

    def action_page(self, step: int) -> None:
        height = max(self._view()[1] - 1, 1)
        self._go(self._cursor_row + step * height, step, self.scroll_y + step * height)

    def action_first(self) -> None:
        self._go(0, 1, 0)
        self.scroll_to(y=0, animate=False, force=True)

    def action_last(self) -> None:
        self._go(len(self._rows) - 1, -1, len(self._rows))

    def _go(self, index: int, step: int, scroll: float) -> None:
        if self.cursor is None:
            self.scroll_to(y=scroll, animate=False, force=True)
            return
        index = max(0, min(index, len(self._rows) - 1))
        found = self._selectable(index, step)
        self._set_cursor(found if found is not None else self._selectable(index, -step))

    def action_open(self) -> None:
        if self.cursor is not None:
            self.post_message(self.Opened(self, self.cursor))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.cursor is not None if action == "open" else True

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = round(self.scroll_y) + offset.y
        if 0 <= index < len(self._rows) and self._rows[index].key is not None:
            again = self._rows[index].key == self.cursor
            self._set_cursor(index)
            if again and event.chain > 1:
                self.action_open()
