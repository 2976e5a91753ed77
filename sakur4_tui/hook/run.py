"""One hook call: read what the harness says, answer, and let it go on whatever happens."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from sakur4_core.clock import stamp
from sakur4_core.errors import Sakur4Error
from sakur4_core.paths import Home, find_root, identify
from sakur4_core.store import hook as sql

from sakur4_tui.hook import claude_code

# The transcript has all that other events would tell.
ANSWERED: Final = ("SessionStart", "UserPromptSubmit", "PreCompact")
MOST_INPUT_BYTES: Final = 32 * 1024 * 1024
LOG_BYTES: Final = 1_000_000
BLOCK_VARIABLE: Final = "SAKUR4_HARNESS_BLOCK_COMPACTION"


def run_hook(event: str, project: Path | None = None, store: str | None = None) -> None:
    """Answer one event on the standard streams. A failure of ours is logged, and silent."""
    try:
        said = json.loads(sys.stdin.buffer.read(MOST_INPUT_BYTES) or b"{}")
        found = respond(event, said if isinstance(said, dict) else {}, project, store)
        if found:
            print(json.dumps(found, ensure_ascii=False), flush=True)
    except Exception as error:
        with suppress(Exception):
            _log(event, error)


def respond(
    event: str, said: Mapping[str, Any], project: Path | None, store: str | None
) -> dict[str, Any]:
    """What the hook says; nothing where this project has no store.

    Raises:
        Sakur4Error: The project cannot be used.
        sqlite3.Error: The store cannot be read now.
    """
    if event not in ANSWERED:
        return {}
    home = Home.resolve()
    start = project or Path(str(os.environ.get("CLAUDE_PROJECT_DIR") or said.get("cwd") or "."))
    root = find_root(start)
    file = Path(store) if store else home.project_store(identify(root, home).project_id)
    if not file.exists():
        return {}
    session_id = str(said.get("session_id") or "")
    with sql.reading(file) as db:
        standing = sql.standing(db, session_id, stamp(datetime.now(UTC)))
    if event == "PreCompact" and session_id:
        _propose(root, store, session_id)
    return claude_code.answer(event, said, standing, may_block=_may_block(home))


def _propose(root: Path, store: str | None, session_id: str) -> None:
    """Have a plan proposed by a process of its own, which the harness does not wait for."""
    command = [sys.executable, "-m", "sakur4_tui", "plan", "--propose", "--project", str(root)]
    if store:
        command += ["--store", store]
    with suppress(OSError):
        subprocess.Popen(
            [*command, "--session", session_id],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


def _may_block(home: Home) -> bool:
    """``harness.block_compaction`` of the user; read by hand, since the settings load slowly."""
    named = os.environ.get(BLOCK_VARIABLE)
    if named is not None:
        return named.strip().lower() in ("1", "true", "yes", "on")
    try:
        settings = tomllib.loads(home.settings_file.read_text("utf-8"))
    except (OSError, ValueError):
        return False
    section = settings.get("harness")
    return isinstance(section, dict) and section.get("block_compaction") is True


def _log(event: str, error: Exception) -> None:
    file = Home.resolve().logs / "hook.log"
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if file.exists() and file.stat().st_size > LOG_BYTES:
        file.replace(file.with_suffix(".log.1"))
    known = isinstance(error, Sakur4Error | sqlite3.Error | ValueError)
    what = str(error) if known else repr(error)
    with os.fdopen(os.open(file, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600), "a") as stream:
        stream.write(f"{datetime.now(UTC).isoformat()} {event}: {type(error).__name__}: {what}\n")
