"""The registry of actions: bindings, footer, help and palette are all made from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from textual.binding import Binding

Scope = Literal["app", "main", "inbox", "list", "plan", "reason", "dialog"]


@dataclass(frozen=True, slots=True)
class Action:
    """One thing the person can do.

    Attributes:
        id: ``scope.verb``; what a keymap names.
        keys: The default keys, parted by commas.
        name: Textual's action, arguments included.
        label: The footer's word or two; empty keeps it out of the footer.
        help: One sentence for help and palette.
        palette: Whether the command palette offers it.
    """

    id: str
    keys: str
    name: str
    label: str
    help: str
    palette: bool = True

    @property
    def scope(self) -> str:
        """The part of the interface in which it works."""
        return self.id.split(".", 1)[0]


PANES: Final = ("receipt", "tiers", "inbox", "stale", "anchors", "map", "activity")
"""The panes' ids in the order of their number keys."""

_PANE_HELP: Final = {
    "receipt": "Receipt: what fills the window.",
    "tiers": "Tiers: what leaves next.",
    "inbox": "Inbox: what waits for a decision.",
    "stale": "Stale: summaries the code has outlived.",
    "anchors": "Anchors: pinned statements.",
    "map": "Map: how the repository hangs together.",
    "activity": "Activity: what happened.",
}

ACTIONS: Final[tuple[Action, ...]] = (
    Action("inbox.approve", "a", "approve", "approve", "Approve the selected item."),
    Action("inbox.reject", "x", "reject", "reject", "Reject the selected item, with a reason."),
    Action("list.open", "enter", "open", "see", "Open the selected row.", palette=False),
    Action("main.plan", "p", "plan", "plan", "Review what a plan would evict now."),
    Action("main.undo", "u", "undo", "undo", "Undo what was approved last."),
    Action("main.session", "s", "session", "session", "Switch to another session."),
    Action("main.zoom", "z,plus", "zoom", "zoom", "Give the whole screen to this pane, or back."),
    Action("main.pause", "space", "pause", "pause", "Hold live updates, or let them run again."),
    Action("main.refresh", "f5", "refresh", "", "Read everything afresh."),
    Action("main.next_pane", "tab", "next_pane", "", "Go to the next pane.", palette=False),
    Action(
        "main.previous_pane",
        "shift+tab",
        "previous_pane",
        "",
        "Go to the previous pane.",
        palette=False,
    ),
    *(
        Action(f"main.{pane}", str(number), f"pane('{pane}')", "", _PANE_HELP[pane])
        for number, pane in enumerate(PANES, 1)
    ),
    Action("main.back", "escape", "back", "", "Leave the zoom.", palette=False),
    Action(
        "plan.toggle", "space", "toggle_item", "in/out", "Take the item into the plan, or out."
    ),
    Action("plan.approve", "a", "approve", "approve", "Approve the items that are in."),
    Action("plan.reject", "x", "reject", "reject", "Reject the plan, with a reason."),
    Action("plan.next_pane", "tab", "app.focus_next", "", "Go to the next list.", palette=False),
    Action("plan.back", "escape", "back", "back", "Back to the main screen.", palette=False),
    Action("list.down", "j,down", "move(1)", "", "Down one row.", palette=False),
    Action("list.up", "k,up", "move(-1)", "", "Up one row.", palette=False),
    Action("list.first", "g,home", "first", "", "To the first row.", palette=False),
    Action("list.last", "G,end", "last", "", "To the last row.", palette=False),
    Action("list.page_down", "ctrl+d,pagedown", "page(1)", "", "Down a page.", palette=False),
    Action("list.page_up", "ctrl+u,pageup", "page(-1)", "", "Up a page.", palette=False),
    Action("dialog.close", "escape", "close", "close", "Close without doing anything.", False),
    Action("app.help", "question_mark,f1", "help", "help", "Every key that works here."),
    Action("app.theme", "ctrl+t", "next_theme", "", "Switch to the next theme."),
    Action("app.palette", "ctrl+p", "command_palette", "all", "Find any action.", palette=False),
    Action("app.quit", "q", "quit", "quit", "Leave; the agent's own process goes on."),
)


def in_scope(scope: Scope) -> tuple[Action, ...]:
    """The actions of one part of the interface, in the registry's order."""
    return tuple(action for action in ACTIONS if action.scope == scope)


def bindings(scope: Scope) -> list[Binding]:
    """Textual's bindings for one part of the interface."""
    return [
        Binding(
            action.keys,
            action.name,
            action.label or action.help,
            show=bool(action.label),
            id=action.id,
            tooltip=action.help,
        )
        for action in in_scope(scope)
    ]
