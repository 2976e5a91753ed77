"""What ``doctor`` looks at. Every check answers; none of them stops the others."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass

from sakur4_core.engine import Engine
from sakur4_core.errors import Sakur4Error
from sakur4_core.models import Status, Verification
from sakur4_core.paths import Home
from sakur4_core.settings import Settings, setting_keys

from sakur4_tui.cli.place import Place


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. ``hint`` is what to do where it is not well."""

    name: str
    ok: bool
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
        settings = place.settings()
    except Sakur4Error as error:
        return [*checks, Check("settings", False, error.message, error.hint)], []
    checks.append(
        Check("settings", True, f"{len(settings.sources)} set by file, flag or variable")
    )
    try:
        async with Engine.open(place.project, store=place.store, settings=settings) as engine:
            checks.extend(_store(await engine.status(), await engine.verify()))
    except Sakur4Error as error:
        checks.append(Check("store", False, error.message, error.hint))
    return checks, _chosen(settings)


def _program() -> Iterator[Check]:
    from importlib.metadata import version

    yield Check("program", True, f"sakur4-tui {version('sakur4-tui')}")
    yield Check("python", True, f"{platform.python_version()} on {platform.system()}")
    git = shutil.which("git")
    yield Check(
        "git", git is not None, git or "not found", "Without git a project is known by its path."
    )


def _home(home: Home) -> Check:
    try:
        home.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        return Check(
            "data", False, f"{home.data}: {error.strerror}", "Name another with SAKUR4_HOME."
        )
    return Check("data", True, str(home.data))


def _store(status: Status, chain: Verification) -> Iterator[Check]:
    yield Check(
        "store",
        True,
        f"{status.store}, schema {status.schema_version}, {status.episodes} turns,"
        f" {status.facts} facts, {status.files} files",
    )
    yield Check(
        "transcript",
        chain.ok,
        f"chain over {chain.episodes} turns {'holds' if chain.ok else 'is broken'}",
        "Run `sakur4-tui verify` for the first bad turn; keep a copy of the store.",
    )
    others = ", ".join(f"{process.kind} {process.pid}" for process in status.processes)
    lease = "nobody" if status.lease_holder is None else str(status.lease_holder)
    yield Check("processes", True, f"{others}; lease: {lease}")
    yield Check("counter", True, status.counter)
    yield Check("backend", True, status.backend)
    for problem in status.degraded:
        yield Check("degraded", False, problem)


def _chosen(settings: Settings) -> list[Chosen]:
    found = []
    for key in sorted(setting_keys()):
        if settings.source_of(key) != "default":
            section, name = key.split(".")
            value = getattr(getattr(settings, section), name)
            found.append(Chosen(key, str(value), settings.source_of(key)))
    return found
