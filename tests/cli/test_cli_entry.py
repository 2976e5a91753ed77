"""The entry: what `--help` costs and says, and what the bare command opens."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from cli_program import Result, Terminal, program_environment

from sakur4_tui.cli.main import root

Cli = Callable[..., Result]
HEAVY = ("textual", "rich", "mcp", "pydantic", "numpy", "tree_sitter", "httpx", "asyncio")


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import json, sys, sakur4_tui.cli.main;"
        f"print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=program_environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout) == []


def test_help_begins_with_examples(cli: Cli) -> None:
    result = cli("--help")
    assert (result.code, result.err) == (0, "")
    assert result.out.index("Examples:") < result.out.index("Options:")


def test_every_command_is_documented_and_takes_json_project_and_store(cli: Cli) -> None:
    for name, command in root.commands.items():
        assert command.help, name
        options = {option for parameter in command.params for option in parameter.opts}
        assert "--json" in options, name
        if name != "demo":
            assert {"--project", "--store"} <= options, name


def test_the_version(cli: Cli) -> None:
    assert cli("--version").out.startswith("sakur4-tui, version ")


def test_the_bare_command_opens_the_interface(
    on_terminal: Callable[..., Terminal], project: Path
) -> None:
    terminal = on_terminal(size=(120, 40))
    terminal.expect("\x1b[?1049h")
    terminal.expect(project.name)
    terminal.type("q")
    assert terminal.end() == 0
    assert terminal.seen.rstrip().endswith(b"h") or b"\x1b[?1049l" in terminal.seen
