"""The demo: a recording that never contradicts its sample, and the replay of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from cli_program import Terminal, program_environment

from sakur4_tui.demo.recording import (
    FileWrite,
    Step,
    ToolCall,
    data_folder,
    load_seeds,
    load_steps,
)

DATA = data_folder()
NUMBERED = re.compile(r" *\d+\t")


@pytest.fixture(scope="module")
def steps() -> tuple[Step, ...]:
    return load_steps(DATA)


def test_the_recording_is_a_whole_session(steps: tuple[Step, ...]) -> None:
    tools = [step.action.tool for step in steps if isinstance(step.action, ToolCall)]
    assert tools.count("memory_commit_episode") >= 60
    assert tools[-3] == "context_plan_eviction"
    assert [step.at for step in steps] == sorted(step.at for step in steps)
    assert next(s.at for s in steps if isinstance(s.action, FileWrite)) < 8
    assert next(s.at for s in steps if s.action == steps[-3].action) < 30


def test_what_the_agent_read_is_what_stood_on_disk(
    steps: tuple[Step, ...], tmp_path: Path
) -> None:
    project = tmp_path / "repo"
    shutil.copytree(DATA / "repo", project)
    path = ""
    reads = 0
    for step in steps:
        if isinstance(step.action, FileWrite):
            step.action.apply(project)
            continue
        arguments = step.action.arguments
        content = str(arguments.get("content", ""))
        if arguments.get("role") == "assistant" and "\n\nRead " in content:
            path = content.rpartition("Read ")[2]
        elif arguments.get("tool_name") == "Read":
            said = [NUMBERED.sub("", line, count=1) for line in content.splitlines()]
            assert said == (project / path).read_text("utf-8").splitlines(), path
            reads += 1
    assert reads >= 12


def test_the_tests_of_the_sample_end_as_the_recording_says(
    steps: tuple[Step, ...], tmp_path: Path
) -> None:
    project = tmp_path / "repo"
    shutil.copytree(DATA / "repo", project)
    for step in steps:
        if isinstance(step.action, FileWrite):
            step.action.apply(project)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=project,
        env={**program_environment(), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    recorded = [
        str(step.action.arguments["content"])
        for step in steps
        if isinstance(step.action, ToolCall) and step.action.arguments.get("tool_name") == "Bash"
    ]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert any(f"{passed[0]} in" in text for text in recorded)


def test_seeds_speak_of_symbols_of_the_sample() -> None:
    source = "".join(file.read_text("utf-8") for file in (DATA / "repo").rglob("*.py"))
    for _, symbols in load_seeds(DATA).summaries:
        for name in symbols:
            assert re.search(rf"^(def|class) {name}\b", source, re.MULTILINE), name


def test_headless_exits_0_with_every_count_above_0(private_home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sakur4_tui", "demo", "--headless", "--json"],
        env=program_environment(),
        cwd=private_home,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["turns"] >= 60
    for name in ("facts", "proposals_decided", "stale_entries", "plans_applied", "tokens_freed"):
        assert report[name] > 0, name
    assert report["chain_ok"]
    assert report["project"] is None
    assert not (private_home / "sakur4").exists()
    assert "Traceback" not in done.stderr


def test_on_a_terminal_it_comes_alive_and_leaves_nothing_behind(
    on_terminal: Callable[..., Terminal], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A folder of its own: other tests play the demo meanwhile.
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    terminal = on_terminal("demo", "--speed", "4", size=(140, 45))
    terminal.expect("Never edit the generated migrations", bound_s=60)
    children = psutil.Process(terminal.pid).children(recursive=True)
    assert any("--serve" in child.cmdline() for child in children)
    terminal.type("q")
    assert terminal.end() == 0
    _, alive = psutil.wait_procs(children, timeout=10)
    assert alive == []
    assert list(folder.glob("sakur4-demo-*")) == []


def test_a_signal_leaves_nothing_of_it_behind(
    on_terminal: Callable[..., Terminal], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    terminal = on_terminal("demo", "--speed", "4", size=(140, 45))
    terminal.expect("history: ", bound_s=60)
    children = psutil.Process(terminal.pid).children(recursive=True)
    os.kill(terminal.pid, signal.SIGHUP)
    assert terminal.end() == 128 + signal.SIGHUP
    _, alive = psutil.wait_procs(children, timeout=10)
    assert alive == []
    assert list(folder.glob("sakur4-demo-*")) == []


@pytest.mark.slow
def test_at_its_own_pace_a_plan_waits_within_30_seconds(
    on_terminal: Callable[..., Terminal],
) -> None:
    terminal = on_terminal("demo", size=(140, 45))
    terminal.expect("rewrites", bound_s=60)
    terminal.type("q")
    assert terminal.end() == 0
