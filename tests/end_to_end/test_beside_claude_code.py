"""The main job without the agent's cooperation: Claude Code writes its transcript, we look."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from core.harness.claude_writer import SESSION, Writer, project_folder
from sakur4_core.engine import Engine

from .tmux import terminal

pytestmark = [
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
    pytest.mark.xdist_group("terminals"),
]
RULE = "Never edit the generated tables."
ROWS = "\n".join(f"row {number} of the table of orders" for number in range(120))


class Harness:
    """Claude Code as far as others see it: a transcript that grows, and hooks that it calls."""

    def __init__(self, project: Path, home: Path) -> None:
        self.writer = Writer(project)
        self._project = project
        self._file = project_folder(home, project) / f"{SESSION}.jsonl"
        self._written = 0

    def flush(self) -> None:
        """Write what was said since."""
        with self._file.open("ab") as stream:
            stream.writelines(self.writer.lines[self._written :])
        self._written = len(self.writer.lines)

    def compact(self) -> str:
        """Compact as the program does, hooks included; return what a hook told."""
        self._call("PreCompact", trigger="auto")
        self.writer.compacts("The user wants the tables looked at.", 12_000)
        told = self._call("SessionStart", source="compact")
        if told:
            self.writer.told_by_hook(told)
        self.writer.answers("Going on.", 900)
        self.flush()
        return told

    def _call(self, event: str, **said: str) -> str:
        settings = json.loads(
            (self._project / ".claude" / "settings.local.json").read_text("utf-8")
        )
        (group,) = settings["hooks"][event]
        body = {"session_id": SESSION, "cwd": str(self._project), "hook_event_name": event, **said}
        done = subprocess.run(
            group["hooks"][0]["command"],
            shell=True,
            input=json.dumps(body).encode(),
            capture_output=True,
            timeout=60,
            check=True,
            env={**os.environ, "CLAUDE_PROJECT_DIR": str(self._project)},
        )
        if not done.stdout:
            return ""
        text: str = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
        return text


@pytest.fixture
def interface(project: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("SAKUR4_CONTEXT_WINDOW", "4000")
    monkeypatch.setenv("SAKUR4_CONTEXT_RESERVE_OUTPUT", "0")
    command = [sys.executable, "-m", "sakur4_tui"]
    connect = [*command, "connect", "claude-code", "--hooks", "--write"]
    subprocess.run([*connect, "--project", str(project)], check=True, capture_output=True)
    return [*command, "--project", str(project)]


async def test_a_session_is_seen_steered_and_keeps_its_rules_through_a_compaction(
    project: Path, private_home: Path, interface: list[str]
) -> None:
    harness = Harness(project, private_home)
    async with Engine.open(project) as engine, terminal(interface) as screen:
        await engine.pin(RULE, kind="safety_constraint")
        await screen.shows("Receipt", "Inbox", RULE)
        harness.writer.says("please look at the zebra table")
        harness.flush()
        await screen.shows("zebra table", "claude-code", "not in context")
        for number in range(5):
            harness.writer.reads(f"tables/{number}.sql", ROWS, 700 * (number + 1))
        harness.writer.answers("that is enough", 3_600)
        harness.flush()
        await screen.shows("1 wait", "frees", "in effect after a compaction")
        screen.keys("3", "a")
        await screen.shows("Nothing waits")
        told = harness.compact()
        assert RULE in told
        assert "- #3 Read: row 0 of the table of orders" in told
        await screen.shows("all 1 in the agent's context")
        reach = await engine.reach(SESSION)
        assert (reach.compactions, reach.enforced, reach.missing) == (1, True, ())
        (plan,) = [one for one in await engine.proposals.recent() if one.plan is not None]
        assert plan.effect == "compaction"


async def test_killing_the_interface_loses_no_turn_of_the_harness(
    project: Path, private_home: Path, interface: list[str]
) -> None:
    harness = Harness(project, private_home)
    async with terminal(interface) as screen:
        await screen.shows("Receipt")
        harness.writer.says("before the crash")
        harness.flush()
        await screen.shows("before the crash")
        os.kill(screen.pid(), 9)
        harness.writer.answers("while nobody looks", 900)
        harness.flush()
        screen.respawn(interface)
        await screen.shows("before the crash", "while nobody looks")
    async with Engine.open(project) as engine:
        contents = [one.content for one in await engine.episodes.page(session_id=SESSION)]
        assert contents == ["while nobody looks", "before the crash"]
