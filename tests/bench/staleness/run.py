"""Which summaries does the engine call stale, and which are? Over real histories and made edits.

    python tests/bench/staleness/run.py [--repos FOLDER ...] [--pairs 4] [--distances 1 5 20]
        [--changed 200] [--others 60] [--synthetic 40] [--seed 7] [--json FILE]

FOLDER is a repository, bare or not; without any, the one that this file stands in. Each pair is a
commit and its k-th successor on the first-parent history. The older tree is indexed through the
engine, a summary is written for each drawn function, method and type, the newer tree is laid out
over it and indexed again, and what the engine calls stale is held against what the benchmark's own
readers (``ast``, tree-sitter's leaves) find. The rows labelled ``synthetic`` are edits made to the
files of the newest commit. The table goes to standard error, the document to standard output or
FILE.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from figures import Judged, report, table
from history import Repository
from over_edits import over_edits
from over_history import over_history

HERE, OWN_NAME = Path(__file__).resolve().parents[3], "sakur4-tui"


async def run(arguments: argparse.Namespace) -> tuple[list[Judged], list[dict[str, object]]]:
    """Every repository, one after another."""
    judged: list[Judged] = []
    told: list[dict[str, object]] = []
    for place in arguments.repos or [HERE]:
        repository = Repository(place, OWN_NAME if place.resolve() == HERE else None)
        pairs = repository.pairs(arguments.distances, arguments.pairs, arguments.seed)
        limits = (arguments.changed, arguments.others)
        ran = await over_history(repository, pairs, limits, arguments.seed)
        judged += ran.judged
        entry: dict[str, object] = {"repository": repository.name, "pairs": ran.pairs}
        if arguments.synthetic:
            made = await over_edits(repository, arguments.synthetic, arguments.seed)
            judged += made.judged
            entry["synthetic"] = {"commit": repository.commits[0], "edits": made.edits}
        told.append(entry)
    return judged, told


def main() -> None:
    """Run, print the table, write the document."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repos", type=Path, nargs="+", default=[])
    parser.add_argument("--pairs", type=int, default=4, help="pairs a distance")
    parser.add_argument("--distances", type=int, nargs="+", default=[1, 5, 20])
    parser.add_argument("--changed", type=int, default=200, help="drawn of files that change")
    parser.add_argument("--others", type=int, default=60, help="drawn of files that do not")
    parser.add_argument("--synthetic", type=int, default=40, help="files a language; 0: none")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    judged, told = asyncio.run(run(arguments))
    print(table(judged), file=sys.stderr)
    settings = {
        key: getattr(arguments, key)
        for key in ("seed", "pairs", "distances", "changed", "others", "synthetic")
    }
    document = json.dumps({"settings": settings, "runs": told, **report(judged)}, indent=1)
    if arguments.json:
        arguments.json.write_text(document)
    else:
        print(document)


if __name__ == "__main__":
    main()
