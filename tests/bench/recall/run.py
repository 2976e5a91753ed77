"""Measure recall through the engine: which turns it finds for questions with known evidence.

    python tests/bench/recall/run.py [FOLDER] [--sets locomo,code] [--form dated] [--every 10]

FOLDER holds ``<set>_turns.jsonl`` and ``<set>_questions.jsonl`` of the shapes in its README.
Every turn goes through ``Engine.commit_episode``; a conversation is a session, so "within" is
a recall narrowed to it in a store of all, and "pooled" one that is not. Prints JSON, then a
table on standard error.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from data import FORMS, Question, Turn, by_conversation, read_questions, read_turns
from figures import Score, table
from reference import Reference
from sakur4_core.engine import Engine
from sakur4_core.paths import Home
from sakur4_core.recall.turn_search import CONTEXT, DENSE, FULL, LEXICAL, Recipe

DEFAULT = Path(__file__).resolve().parents[4] / "shared" / "bench" / "recall"
K = 10
BUDGET = 100_000
ARMS = {
    "lexical": Recipe((LEXICAL,), hints=False),
    "context": Recipe((CONTEXT,), hints=False),
    "dense": Recipe((DENSE,), hints=False),
    "+context": Recipe((LEXICAL, CONTEXT), hints=False),
    "+dense": Recipe((LEXICAL, CONTEXT, DENSE), hints=False),
    "rrf": Recipe(policy="rrf"),
    "full": FULL,
}
Results = dict[str, dict[str, dict[str, float]]]


async def main() -> None:
    """Measure what the arguments name."""
    options = _options()
    results: Results = {}
    for name in options.sets.split(","):
        turns = read_turns(options.folder / f"{name}_turns.jsonl")
        questions = read_questions(
            options.folder / f"{name}_questions.jsonl", audited=options.audited
        )[:: options.every]
        arms = [arm for arm in ARMS if options.arms == "all" or arm in options.arms.split(",")]
        with tempfile.TemporaryDirectory() as folder:
            results.update(await measure(name, turns, questions, options.form, arms, folder))
    print(json.dumps(results, indent=1))
    print(table(results), file=sys.stderr)


async def measure(
    name: str,
    turns: Sequence[Turn],
    questions: Sequence[Question],
    form: str,
    arms: Sequence[str],
    folder: str,
) -> Results:
    """The figures of every arm on one set, within conversations and pooled."""
    home = Home(Path(folder) / "home", Path(folder) / "home")
    root = Path(folder) / "project"
    root.mkdir()
    conversations = by_conversation(turns)
    # Where a set is one conversation, its sessions are what turns are grouped by.
    grouped = len(conversations) > 1
    results: Results = {}
    async with Engine.open(root, home=home) as engine:
        keys = {}
        for turn in turns:
            session = turn.key[0] if grouped else turn.session
            done = await engine.commit_episode("user", turn.content(form), session_id=session)
            keys[done.episode_id] = turn.key
        await engine.recall("anything", k=1)
        for scope in ("within", "pooled") if grouped else ("pooled",):
            found = results.setdefault(f"{name}, {scope}", {})
            found["reference"] = _reference(turns, conversations, questions, form, scope)
            for arm in arms:
                score = Score()
                for question in questions:
                    session_id = question.conv if scope == "within" else None
                    started = time.perf_counter()
                    answer = await engine.recaller.recall(
                        question.text,
                        k=K,
                        session_id=session_id,
                        budget_tokens=BUDGET,
                        recipe=ARMS[arm],
                    )
                    ms = (time.perf_counter() - started) * 1_000
                    hits = [keys[hit.id] for hit in answer.hits if hit.id in keys]
                    score.add(hits, question.evidence, question.category, ms)
                found[arm] = score.row()
    return results


def _reference(
    turns: Sequence[Turn],
    conversations: dict[str, list[Turn]],
    questions: Sequence[Question],
    form: str,
    scope: str,
) -> dict[str, float]:
    groups = conversations if scope == "within" else {"": list(turns)}
    indexes = {
        name: Reference([turn.content(form) for turn in group]) for name, group in groups.items()
    }
    score = Score()
    for question in questions:
        name = question.conv if scope == "within" else ""
        started = time.perf_counter()
        places = indexes[name].search(question.text, K)
        ms = (time.perf_counter() - started) * 1_000
        found = [groups[name][place].key for place in places]
        score.add(found, question.evidence, question.category, ms)
    return score.row()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--sets", default="locomo,code")
    parser.add_argument("--form", choices=FORMS, default="dated")
    parser.add_argument("--arms", default="all", help="all, or names with commas between")
    parser.add_argument("--every", type=int, default=1, help="ask every n-th question only")
    parser.add_argument("--audited", action="store_true", help="take an audit's evidence")
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main())
