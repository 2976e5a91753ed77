"""What every dialog shares: a titled box, escape to leave, no effect unless it returns one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from textual.app import ComposeResult
from textual.content import Content
from textual.screen import ModalScreen

from sakur4_tui.actions import bindings
from sakur4_tui.widgets.virtual import Row, VirtualList

Result = TypeVar("Result")


class DialogScreen(ModalScreen[Result | None], Generic[Result]):
    """A box over the main screen. None means that it was closed without doing anything."""

    AUTO_FOCUS = "*"
    BINDINGS = bindings("dialog")  # type: ignore[assignment]

    def action_close(self) -> None:
        self.dismiss(None)


class RowsBox(VirtualList):
    """A list in a dialog, as high as its rows up to the dialog's limit."""

    DEFAULT_CSS = "RowsBox { background: $panel; }"

    def __init__(self, build: Callable[[int], Sequence[Row]], *, title: str) -> None:
        super().__init__(classes="dialog")
        self._rows_for = build
        self.border_title = Content(title)
        self.border_subtitle = "esc closes"

    def build(self, width: int, height: int) -> Sequence[Row]:
        return self._rows_for(width)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return len(self._rows_for(max(width, 1)))


class RowsScreen(DialogScreen[str]):
    """A dialog that shows rows; opening one returns its key."""

    def __init__(self, title: str, build: Callable[[int], Sequence[Row]]) -> None:
        super().__init__()
        self._heading = title
        self._build = build

    def compose(self) -> ComposeResult:
        yield RowsBox(self._build, title=self._heading)

    def on_virtual_list_opened(self, message: VirtualList.Opened) -> None:
        self.dismiss(message.key)
