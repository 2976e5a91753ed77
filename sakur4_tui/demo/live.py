"""The demo on the screen: the interface here, the agent in a process of its own."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from sakur4_tui.cli.interface import open_interface
from sakur4_tui.cli.output import complain
from sakur4_tui.cli.place import Place
from sakur4_tui.demo.stage import Stage, seed_stage, set_stage

GRACE_S = 5


def run_live(*, speed: float, keep: bool, theme: str | None) -> None:
    """Open the interface on the sample project while the recording is played."""
    with set_stage(keep=keep) as stage:
        asyncio.run(seed_stage(stage))
        with _agent(stage, speed):
            open_interface(Place(stage.project), {} if theme is None else {"tui.theme": theme})
    if keep:
        complain(f"The sample project stays at {stage.project}.")


@contextmanager
def _agent(stage: Stage, speed: float) -> Iterator[None]:
    """The replay as a neighbour; it ends with this block, and with this process.

    Its stderr goes to a file: the terminal belongs to the interface.
    """
    with (stage.folder / "agent.log").open("w", encoding="utf-8") as log:
        neighbour = subprocess.Popen(
            [sys.executable, "-m", "sakur4_tui.demo.replay", str(stage.project), str(speed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=log,
        )
        try:
            yield
        finally:
            assert neighbour.stdin is not None
            neighbour.stdin.close()
            try:
                neighbour.wait(GRACE_S)
            except subprocess.TimeoutExpired:
                neighbour.kill()
                neighbour.wait()
