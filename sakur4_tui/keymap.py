"""Which keys do what: a preset, the person's own keys over it, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sakur4_tui.actions import ACTIONS, Action

PRESETS: Final[dict[str, dict[str, str]]] = {
    "default": {},
    "vim": {
        "app.palette": "ctrl+p,colon",
        "main.next_pane": "tab,ctrl+w,l",
        "main.previous_pane": "shift+tab,h",
        "main.zoom": "z,plus,o",
    },
}

# Scopes whose keys are alive together; a key with two meanings among them is a conflict.
_TOGETHER: Final = (
    frozenset({"app", "main", "list", "inbox"}),
    frozenset({"app", "plan", "list"}),
    frozenset({"app", "dialog", "list"}),
)


@dataclass(frozen=True, slots=True)
class Keymap:
    """Overrides for Textual, by binding id, and one sentence for each problem found."""

    keys: dict[str, str]
    problems: tuple[str, ...] = ()


def resolve(preset: str, own: Mapping[str, str]) -> Keymap:
    """The keys in force. An unknown id or a conflicting key is left out and reported."""
    known = {action.id: action for action in ACTIONS}
    keys = dict(PRESETS.get(preset, {}))
    problems = []
    for name, wanted in sorted(own.items()):
        if name not in known:
            problems.append(f"tui.keys: {name} is not an action; help lists them.")
            continue
        clash = _clash(known[name], wanted, keys)
        if clash:
            problems.append(f"tui.keys: {name} = {wanted} is taken by {clash}.")
        else:
            keys[name] = wanted
    return Keymap(keys, tuple(problems))


_NAMES: Final = {
    "question_mark": "?",
    "plus": "+",
    "colon": ":",
    "escape": "esc",
    "pagedown": "pgdn",
    "pageup": "pgup",
}


def key_name(key: str) -> str:
    """How a key is called on the screen."""
    return _NAMES.get(key, key)


def keys_of(action: Action, keys: Mapping[str, str]) -> tuple[str, ...]:
    """The keys of an action under ``keys``."""
    return tuple(key.strip() for key in keys.get(action.id, action.keys).split(","))


def _clash(action: Action, wanted: str, keys: Mapping[str, str]) -> str | None:
    new = {key.strip() for key in wanted.split(",")}
    for other in ACTIONS:
        together = any({action.scope, other.scope} <= group for group in _TOGETHER)
        if other.id != action.id and together and new & set(keys_of(other, keys)):
            return other.id
    return None
