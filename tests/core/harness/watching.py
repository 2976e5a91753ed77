"""A program that follows sessions and can be restarted, and all that it stored of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from sakur4_core.clock import SystemClock
from sakur4_core.engine import Engine
from sakur4_core.harness.discover import Homes
from sakur4_core.harness.tail import Follower
from sakur4_core.paths import Home

Rows = list[tuple[Any, ...]]


class Watching:
    """The program. It looks when it is told to, and never by itself."""

    engine: Engine
    follower: Follower

    def __init__(self, root: Path, home: Path) -> None:
        self._root = root
        self._home = home
        self._stack = AsyncExitStack()

    async def start(self) -> None:
        places = Home(self._home / "sakur4", self._home / "sakur4")
        opened = Engine.open(self._root, home=places, clock=SystemClock())
        self.engine = await self._stack.enter_async_context(opened)
        homes = Homes.of({}, self._home)
        self.follower = Follower(self.engine.workspace, self.engine.importer, homes)

    async def stop(self) -> None:
        await self._stack.aclose()

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    async def look(self, times: int = 1) -> None:
        for _ in range(times):
            await self.follower.once()

    async def settle(self) -> None:
        """Looks enough that new files are found and a last line without an end is at rest."""
        await self.look(8)


@asynccontextmanager
async def watching(root: Path, home: Path) -> AsyncIterator[Watching]:
    watch = Watching(root, home)
    await watch.start()
    try:
        yield watch
    finally:
        await watch.stop()


def made_up_project(base: Path) -> Path:
    """The root of an empty project."""
    root = base / "project"
    root.mkdir()
    (root / "pyproject.toml").write_text("[project]\nname = 'made-up'\n")
    return root


async def table(engine: Engine, sql: str) -> Rows:
    rows = await engine.workspace.database.read(lambda db: db.execute(sql).fetchall())
    return [tuple(row) for row in rows]


async def everything(engine: Engine) -> dict[str, Rows]:
    """All that came of the transcripts, without places in files."""
    episodes = (
        "SELECT seq, session_id, content, in_window, role, created_at"
        " FROM episode JOIN episode_state USING (seq) ORDER BY seq"
    )
    return {
        "episodes": await table(engine, episodes),
        "calls": await table(engine, "SELECT * FROM harness_spend ORDER BY key"),
        "usage": await table(engine, "SELECT * FROM usage ORDER BY usage_row"),
        "compactions": await table(engine, "SELECT * FROM compaction ORDER BY compaction_row"),
        "sessions": await table(
            engine, "SELECT session_id, parent_session FROM session ORDER BY session_id"
        ),
    }


async def spent(engine: Engine) -> tuple[int, ...]:
    """API messages, and their input, cache creation, cache read and output."""
    sums = "SELECT count(*), " + ", ".join(
        f"coalesce(sum({name}), 0)" for name in ("input", "created", "read", "output")
    )
    return (await table(engine, f"{sums} FROM harness_spend"))[0]


async def reported(engine: Engine) -> Rows:
    """What is known of each API message, however its lines came."""
    return await table(
        engine,
        "SELECT session_id, message_id, turn, context_tokens, epoch FROM usage"
        " ORDER BY session_id, message_id",
    )


def in_order(part: list[str], whole: list[str]) -> bool:
    """Whether ``part`` is ``whole`` with some left out."""
    rest = iter(whole)
    return all(any(text == other for other in rest) for text in part)
