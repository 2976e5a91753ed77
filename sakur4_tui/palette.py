"""The command palette: every action of the registry, found by letters in order."""

from __future__ import annotations

from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider

from sakur4_tui.actions import ACTIONS, Action


class ActionProvider(Provider):
    """Offers the actions that work where the palette was opened."""

    def _offered(self) -> list[tuple[Action, str]]:
        active = {
            found.binding.id: self.app.get_key_display(found.binding)
            for found in reversed(self.screen.active_bindings.values())
            if found.enabled and found.binding.id
        }
        return [
            (action, active[action.id])
            for action in ACTIONS
            if action.palette and action.id in active
        ]

    async def discover(self) -> Hits:
        for action, key in self._offered():
            yield DiscoveryHit(_title(action), partial(self._run, action), help=_help(action, key))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for action, key in self._offered():
            title = _title(action)
            score = matcher.match(title)
            if score > 0:
                yield Hit(
                    score,
                    matcher.highlight(title),
                    partial(self._run, action),
                    text=title,
                    help=_help(action, key),
                )

    def _run(self, action: Action) -> None:
        for found in self.screen.active_bindings.values():
            if found.binding.id == action.id and found.enabled:
                self.app.simulate_key(found.binding.key)
                return


def _title(action: Action) -> str:
    help_text = action.help.rstrip(".")
    return f"{action.label}: {help_text}" if action.label else help_text


def _help(action: Action, key: str) -> str:
    return f"{key}  ({action.id})"
