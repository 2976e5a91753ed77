"""The engine's side: a summary for each sampled definition, and which of them it calls stale."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from changes import World
from sakur4_core.context.tokens import LocalCounter
from sakur4_core.engine import Engine
from sakur4_core.models import StaleAnchor
from sakur4_core.paths import Home
from symbols import CLASS, FUNCTION, Symbol, language_of

KINDS = {
    "function": FUNCTION,
    "method": FUNCTION,
    "class": CLASS,
    "struct": CLASS,
    "enum": CLASS,
    "trait": CLASS,
    "interface": CLASS,
}
# Id, kind, qualified name, first and last line.
Fact = tuple[str, str, str, int, int]
_COUNTER = LocalCounter()


@dataclass(frozen=True, slots=True)
class Anchored:
    """A definition that a summary rests on: the engine's fact, and the same by our reader."""

    fact_id: str
    path: str
    symbol: Symbol


@dataclass(slots=True)
class Sampled:
    """What summaries were written for, and what could not be used."""

    anchored: list[Anchored]
    unmatched: int = 0
    ambiguous: int = 0


class Summaries:
    """One engine over one tree, with the summaries that were written to it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._of: dict[str, str] = {}

    @classmethod
    @asynccontextmanager
    async def over(cls, folder: Path, scratch: Path) -> AsyncIterator[Summaries]:
        """An engine with a fresh store and a home of its own; the tree is indexed."""
        home = Home(scratch / "home", scratch / "home")
        store = scratch / "store.db"
        async with Engine.open(folder, store=store, home=home, counter=_COUNTER) as engine:
            await engine.index()
            yield cls(engine)

    async def facts(self, paths: Iterable[str]) -> dict[str, list[Fact]]:
        """By path: id, kind, qualified name and lines of what may be sampled."""
        rows = await self._engine.workspace.database.read(
            lambda db: [
                tuple(row)
                for row in db.execute(
                    "SELECT file_path, fact_id, kind, qualified_name, line_start, line_end"
                    " FROM fact WHERE file_id IS NOT NULL ORDER BY file_path, line_start, fact_id"
                )
            ]
        )
        wanted = frozenset(paths)
        found: dict[str, list[Fact]] = defaultdict(list)
        for path, *rest in rows:
            if path in wanted and rest[1] in KINDS:
                found[path].append((rest[0], rest[1], rest[2], rest[3], rest[4]))
        return found

    async def write(self, anchored: Iterable[Anchored]) -> None:
        """One summary for each."""
        for one in anchored:
            entry = await self._engine.put_summary(
                f"What {one.symbol.name} is for.", [("fact", one.fact_id)]
            )
            self._of[entry.atlas_id] = one.fact_id

    async def stale(self) -> dict[str, StaleAnchor]:
        """Index what changed, and tell by fact which summaries are stale."""
        await self._engine.index()
        found = await self._engine.staleness(limit=len(self._of) + 1)
        assert found.stale_count == len(found.entries)
        return {self._of[entry.atlas_id]: entry.stale_anchors[0] for entry in found.entries}


async def sample(
    summaries: Summaries,
    world: World,
    changed: Collection[str],
    limits: tuple[int, int],
    seed: str,
) -> Sampled:
    """Draw definitions and write their summaries.

    Args:
        limits: How many of files that will change, and how many of others.
    """
    facts = await summaries.facts(world.paths)
    chance = random.Random(seed)
    drawn = Sampled([])
    for will_change, limit in zip((True, False), limits, strict=True):
        pool = [
            (path, fact)
            for path, of_file in facts.items()
            if (path in changed) is will_change and world.symbols(path)
            for fact in of_file
        ]
        chance.shuffle(pool)
        for path, fact in pool[:limit]:
            symbol = _matching(world.symbols(path) or (), fact)
            if symbol is None:
                drawn.unmatched += 1
            elif _has_twin(world, path, symbol):
                drawn.ambiguous += 1
            else:
                drawn.anchored.append(Anchored(fact[0], path, symbol))
    await summaries.write(drawn.anchored)
    return drawn


def _matching(symbols: Iterable[Symbol], fact: Fact) -> Symbol | None:
    """The definition that a fact is of: the same last name, kind and place."""
    _, kind, name, first, last = fact
    near = [
        symbol
        for symbol in symbols
        if symbol.last_name == name.rpartition(".")[2]
        and symbol.kind == KINDS[kind]
        and symbol.first_line <= last
        and first <= symbol.last_line
    ]
    return min(
        near, key=lambda s: abs(s.first_line - first) + abs(s.last_line - last), default=None
    )


def _has_twin(world: World, path: str, symbol: Symbol) -> bool:
    """Whether the file holds the same twice, so that nobody could say which one was meant."""
    return sum(other.form == symbol.form for other in world.named(path, symbol.name)) > 1


def source_paths(files: Iterable[str]) -> list[str]:
    """Those that a reader exists for."""
    return sorted(path for path in files if language_of(path))
