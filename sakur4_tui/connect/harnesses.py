"""Where each harness keeps its MCP servers, and in what shape. Data, and nothing else."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

SERVER = "sakur4"


class Format(Enum):
    """How a configuration file is written."""

    JSON = "json"
    TOML = "toml"


@dataclass(frozen=True, slots=True)
class Launch:
    """The command that starts the server."""

    command: str
    args: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """What a harness's file depends on."""

    project: Path
    home: Path
    environment: Mapping[str, str]
    platform: str

    @classmethod
    def here(cls, project: Path) -> Place:
        """This machine and user."""
        return cls(project, Path.home(), os.environ, sys.platform)


@dataclass(frozen=True, slots=True)
class Harness:
    """One program that runs agents.

    Attributes:
        file: Where its servers stand; None where the person must say.
        path: The keys that lead to our entry.
        entry: Our entry, in the harness's shape.
        in_project: Whether the file belongs to the project, so that no ``--project`` is needed.
        note: What the person should know after the file was written.
    """

    name: str
    title: str
    format: Format
    path: tuple[str, ...]
    file: Callable[[Place], Path | None]
    entry: Callable[[Launch], dict[str, Any]]
    in_project: bool
    absolute: bool = False
    project_variable: str | None = None
    note: str = ""


def launch(harness: Harness, project: Path) -> Launch:
    """How this harness should start the server: by name if it is on the PATH, else in full."""
    command, *args = program(absolute=harness.absolute)
    args.append("--serve")
    if harness.project_variable is not None:
        args += ["--project", harness.project_variable]
    elif not harness.in_project:
        args += ["--project", str(project)]
    return Launch(command, tuple(args))


def program(*, absolute: bool = False) -> tuple[str, ...]:
    """How to start this program: by name if it is on the PATH, else by its interpreter."""
    found = shutil.which("sakur4-tui")
    if found is None:
        return (sys.executable, "-m", "sakur4_tui")
    return (found if absolute else "sakur4-tui",)


def _plain(launch: Launch) -> dict[str, Any]:
    return {"command": launch.command, "args": list(launch.args)}


def _stdio(launch: Launch) -> dict[str, Any]:
    return {"type": "stdio", **_plain(launch)}


def _opencode(launch: Launch) -> dict[str, Any]:
    return {"type": "local", "command": [launch.command, *launch.args], "enabled": True}


def _desktop_file(place: Place) -> Path:
    if place.platform == "darwin":
        base = place.home / "Library" / "Application Support"
    elif place.platform == "win32":
        base = Path(place.environment.get("APPDATA", place.home / "AppData" / "Roaming"))
    else:
        base = _config(place)
    return base / "Claude" / "claude_desktop_config.json"


def _config(place: Place) -> Path:
    return Path(place.environment.get("XDG_CONFIG_HOME", place.home / ".config"))


def _codex_file(place: Place) -> Path:
    return Path(place.environment.get("CODEX_HOME", place.home / ".codex")) / "config.toml"


def _opencode_file(place: Place) -> Path:
    commented = place.project / "opencode.jsonc"
    return commented if commented.exists() else place.project / "opencode.json"


MCP_SERVERS = ("mcpServers", SERVER)

HARNESSES: Mapping[str, Harness] = {
    harness.name: harness
    for harness in (
        Harness(
            "claude-code",
            "Claude Code",
            Format.JSON,
            MCP_SERVERS,
            lambda place: place.project / ".mcp.json",
            _plain,
            in_project=True,
            note="Claude Code asks once whether it may start this project's servers.",
        ),
        Harness(
            "claude-desktop",
            "Claude Desktop",
            Format.JSON,
            MCP_SERVERS,
            _desktop_file,
            _plain,
            in_project=False,
            absolute=True,
            note="Restart Claude Desktop.",
        ),
        Harness(
            "codex",
            "Codex",
            Format.TOML,
            ("mcp_servers", SERVER),
            _codex_file,
            _plain,
            in_project=False,
            note="Start a new Codex session.",
        ),
        Harness(
            "opencode",
            "opencode",
            Format.JSON,
            ("mcp", SERVER),
            _opencode_file,
            _opencode,
            in_project=True,
            note="Start opencode again.",
        ),
        Harness(
            "cursor",
            "Cursor",
            Format.JSON,
            MCP_SERVERS,
            lambda place: place.project / ".cursor" / "mcp.json",
            _plain,
            in_project=True,
            project_variable="${workspaceFolder}",
            note="Enable the server in Cursor's settings.",
        ),
        Harness(
            "vscode",
            "VS Code",
            Format.JSON,
            ("servers", SERVER),
            lambda place: place.project / ".vscode" / "mcp.json",
            _stdio,
            in_project=True,
            project_variable="${workspaceFolder}",
            note="VS Code asks once whether it may start the server.",
        ),
        Harness(
            "gemini",
            "Gemini CLI",
            Format.JSON,
            MCP_SERVERS,
            lambda place: place.project / ".gemini" / "settings.json",
            _plain,
            in_project=True,
            note="Start a new Gemini CLI session.",
        ),
        Harness(
            "zed",
            "Zed",
            Format.JSON,
            ("context_servers", SERVER),
            lambda place: _config(place) / "zed" / "settings.json",
            _plain,
            in_project=False,
            note="Zed reads the file at once.",
        ),
        Harness(
            "windsurf",
            "Windsurf",
            Format.JSON,
            MCP_SERVERS,
            lambda place: place.home / ".codeium" / "windsurf" / "mcp_config.json",
            _plain,
            in_project=False,
            note="Refresh the servers in Windsurf's settings.",
        ),
        Harness(
            "generic",
            "any MCP client",
            Format.JSON,
            MCP_SERVERS,
            lambda _: None,
            _plain,
            in_project=False,
            absolute=True,
        ),
    )
}
