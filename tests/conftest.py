"""Shared fixtures: private user folders, a small real project, an engine on real SQLite."""

from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from sakur4_core.clock import FakeClock, SequentialIds
from sakur4_core.engine import Engine
from sakur4_core.paths import Home


@pytest.fixture(autouse=True)
def private_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads or writes the developer's own settings, stores or harness files."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("SAKUR4_HOME", str(home / "sakur4"))
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def home(private_home: Path) -> Home:
    return Home(private_home / "sakur4", private_home / "sakur4")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A git work tree with a few Python files."""
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "auth.py").write_text(
        'class Session:\n    """A signed-in user."""\n\n'
        "    def expire(self, now: float) -> bool:\n        return now > self.limit\n\n\n"
        "def check_user(email: str) -> bool:\n"
        '    """Look a user up by e-mail."""\n    return bool(email)\n'
    )
    (root / "src" / "api.py").write_text(
        "from src.auth import check_user\n\n\n"
        "def login(email: str) -> dict:\n"
        '    return {"ok": check_user(email)}\n'
    )
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


@pytest.fixture
async def engine(project: Path, home: Home, clock: FakeClock) -> AsyncIterator[Engine]:
    """An engine with a fake clock and counted ids, on a store file of its own."""
    async with Engine.open(project, home=home, clock=clock, ids=SequentialIds()) as opened:
        yield opened


@pytest.fixture
def open_engine(project: Path, home: Home) -> Callable[..., object]:
    """`async with open_engine(...)`: further engines on the same store."""

    def opener(**arguments: object) -> object:
        return Engine.open(project, **{"home": home, **arguments})  # type: ignore[arg-type]

    return opener
