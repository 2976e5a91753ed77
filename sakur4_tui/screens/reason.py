"""Ask why something is rejected; the agent is told."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from sakur4_tui.cells import visible
from sakur4_tui.screens.dialog import DialogScreen

LONGEST = 500


class ReasonScreen(DialogScreen[str]):
    """Returns the reason, which may be empty; None if the person thought better of it."""

    def __init__(self, subject: str) -> None:
        super().__init__()
        self._subject = subject

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = "Reject"
            box.border_subtitle = "enter rejects, esc keeps it waiting"
            yield Static(Content(visible(self._subject, 200)))
            yield Input(placeholder="Why? The agent is told.", max_length=LONGEST, id="reason")

    @on(Input.Submitted)
    def submit(self, event: Input.Submitted) -> None:
        """The reason as typed."""
        self.dismiss(event.value.strip())
