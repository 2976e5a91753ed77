"""What we put into a harness's files: the entry of a server, and the hooks of Claude Code."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from sakur4_core.errors import ConfigError, InvalidInput
from sakur4_core.harness.reach import HOOK_WORDS, HOOKED_EVENTS, is_our_hook

from sakur4_tui.connect import json_text, toml_text
from sakur4_tui.connect.harnesses import Format, Harness, Launch, launch, program

# Claude Code waits so long for an answer, in seconds; ours takes a fraction of one.
HOOK_TIMEOUT_S: Final = 10


class Part(Protocol):
    """A piece of a configuration file that is ours."""

    @property
    def name(self) -> str:
        """The harness whose file it is."""

    @property
    def note(self) -> str:
        """What the person should know after the file was written."""

    @property
    def value(self) -> Any:
        """What to put there."""

    def find(self, source: bytes) -> Any:
        """What stands there now, or None. Raises ConfigError on a broken file."""

    def put(self, source: bytes, value: Any) -> bytes:
        """The file with ``value`` in it. Raises ConfigError on a broken file."""

    def cut(self, source: bytes) -> bytes:
        """The file without it. Raises ConfigError on a broken file."""


@dataclass(frozen=True, slots=True)
class Server:
    """Our entry among the MCP servers of a harness."""

    harness: Harness
    launch: Launch

    @property
    def name(self) -> str:
        """The harness whose file it is."""
        return self.harness.name

    @property
    def note(self) -> str:
        """What the harness's person should know."""
        return self.harness.note

    @property
    def value(self) -> Any:
        """The entry in the harness's shape."""
        return self.harness.entry(self.launch)

    def find(self, source: bytes) -> Any:
        """The entry that stands in the file."""
        return self._edit.get(source, self.harness.path)

    def launched(self, entry: Any) -> Launch:
        """The command of an entry.

        Raises:
            ConfigError: It has none.
        """
        command = entry.get("command") if isinstance(entry, dict) else None
        words = command if isinstance(command, list) else [command, *entry.get("args", ())]
        if not words or not all(isinstance(word, str) for word in words):
            raise ConfigError("The entry has no command.", "Write it anew with --write.")
        return Launch(words[0], tuple(words[1:]))

    def put(self, source: bytes, value: Any) -> bytes:
        """The file with the entry."""
        return self._edit.set(source, self.harness.path, value)

    def cut(self, source: bytes) -> bytes:
        """The file without the entry."""
        return self._edit.remove(source, self.harness.path)

    @property
    def _edit(self) -> type[_Json | _Toml]:
        return _Toml if self.harness.format is Format.TOML else _Json


class _Json:
    get, set, remove = json_text.get_member, json_text.set_member, json_text.remove_member


class _Toml:
    get, set, remove = toml_text.get_table, toml_text.set_table, toml_text.remove_table


@dataclass(frozen=True, slots=True)
class Hooks:
    """Our hooks among those of Claude Code, one for each event that we answer.

    The value is each event's group of hooks; groups of others stay where they are.
    """

    command: tuple[str, ...]

    @property
    def name(self) -> str:
        """The harness whose file it is."""
        return "claude-code"

    @property
    def note(self) -> str:
        """What Claude Code's person should know."""
        return "Claude Code reads hooks when a session starts; `/hooks` lists them."

    @property
    def value(self) -> dict[str, Any]:
        """A group for each event, without a matcher: it hears every source."""
        words = [*self.command, *HOOK_WORDS]
        return {event: _group(shlex.join([*words, event])) for event in HOOKED_EVENTS}

    def find(self, source: bytes) -> dict[str, Any] | None:
        """Our groups by event; None where there are none."""
        found: dict[str, Any] = {}
        for event in HOOKED_EVENTS:
            groups = json_text.get_member(source, ("hooks", event))
            ours = [group for group in groups if _is_ours(group)] if groups else []
            if ours:
                found[event] = ours[0]
        return found or None

    def put(self, source: bytes, value: Any) -> bytes:
        """The file with a group of ours for each event of ``value``."""
        for event, group in value.items():
            source = json_text.set_element(source, ("hooks", event), group, _is_ours)
        return source

    def cut(self, source: bytes) -> bytes:
        """The file without our groups."""
        for event in HOOKED_EVENTS:
            source = json_text.remove_elements(source, ("hooks", event), _is_ours)
        return source


def part_of(harness: Harness, project: Path, *, hooks: bool) -> Server | Hooks:
    """What to write for a harness.

    Raises:
        InvalidInput: Hooks are asked for, and the harness calls none of ours.
    """
    if not hooks:
        return Server(harness, launch(harness, project))
    if harness.name != "claude-code":
        raise InvalidInput(
            f"{harness.title} calls no hooks of sakur4.", "Only claude-code takes --hooks."
        )
    return Hooks(program())


def hooks_file(project: Path) -> Path:
    """Where a person's own hooks of a project stand; not shared with others."""
    return project / ".claude" / "settings.local.json"


def _group(command: str) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": command, "timeout": HOOK_TIMEOUT_S}]}


def _is_ours(group: Any) -> bool:
    """Whether a group holds our hook and nothing else."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return isinstance(hooks, list) and bool(hooks) and all(is_our_hook(hook) for hook in hooks)
