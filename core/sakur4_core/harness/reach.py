"""How far decisions made here reach into what a harness sends to its model."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sakur4_core.cache.coherence import unknown_session
from sakur4_core.harness.sources import Format
from sakur4_core.store import reach as sql

HOOK_WORDS: Final = ("hook", "claude-code")
# What the transcript does not tell, or where something can be said.
HOOKED_EVENTS: Final = ("SessionStart", "UserPromptSubmit", "PreCompact")
_OUR_HOOK: Final = re.compile(r"sakur4[-_]tui\b.*\bhook claude-code \w+$")

CONNECT_HOOKS: Final = "sakur4-tui connect claude-code --hooks --write"
HOOKED: Final = (
    "a plan takes effect with the session's next compaction; hooks bring back what is pinned"
)
ADVISED: Final[Mapping[str, str]] = {
    Format.CLAUDE_CODE: f"advised only: `{CONNECT_HOOKS}` lets hooks put plans in effect",
    Format.CODEX: "advised only: Codex compacts by its own rules",
    Format.OPENCODE: "advised only: opencode compacts by its own rules",
}
ADVISED_OTHERS: Final = "advised only: the agent is told, and nothing makes it drop a turn"


@dataclass(frozen=True, slots=True)
class Reach:
    """How far decisions reach into one session's real context.

    Attributes:
        enforced: Whether something puts an approved plan in effect.
        how: What does; or why nothing does, and what would help.
        missing: Ids of the session's anchors that stand nowhere in the context as its harness
            reports it; None where no harness reports it.
        compactions: How often the harness compacted the session so far.
    """

    enforced: bool
    how: str
    missing: tuple[str, ...] | None
    compactions: int

    @property
    def effect(self) -> str:
        """``how`` in a few words."""
        return "in effect after a compaction" if self.enforced else "advised only"

    @property
    def sentence(self) -> str:
        """``how`` as a sentence."""
        return f"{self.how[0].upper()}{self.how[1:]}."


def reach_of(db: sqlite3.Connection, session_id: str, now: str, *, hooked: bool) -> Reach:
    """What can be done to a session, and what of the anchors is in its context.

    Args:
        now: The moment, in the store's notation.
        hooked: Whether Claude Code calls our hooks in this project.

    Raises:
        NotFound: There is no such session.
    """
    seen = sql.reported(db, session_id, now)
    if seen is None:
        raise unknown_session(session_id)
    enforced = hooked and seen.harness == Format.CLAUDE_CODE
    how = HOOKED if enforced else ADVISED.get(seen.harness, ADVISED_OTHERS)
    return Reach(enforced, how, seen.missing, seen.compactions)


def is_our_hook(hook: Any) -> bool:
    """Whether an entry of Claude Code's settings runs this program's hook."""
    command = hook.get("command") if isinstance(hook, dict) else None
    if not isinstance(command, str):
        return False
    arguments = hook.get("args")
    words = arguments if isinstance(arguments, list) else []
    return _OUR_HOOK.search(" ".join([command, *map(str, words)])) is not None


def hooks_installed(root: Path, environment: Mapping[str, str], home: Path) -> bool:
    """Whether Claude Code, in the project at ``root``, calls a hook of ours.

    Reads the settings of the user, the project and the person; one that cannot be read has none.
    """
    user = Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    files = (
        user / "settings.json",
        root / ".claude" / "settings.json",
        root / ".claude" / "settings.local.json",
    )
    settings = [_settings(file) for file in files]
    if any(one.get("disableAllHooks") is True for one in settings):
        return False
    return any(is_our_hook(hook) for one in settings for hook in _hooks(one))


def hooked_here(root: Path) -> bool:
    """:func:`hooks_installed` for this process's user."""
    return hooks_installed(root, os.environ, Path.home())


def _settings(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _hooks(settings: dict[str, Any]) -> Iterator[Any]:
    """Every hook in a file of settings, whatever else stands there."""
    events = settings.get("hooks")
    for groups in events.values() if isinstance(events, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            hooks = group.get("hooks") if isinstance(group, dict) else None
            yield from hooks if isinstance(hooks, list) else ()
