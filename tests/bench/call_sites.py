"""Prints, as JSON, how the index's call edges compare with the hand-labelled call sites.

Run from the repository's root: ``python tests/bench/call_sites.py``.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "core" / "cortex"))

from call_sites import LANGUAGES, Score, compare, labelled, project_of
from cortex_store import stored_edges
from sakur4_core.engine import Engine
from sakur4_core.paths import Home


async def measure(folder: Path) -> dict[str, Score]:
    """The score of each language, and of all."""
    scores, whole = {}, Score()
    home = Home(folder / "home", folder / "home")
    for language in LANGUAGES:
        root = project_of(language, folder)
        async with Engine.open(root, store=":memory:", home=home) as engine:
            await engine.index()
            edges = await engine.workspace.database.read(stored_edges)
        scores[language] = compare(language, labelled(root), edges)
        whole.add(scores[language])
    return {**scores, "all": whole}


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        scores = asyncio.run(measure(Path(folder)))
    report = {
        name: {
            "sites": score.sites,
            "reachable": score.reachable,
            "exact_precision": round(score.exact_precision, 3),
            "precision": round(score.precision, 3),
            "recall": round(score.recall, 3),
            "wrong": score.wrong,
            "missed": score.missed,
        }
        for name, score in scores.items()
    }
    json.dump(report, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
