"""A store of many made-up turns, with facts and edges, to measure recall's speed on.

    python tests/bench/recall/load.py STORE_FOLDER TURNS

Turns are written straight through the store's own functions, a thousand a transaction.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from pathlib import Path

from sakur4_core.clock import SystemClock
from sakur4_core.engine import Engine
from sakur4_core.memory import chain
from sakur4_core.memory.episodes import append
from sakur4_core.memory.sessions import ensure_session
from sakur4_core.models import Role
from sakur4_core.paths import Home, identify, place_store
from sakur4_core.store import episodes as sql
from sakur4_core.store import status
from sakur4_core.store.database import Database, Transaction
from sakur4_core.words import search_text

BATCH = 1_000
SESSION_TURNS = 200
VOCABULARY = 40_000
MEAN_WORDS = 37
FILES, FUNCTIONS_A_FILE = 400, 25
SYLLABLES = [
    "ba", "con", "der", "fi", "gra", "hel", "in", "jo", "kel", "lan", "mo", "ner", "op", "pre",
    "qui", "ra", "sta", "tor", "un", "ver",
]  # fmt: skip


class Talk:
    """Texts of words whose shares fall as in a language (Zipf), the same for a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        names = random.Random(0)
        self.words = [
            "".join(names.choice(SYLLABLES) for _ in range(names.randint(2, 4)))
            for _ in range(VOCABULARY)
        ]

    def text(self, mean: int = MEAN_WORDS) -> str:
        """A turn of about ``mean`` words; every twentieth is a name."""
        count = max(2, int(self._random.expovariate(1 / mean)))
        return " ".join(self._word() for _ in range(count))

    def _word(self) -> str:
        word = self.words[int(VOCABULARY ** self._random.random()) - 1]
        if self._random.random() < 0.05:
            return f"{word}_{self.words[self._random.randrange(2_000)]}"
        return word


async def fill(root: Path, home: Home, turns: int) -> Path:
    """Write a store of so many turns; return its file."""
    project = identify(root, home)
    file = place_store(project, home, None).file
    database = await Database.open(file, SystemClock())
    talk = Talk(turns)
    try:
        await database.write(lambda tx: status.claim(tx, project))
        for start in range(0, turns, BATCH):
            size = min(BATCH, turns - start)
            await database.write(lambda tx, a=start, n=size: _write(tx, talk, a, n))
    finally:
        await database.close()
    write_code(root, talk)
    async with Engine.open(root, home=home) as engine:
        await engine.index()
    return file


def _write(tx: Transaction, talk: Talk, start: int, size: int) -> None:
    key = chain.store_key(tx)
    for number in range(start, start + size):
        session = f"s{number // SESSION_TURNS}"
        if number % SESSION_TURNS == 0:
            ensure_session(tx, session, harness="bench")
        text = talk.text()
        append(
            tx,
            sql.NewEpisode(
                episode_id=f"ep_{number:024x}",
                session_id=session,
                role=Role.USER if number % 2 else Role.ASSISTANT,
                content=text,
                tool_name=None,
                tool_call_id=None,
                token_count=len(text) // 4,
                origin="bench",
                idempotency_key=None,
                content_hash=chain.content_hash(key, text),
                search_text=search_text(text),
            ),
        )


def write_code(root: Path, talk: Talk, files: int = FILES) -> None:
    """Python files whose functions each call two others, one of them in another file."""
    folder = root / "src"
    folder.mkdir(exist_ok=True)
    for number in range(files):
        other = (number * 7 + 3) % files
        lines = [f"from src.m{other} import m{other}_{talk.words[other]}_0", ""]
        for place in range(FUNCTIONS_A_FILE):
            name = f"m{number}_{talk.words[number]}_{place}"
            before = f"m{number}_{talk.words[number]}_{max(place - 1, 0)}"
            word = talk.words[(number * FUNCTIONS_A_FILE + place) % VOCABULARY]
            lines += [
                f"def {name}({word}):",
                f"    {before}({word})",
                f"    return m{other}_{talk.words[other]}_0({word})",
                "",
            ]
        (folder / f"m{number}.py").write_text("\n".join(lines))


async def main() -> None:
    """Fill what the arguments name."""
    folder, turns = Path(sys.argv[1]), int(sys.argv[2])
    root = folder / "project"
    root.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    file = await fill(root, Home(folder / "home", folder / "home"), turns)
    print(f"{turns} turns in {time.perf_counter() - started:.0f} s: {file}")


if __name__ == "__main__":
    asyncio.run(main())
