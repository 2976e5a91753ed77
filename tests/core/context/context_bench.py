"""A window over a real store, filled through SQL or through the engine's own commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sakur4_core.cache.coherence import Coherence
from sakur4_core.clock import FakeClock, SequentialIds
from sakur4_core.context.tokens import LocalCounter
from sakur4_core.context.window import Window
from sakur4_core.memory.anchors import Anchors
from sakur4_core.paths import Project, StorePlace
from sakur4_core.settings import ContextSettings, Settings
from sakur4_core.store.database import Database, Transaction
from sakur4_core.workspace import Workspace

COUNTER = LocalCounter()


@dataclass
class Turn:
    """One row for a test's transcript."""

    role: str
    content: str
    tool_name: str | None = None
    call: str | None = None
    tier: str = "live"
    in_window: str = "yes"
    superseded_by: str | None = None
    tokens: int | None = None


def conversation(rounds: int, size: int = 60) -> list[Turn]:
    """A user's request, then rounds of a tool call, its result and a remark."""
    turns = [Turn("user", "Please make the limit seven and run the tests.")]
    for index in range(rounds):
        body = "\n".join(
            f"{index}.{line}: src/module_{index}.py checks the limit of every session"
            for line in range(size)
        )
        turns += [
            Turn("assistant", f'{{"path": "src/module_{index}.py"}}', "Read", f"c{index}"),
            Turn("tool", body, "Read", f"c{index}"),
            Turn("assistant", f"Module {index} reads the limit from its settings."),
        ]
    return turns


@dataclass
class Bench:
    """A workspace on a store of its own, with the means to fill it."""

    workspace: Workspace
    clock: FakeClock
    anchors: Anchors
    coherence: Coherence
    window: Window
    _seq: int = field(default=0)

    async def fill(
        self, turns: Sequence[Turn], session: str = "s1", model: str | None = None
    ) -> None:
        """Write rows as a commit would, without what only a commit needs."""

        def work(tx: Transaction) -> None:
            tx.db.execute(
                "INSERT INTO session (session_id, harness, model, created_at, last_seen_at)"
                " VALUES (?, 'test', ?, ?, ?) ON CONFLICT DO NOTHING",
                (session, model, tx.now(), tx.now()),
            )
            turn = tx.db.execute(
                "SELECT coalesce(max(turn), 0) FROM episode WHERE session_id = ?", (session,)
            ).fetchone()[0]
            for row in turns:
                self._seq += 1
                turn += row.role == "user"
                tokens = COUNTER.count(row.content) if row.tokens is None else row.tokens
                tx.db.execute(
                    "INSERT INTO episode VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                    (
                        self._seq,
                        f"ep_{self._seq:06d}",
                        session,
                        turn,
                        row.role,
                        row.content,
                        row.tool_name,
                        row.call,
                        tokens,
                        "test",
                        tx.now(),
                        None,
                        "h",
                        "c",
                    ),
                )
                tx.db.execute(
                    "INSERT INTO episode_state (seq, tier, in_window, superseded_by)"
                    " VALUES (?, ?, ?, ?)",
                    (self._seq, row.tier, row.in_window, row.superseded_by),
                )

        await self.workspace.database.write(work)

    async def sql(self, statement: str, *values: object) -> None:
        """One statement of its own, for what no part writes yet."""
        await self.workspace.database.write(lambda tx: tx.db.execute(statement, values) and None)

    async def events(self, kind: str) -> int:
        """How many events of a kind there are."""
        return await self.workspace.database.read(
            lambda db: db.execute("SELECT count(*) FROM event WHERE kind = ?", (kind,)).fetchone()[
                0
            ]
        )


class Benches:
    """Opens benches and closes them with the test."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: list[Bench] = []

    async def open(self, **settings: object) -> Bench:
        clock = FakeClock()
        file = self._folder / f"store{len(self._open)}.db"
        database = await Database.open(file, clock)
        place = StorePlace(file)
        workspace = Workspace(
            Project(self._folder, "p1"),
            place,
            Settings(context=ContextSettings.model_validate(settings)),
            database,
            clock,
            SequentialIds(),
            COUNTER,
        )
        anchors = Anchors(workspace)
        coherence = Coherence(workspace)
        window = Window(workspace, anchors, coherence)
        bench = Bench(workspace, clock, anchors, coherence, window)
        self._open.append(bench)
        return bench

    async def close(self) -> None:
        for bench in self._open:
            await bench.workspace.database.close()
