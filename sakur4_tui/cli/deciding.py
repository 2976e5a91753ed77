"""Who decides: a person at a terminal, the person's own setting, or an agent, who may not.

A command line is as easily typed by an agent as by a person. What tells them apart is where
the process comes from: an agent's marks in the environment or among its ancestors.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, auto
from pathlib import PurePath
from typing import TYPE_CHECKING

from sakur4_tui.cli.output import visible

if TYPE_CHECKING:
    from sakur4_core.settings import Settings

# Variables that Claude Code, Codex and opencode set for the commands they run. Those that a
# person sets to configure them (CODEX_HOME, CLAUDE_CONFIG_DIR) are no sign.
AGENT_VARIABLES = (
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "OPENCODE",
)
AGENT_PROGRAMS = frozenset({"claude", "claude-code", "codex", "opencode"})


class Decider(Enum):
    """Who has decided."""

    PERSON = auto()
    AGENT = auto()
    NOBODY = auto()


def ask(settings: Settings, question: str) -> Decider:
    """Whether a person wants ``question`` done.

    Raises:
        ConfigError: There is no terminal to ask at.
    """
    if runs_under_agent():
        return Decider.AGENT
    if settings.cli.decide_without_asking:
        return Decider.PERSON
    return Decider.PERSON if _typed_yes(question) else Decider.NOBODY


def runs_under_agent(environment: Mapping[str, str] | None = None) -> bool:
    """Whether this process descends from an agent."""
    known = os.environ if environment is None else environment
    return any(known.get(name) for name in AGENT_VARIABLES) or any(map(names_agent, _ancestors()))


def names_agent(command: Sequence[str]) -> bool:
    """Whether a command line's program, or the script that its interpreter runs, is an agent's.

    A folder's name says so only inside ``node_modules``: a person may be called claude.
    """
    for word in command[:2]:
        path = PurePath(word.casefold())
        installed = path.parts if "node_modules" in path.parts else ()
        if AGENT_PROGRAMS.intersection((path.stem, *installed)):
            return True
    return False


def _ancestors() -> Iterable[list[str]]:
    """The command lines of this process's ancestors, as far as they may be read."""
    import psutil

    try:
        parents = psutil.Process().parents()
    except psutil.Error:
        return
    for parent in parents:
        try:
            yield [parent.name()]
            yield parent.cmdline()
        except psutil.Error:
            continue


def _typed_yes(question: str) -> bool:
    """Ask at the controlling terminal itself: a pipe on stdin answers for nobody."""
    from sakur4_core.errors import ConfigError

    try:
        descriptor = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError as error:
        raise ConfigError(
            "This decision needs a terminal to ask at, and there is none.",
            "Run it in a terminal, or set decide_without_asking = true under [cli] in your"
            " own settings (`sakur4-tui locate` names the file).",
        ) from error
    with os.fdopen(descriptor, "r+b", buffering=0) as terminal:
        terminal.write(f"{visible(question)}\nType yes to go on: ".encode())
        answer = bytearray()
        while not answer.endswith(b"\n"):
            piece = terminal.read(256)
            if not piece:
                break
            answer += piece
    return answer.decode("utf-8", "replace").strip().casefold() == "yes"
