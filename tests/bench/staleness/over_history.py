"""Real edits: from one commit of a history to a later one."""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from changes import STALE, World, change_of
from figures import Judged
from history import Pair, Repository
from summaries import Sampled, Summaries, sample, source_paths
from symbols import group_of, language_of


@dataclass(slots=True)
class Ran:
    """What a run came to.

    Attributes:
        pairs: Each pair of commits, and how many definitions could not be used in it and why.
    """

    judged: list[Judged] = field(default_factory=list)
    pairs: list[dict[str, object]] = field(default_factory=list)


async def over_history(
    repository: Repository, pairs: Collection[Pair], limits: tuple[int, int], seed: int
) -> Ran:
    """Every pair: summaries at the older commit, read at the newer one."""
    ran = Ran()
    with TemporaryDirectory(prefix="staleness-") as scratch:
        tree = repository.tree(Path(scratch) / "tree")
        for number, pair in enumerate(pairs):
            tree.move_to(pair.older)
            before = World(tree.folder, source_paths(tree.files(pair.older)))
            own = Path(scratch) / str(number)
            own.mkdir()
            async with Summaries.over(tree.folder, own) as summaries:
                drawn = await sample(
                    summaries, before, repository.changed(pair), limits, f"{seed}/{pair.older}"
                )
                tree.move_to(pair.newer)
                stale = await summaries.stale()
            after = World(tree.folder, source_paths(tree.files(pair.newer)))
            found, unreadable = [], 0
            for one in drawn.anchored:
                row = change_of(one.symbol, one.path, before, after)
                if row is None:
                    unreadable += 1
                    continue
                said = stale.get(one.fact_id)
                found.append(
                    Judged(
                        repository=repository.name,
                        language=group_of(language_of(one.path) or ""),
                        source="history",
                        row=row,
                        truly=row in STALE,
                        labelled=said is not None,
                        file_changed=before.files[one.path] != after.files.get(one.path),
                        distance=pair.distance,
                        path=one.path,
                        name=one.symbol.name,
                        between=(pair.older, pair.newer),
                        says="" if said is None else f"{said.reason}: {said.name}",
                    )
                )
            ran.judged += found
            ran.pairs.append(_told(pair, drawn, unreadable, found))
            _tell(repository, ran.pairs[-1])
    return ran


def _told(pair: Pair, drawn: Sampled, unreadable: int, found: list[Judged]) -> dict[str, object]:
    return {
        "older": pair.older,
        "newer": pair.newer,
        "distance": pair.distance,
        "symbols": len(found),
        "truly_stale": sum(one.truly for one in found),
        "disagree": sum(one.truly != one.labelled for one in found),
        "left_out": {
            "not_found_by_our_reader": drawn.unmatched,
            "twice_in_its_file": drawn.ambiguous,
            "unreadable_later": unreadable,
        },
    }


def _tell(repository: Repository, told: dict[str, object]) -> None:
    shown = ", ".join(f"{key} {told[key]}" for key in ("symbols", "truly_stale", "disagree"))
    print(f"{repository.name} +{told['distance']}: {shown}", file=sys.stderr, flush=True)
