"""What do summaries do to recall? A session's turns, asked for before and after consolidation.

    python tests/bench/consolidation.py [--episodes 500] [--seed 7] [--transcripts PATH]

The turns are those of the eviction benchmark, with its 120 facts each told once and asked for in
other words; a hit counts where the answer stands in one of the first eight, within recall's own
budget. Prints one JSON document: recall at 8 without and with summaries, how many were stored, how
much shorter they are, and how many break a promise (none may).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from sakur4_core.engine import Engine
from sakur4_core.models import DreamReport
from sakur4_core.paths import Home

sys.path.insert(0, str(Path(__file__).parent / "eviction"))
from recorded import demo, imported
from session import Fact, Work, make

SESSIONS = 4
HITS = 8
CYCLES = 400


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=500)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--transcripts", type=Path)
    arguments = parser.parse_args()
    recorded = demo() + imported(arguments.transcripts) if arguments.transcripts else demo()
    # A turn of the work is about six episodes.
    work = make(arguments.episodes // 6 + 20, arguments.seed, recorded)
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(measure(work, arguments.episodes, Path(folder)))
    print(json.dumps({"seed": arguments.seed, **found}, indent=1))


async def measure(work: Work, episodes: int, folder: Path) -> dict[str, Any]:
    """Commit, ask, consolidate, ask again."""
    root = folder / "project"
    root.mkdir()
    async with Engine.open(root, home=Home(folder / "home", folder / "home")) as engine:
        facts = await commit(engine, work, episodes)
        before = await recalled(engine, facts)
        started = time.perf_counter()
        report = await consolidate(engine)
        spent = time.perf_counter() - started
        after = await recalled(engine, facts)
        stored = await promises(engine)
    return {
        "episodes": episodes,
        "facts": len(facts),
        "recall_at_8_without": round(before / len(facts), 4),
        "recall_at_8_with": round(after / len(facts), 4),
        **stored,
        "not_worth_one": sum(report.values()),
        "ms_a_summary": round(1000 * spent / max(1, int(stored["summaries"])), 1),
    }


async def commit(engine: Engine, work: Work, episodes: int) -> list[Fact]:
    """The first ``episodes`` steps, over several sessions; returns the facts told in them."""
    done, told = 0, []
    for number, turn in enumerate(work.turns):
        if done + len(turn) > episodes:
            break
        for step in turn:
            await engine.commit_episode(
                step.role,
                step.content,
                session_id=f"s{number % SESSIONS}",
                tool_name=step.tool_name,
                tool_call_id=step.call,
            )
        done += len(turn)
        told += [fact for fact in work.facts if fact.turn == number]
    return told


async def recalled(engine: Engine, facts: list[Fact]) -> int:
    """How many facts' answers stand in what recall gives."""
    found = 0
    for fact in facts:
        answer = await engine.recall(fact.question, k=HITS)
        text = "\n".join(hit.text for hit in answer.hits)
        found += re.search(rf"(?<![\w.-]){re.escape(fact.answer)}(?![\w-])", text) is not None
    return found


async def consolidate(engine: Engine) -> dict[str, int]:
    """Cycle until nothing is due; returns what was skipped, by reason."""
    skipped: dict[str, int] = {}
    for _ in range(CYCLES):
        report: DreamReport = await engine.dream(force=True)
        for why, count in report.skipped.items():
            skipped[why] = skipped.get(why, 0) + count
        if report.reason == "Nothing was due.":
            return skipped
    raise RuntimeError("the consolidator finds no end")


async def promises(engine: Engine) -> dict[str, Any]:
    """Every summary against its source."""
    longer = foreign = tokens = whole = 0
    entries = [one for one in await engine.atlas.entries(100_000) if one.origin == "dream"]
    for entry in entries:
        source = await engine.workspace.database.read(
            lambda db, atlas_id=entry.atlas_id: db.execute(  # type: ignore[misc]
                "SELECT e.content, e.token_count FROM atlas_anchor a"
                " JOIN episode e ON e.episode_id = a.anchor_id"
                " WHERE a.atlas_id = ? AND a.anchor_type = 'episode'",
                (atlas_id,),
            ).fetchone()
        )
        count = await engine.workspace.counter.measure(entry.content)
        longer += count >= source["token_count"]
        foreign += any(line not in source["content"] for line in entry.content.split("\n"))
        tokens, whole = tokens + count, whole + source["token_count"]
    return {
        "summaries": len(entries),
        "share_of_tokens": round(tokens / max(1, whole), 3),
        "not_shorter": longer,
        "with_foreign_words": foreign,
    }


if __name__ == "__main__":
    main()
