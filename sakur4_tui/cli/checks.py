"""What ``doctor`` looks at. Every check answers; none of them stops the others."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sakur4_core import __version__
from sakur4_core.errors import Sakur4Error
from sakur4_core.harness.reach import CONNECT_HOOKS, hooked_here
from sakur4_core.models import Status, Verification
from sakur4_core.paths import Home
from sakur4_core.settings import Settings, setting_keys

from sakur4_tui.cli.output import visible
from sakur4_tui.cli.place import Place
from sakur4_tui.opening import prepare


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes:
        state: ``well``; ``limited`` where something works less well than it could, and says
            so wherever it matters; ``bad`` where it has to be put right.
        hint: What to do where it is not well.
    """

    name: str
    state: Literal["well", "limited", "bad"]
    detail: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """A setting that is no default, and the layer that it came from."""

    key: str
    value: str
    source: str


async def examine(place: Place) -> tuple[list[Check], list[Chosen]]:
    """Look at the program, the settings, the project's store and who else has it open."""
    checks = [*_program(), _home(Home.resolve())]
    try:
        opening = prepare(place.project, place.store, "cli")
    except Sakur4Error as error:
        return [*checks, Check("settings", "bad", error.message, error.hint)], []
    checks.append(
        Check("settings", "well", f"{len(opening.settings.sources)} set by file, flag or variable")
    )
    try:
        async with opening.engine() as engine:
            checks.extend(_store(await engine.status(), await engine.verify()))
            checks.append(_transcripts(await engine.unknown_lines()))
            checks.append(_hooks(engine.project.root))
    except Sakur4Error as error:
        checks.append(Check("store", "bad", error.message, error.hint))
    return checks, _chosen(opening.settings)


def _program() -> Iterator[Check]:
    yield Check("program", "well", f"sakur4-tui {__version__}")
    yield Check("python", "well", f"{platform.python_version()} on {platform.system()}")
    git = shutil.which("git")
    yield Check(
        "git",
        "well" if git else "limited",
        git or "not found",
        "Without git a project is known by its path only.",
    )


def _home(home: Home) -> Check:
    try:
        home.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        return Check(
            "data", "bad", f"{home.data}: {error.strerror}", "Name another with SAKUR4_HOME."
        )
    return Check("data", "well", str(home.data))


def _store(status: Status, chain: Verification) -> Iterator[Check]:
    yield Check(
        "store",
        "well",
        f"{status.store}, schema {status.schema_version}, {status.episodes} turns,"
        f" {status.facts} facts, {status.files} files",
    )
    yield Check(
        "transcript",
        "well" if chain.ok else "bad",
        f"chain over {chain.episodes} turns {'holds' if chain.ok else 'is broken'}",
        "Run `sakur4-tui verify` for the first bad turn; keep a copy of the store.",
    )
    others = ", ".join(f"{process.kind} {process.pid}" for process in status.processes)
    lease = "nobody" if status.lease_holder is None else str(status.lease_holder)
    yield Check("processes", "well", f"{others}; lease: {lease}")
    yield Check("counter", "well", status.counter)
    yield Check("backend", "well", status.backend)
    for problem in status.degraded:
        yield Check("degraded", "limited", problem)


def _transcripts(unknown: Mapping[tuple[str, str], int]) -> Check:
    """Lines of harnesses that were kept and not understood."""
    if not unknown:
        return Check("transcripts", "well", "every line that was read is known")
    kinds = ", ".join(
        f"{count:,} {visible(kind)[:40]} ({harness})"
        for (harness, kind), count in sorted(unknown.items())
    )
    return Check(
        "transcripts",
        "limited",
        f"lines of unknown kinds, kept as they are: {kinds}",
        "A newer sakur4-tui may know them; nothing is lost until then.",
    )


def _hooks(root: Path) -> Check:
    if hooked_here(root):
        return Check("hooks", "well", "Claude Code calls ours in this project")
    return Check(
        "hooks",
        "well",
        f"none; `{CONNECT_HOOKS}` lets pinned rules come back after a compaction",
    )


def _chosen(settings: Settings) -> list[Chosen]:
    found = []
    for key in sorted(setting_keys()):
        if settings.source_of(key) != "default":
            section, name = key.split(".")
            value = getattr(getattr(settings, section), name)
            found.append(Chosen(key, str(value), settings.source_of(key)))
    return found
