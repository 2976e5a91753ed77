"""Repositories made for a test, and what is asked of them most."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from sakur4_core.cortex.cortex import Cortex
from sakur4_core.engine import Engine

# Code to be indexed, some of it tests of its own.
collect_ignore = ["calls"]

Write = Callable[[Mapping[str, str]], None]


@pytest.fixture
def write(project: Path) -> Write:
    """Write files into the project, by relative path."""

    def writer(files: Mapping[str, str]) -> None:
        for name, text in files.items():
            place = project / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)

    return writer


@pytest.fixture
def cortex(engine: Engine) -> Cortex:
    return engine.cortex


@pytest.fixture
def git(project: Path) -> Callable[..., None]:
    """Run git in the project, as a fixed author."""

    def run(*arguments: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.invalid")
        subprocess.run(
            ["git", *identity, *arguments], cwd=project, check=True, capture_output=True
        )

    return run
