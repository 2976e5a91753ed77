"""What does keeping a window cost, and what gets lost? Three ways over the same long session.

    python tests/bench/eviction/run.py [--turns 300] [--window 20000] [--seed 7]
        [--transcripts PATH] [--json FILE]

A stand-in for llama.cpp's server (fixtures/fake_llama, a process of its own with one slot) keeps a
prefix cache; what it has to evaluate beyond the session's own texts, each once, was prefilled
again. Recall's answers and pinned rules are part of what is charged. The table goes to standard
error, the document to standard output or FILE; the same seed gives the same figures.
PATH is a transcript of a harness, or a folder of them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from arms import Outcome, joined, ours, sliding, summarising
from model import count, served
from recorded import demo, imported
from session import Work, make

MARGIN = 4_000


def main() -> None:
    """Run the arms, print the table, write the document."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--window", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--target", type=float, help="instead of the profile's share")
    parser.add_argument("--transcripts", type=Path, help="what agents saw here is shown as well")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    recorded = demo() + imported(arguments.transcripts) if arguments.transcripts else demo()
    work = make(arguments.turns, arguments.seed, recorded)
    outcomes = run(work, arguments.window, arguments.target)
    once = count(joined(work.system, work.tools)) + sum(
        count(step.content) for turn in work.turns for step in turn
    )
    rows = [row_of(outcome, once) for outcome in outcomes]
    print(table(rows), file=sys.stderr)
    document = {
        "seed": arguments.seed,
        "turns": arguments.turns,
        "window": arguments.window,
        "target": arguments.target,
        "outputs_recorded": len(recorded.outputs),
        "session_tokens": once,
        "arms": rows,
        "verdict": verdict(rows),
    }
    text = json.dumps(document, indent=1)
    if arguments.json is None:
        print(text)
    else:
        arguments.json.write_text(text + "\n")


def run(work: Work, window: int, target: float | None = None) -> list[Outcome]:
    """Every arm over the same session, each with a server of its own."""
    outcomes = []
    for appended in (False, True):
        with served(window + MARGIN) as model:
            outcomes.append(summarising(work, window, model, appended=appended))
    with served(window + MARGIN) as model:
        outcomes.append(sliding(work, window, model))
    with served(window + MARGIN) as model, tempfile.TemporaryDirectory() as folder:
        outcomes.append(asyncio.run(ours(work, window, model, Path(folder), target=target)))
    return outcomes


def row_of(outcome: Outcome, once: int) -> dict[str, object]:
    """One arm's figures; what was retrieved at the end is charged as sent."""
    sent = outcome.tokens_sent + outcome.tokens_retrieved
    again = outcome.tokens_evaluated - once
    return {
        **asdict(outcome),
        "tokens_charged": sent,
        "tokens_a_turn": round(sent / outcome.turns),
        "tokens_prefilled_again": again,
        "rules_kept": round(outcome.rules_present / max(1, outcome.rules_due), 4),
        "facts_recalled": round(outcome.recalled / max(1, outcome.facts), 4),
    }


def verdict(rows: list[dict[str, object]]) -> dict[str, float | bool]:
    """Ours against the baseline, by the targets that were set."""
    base, own = rows[0], rows[-1]
    again = float(own["tokens_prefilled_again"]) / float(base["tokens_prefilled_again"])  # type: ignore[arg-type]
    sent = float(own["tokens_a_turn"]) / float(base["tokens_a_turn"])  # type: ignore[arg-type]
    return {
        "prefilled_again_of_baseline": round(again, 3),
        "tokens_a_turn_of_baseline": round(sent, 3),
        "reached": again <= 0.5
        and sent <= 1.05
        and own["rules_kept"] == 1.0
        and float(own["facts_recalled"]) >= 0.9  # type: ignore[arg-type]
        and own["sums_wrong"] == own["pressure_wrong"] == 0,
    }


def table(rows: list[dict[str, object]]) -> str:
    """The figures in columns."""
    columns = (
        ("arm", "arm"),
        ("cuts", "compactions"),
        ("sent a turn", "tokens_a_turn"),
        ("prefilled again", "tokens_prefilled_again"),
        ("rules kept", "rules_kept"),
        ("facts recalled", "facts_recalled"),
    )
    cells = [[title for title, _ in columns]]
    cells += [[_shown(row[key]) for _, key in columns] for row in rows]
    widths = [max(len(line[place]) for line in cells) for place in range(len(columns))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in cells
    )


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1%}"
    return f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    main()
