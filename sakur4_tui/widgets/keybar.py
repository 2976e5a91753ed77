"""The last line: what can be done now, by key or by click."""

from __future__ import annotations

from textual.content import Content
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget

from sakur4_tui.cells import fit

_LAST = ("app.help", "app.palette", "app.quit")
"""Always there, at the right end; the rest gives way to them."""


class KeyBar(Widget):
    """Only what is valid now is shown; what does not fit is in help and palette."""

    DEFAULT_CSS = """
    KeyBar {
        height: 1;
        padding: 0 1;
        dock: bottom;
        background: $panel;
    }
    """

    auto_links = False

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, screen: Screen[object]) -> None:
        self.refresh()

    def action_press(self, key: str) -> None:
        """Do what ``key`` does; how a click on the bar acts."""
        self.app.simulate_key(key)

    def render(self) -> Content:
        start: list[Content] = []
        end: list[Content] = []
        seen: set[str] = set()
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if not binding.show or not active.enabled or binding.action in seen:
                continue
            seen.add(binding.action)
            key = self.app.get_key_display(binding)
            (end if binding.id in _LAST else start).append(
                _entry(key, binding.description, binding.key)
            )
        finish = Content("  ").join(end)
        room = self.size.width - finish.cell_length - 2
        shown: list[Content] = []
        for entry in start:
            if entry.cell_length + 2 > room:
                break
            room -= entry.cell_length + 2
            shown.append(entry)
        begin = Content("  ").join(shown)
        space = max(self.size.width - begin.cell_length - finish.cell_length, 1)
        return fit(begin.append(" " * space).append(finish), self.size.width)


def _entry(key_display: str, label: str, key: str) -> Content:
    content = Content.assemble((key_display, "bold $focus"), (f" {label}", "$quiet"))
    return content.stylize(Style.from_meta({"@click": f"press({key!r})"}))
