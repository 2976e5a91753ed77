"""The stage: a private copy of the sample project, with a home and a memory of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sakur4_core.engine import Engine

from sakur4_tui.demo.recording import Seeds, data_folder, load_seeds

# A small window, so that a session of half a minute fills it; the person's own sessions are
# none of the demo's business.
SETTINGS: Final = """\
[context]
window = 32000
reserve_output = 2000

[harness]
tail = false
"""
_GIT_AS: Final = (
    "-c",
    "user.name=orderdesk",
    "-c",
    "user.email=orderdesk@example.org",
    "-c",
    "init.defaultBranch=main",
    "-c",
    "commit.gpgsign=false",
    "-c",
    "core.hooksPath=/dev/null",
)


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the demo plays."""

    folder: Path
    data: Path

    @property
    def project(self) -> Path:
        """The copy of the sample project."""
        return self.folder / "orderdesk"


@contextmanager
def set_stage(*, keep: bool) -> Iterator[Stage]:
    """Copy the sample, give it a history, and point SAKUR4_HOME at a private folder.

    The folder is removed at the end unless ``keep``.
    """
    # Real path: where the temporary folder is a link, two names of one root would be two.
    folder = Path(tempfile.mkdtemp(prefix="sakur4-demo-")).resolve()
    stage = Stage(folder, data_folder())
    try:
        _copy(stage.data / "repo", stage.project)
        _give_history(stage.project)
        home = folder / "home"
        home.mkdir(mode=0o700)
        (home / "config.toml").write_text(SETTINGS, "utf-8")
        with _only_home(home):
            yield stage
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


async def seed(engine: Engine, seeds: Seeds) -> None:
    """Index the project, pin its rules and store what is said about its symbols."""
    await engine.index()
    for kind, content in seeds.anchors:
        await engine.pin(content, kind=kind)
    for content, symbols in seeds.summaries:
        anchors = [
            ("fact", hit.fact_id)
            for name in symbols
            for hit in (await engine.symbol(name)).symbols
        ]
        await engine.put_summary(content, anchors)


async def seed_stage(stage: Stage) -> None:
    """Seed the stage's own store."""
    async with Engine.open(stage.project) as engine:
        await seed(engine, load_seeds(stage.data))


def _copy(source: Path, target: Path) -> None:
    """Copy the files' content only: an installed package may be read-only, the copy may not."""
    for file in sorted(source.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            copy = target / file.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)


def _give_history(project: Path) -> None:
    """One commit holding the sample; without git it is a plain folder, which works too."""
    git = shutil.which("git")
    if git is None:
        return
    # A hook or an alias that started the demo may point git at another repository.
    environment = {key: value for key, value in os.environ.items() if key[:4] != "GIT_"}
    for arguments in (
        ("init", "--quiet"),
        ("add", "--all"),
        ("commit", "--quiet", "--message", "orderdesk 0.4.2"),
    ):
        subprocess.run(
            [git, *_GIT_AS, *arguments],
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=True,
        )


@contextmanager
def _only_home(home: Path) -> Iterator[None]:
    """Take the person's own SAKUR4_ variables away and set the home; put them back at the end."""
    own = {key: value for key, value in os.environ.items() if key.startswith("SAKUR4_")}
    for key in own:
        del os.environ[key]
    os.environ["SAKUR4_HOME"] = str(home)
    try:
        yield
    finally:
        del os.environ["SAKUR4_HOME"]
        os.environ.update(own)
