"""Made edits: applied to the newest commit's files, one kind at a time, and taken back."""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from changes import STALE, TWIN, World, change_of
from figures import Judged
from file_edits import FILE_EDITS
from history import Repository
from sakur4_core.models import StaleAnchor
from summaries import Anchored, Summaries, sample, source_paths
from symbol_edits import SYMBOL_EDITS, Kind
from symbols import group_of, language_of

SYMBOLS_A_FILE = 8
BESIDE = "beside an edited definition"
TAKEN_BACK = "an edit taken back"


@dataclass(slots=True)
class Made:
    """What came of the made edits.

    Attributes:
        edits: Of each kind: files touched, targets, how often our own readers see it otherwise
            than the edit was made to be, and of renames how many were told by the new name.
    """

    judged: list[Judged] = field(default_factory=list)
    edits: dict[str, dict[str, int]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(int))
    )


async def over_edits(repository: Repository, files: int, seed: int) -> Made:
    """Every kind of edit over up to ``files`` files of each language."""
    made = Made()
    with TemporaryDirectory(prefix="staleness-") as scratch:
        commit = repository.commits[0]
        tree = repository.tree(Path(scratch) / "tree")
        tree.move_to(commit)
        world = World(tree.folder, source_paths(tree.files(commit)))
        chosen = _chosen(world, files, f"{seed}/{repository.name}")
        async with Summaries.over(tree.folder, Path(scratch)) as summaries:
            limits = (SYMBOLS_A_FILE * len(chosen), 0)
            drawn = await sample(summaries, world, chosen, limits, f"{seed}/{commit}")
            bench = _Bench(repository.name, commit, tree.folder, world, summaries, made)
            by_path: dict[str, list[Anchored]] = defaultdict(list)
            for one in drawn.anchored:
                by_path[one.path].append(one)
            for name, (edit, by_reader) in FILE_EDITS.items():
                written = {}
                for path in by_path:
                    edited = edit(world.files[path], language_of(path) or "")
                    if edited is not None:
                        written[path] = edited
                targets = {one.fact_id for path in written for one in by_path[path]}
                expected = None if by_reader else False
                await bench.judge(name, written, by_path, targets, expected)
            for kind in SYMBOL_EDITS:
                written, targets = _edited(kind, world, by_path)
                await bench.judge(kind.name, written, by_path, targets, kind.stale)
    return made


@dataclass(slots=True)
class _Bench:
    name: str
    commit: str
    folder: Path
    before: World
    summaries: Summaries
    made: Made

    async def judge(
        self,
        edit: str,
        written: Mapping[str, bytes],
        by_path: Mapping[str, Sequence[Anchored]],
        targets: set[str],
        expected: bool | None,
    ) -> None:
        """Make an edit, read what is stale, take the edit back and read again."""
        if not targets:
            return
        self._write(written)
        stale = await self.summaries.stale()
        after = World(self.folder, {*self.before.paths, *written})
        self._write({path: self.before.files.get(path) for path in written})
        back = await self.summaries.stale()
        told = self.made.edits[edit]
        told["files"], told["targets"] = len(written), len(targets)
        touched = [one for path in written for one in by_path.get(path, ())]
        for one in touched:
            row = change_of(one.symbol, one.path, self.before, after)
            is_target = one.fact_id in targets
            if row is None or (is_target and row == TWIN):
                told["left_out"] += 1
                continue
            truly = row in STALE
            if is_target and expected is not None:
                told["read_otherwise"] += truly is not expected
                truly = expected
            says = stale.get(one.fact_id)
            if is_target and edit == "renamed" and says is not None:
                told["names_the_new_name"] += says.name == f"{one.symbol.name}_anew"
            self._note(one, edit if is_target else BESIDE, edit, truly, says)
            self._note(one, TAKEN_BACK, edit, False, back.get(one.fact_id))
        print(f"{self.name}, {edit}: {len(touched)} summaries", file=sys.stderr, flush=True)

    def _write(self, files: Mapping[str, bytes | None]) -> None:
        for path, data in files.items():
            if data is None:
                (self.folder / path).unlink()
            else:
                (self.folder / path).write_bytes(data)

    def _note(
        self, one: Anchored, row: str, edit: str, truly: bool, says: StaleAnchor | None
    ) -> None:
        self.made.judged.append(
            Judged(
                repository=self.name,
                language=group_of(language_of(one.path) or ""),
                source="synthetic",
                row=row,
                truly=truly,
                labelled=says is not None,
                file_changed=True,
                distance=0,
                path=one.path,
                name=one.symbol.name,
                between=(self.commit, edit),
                says="" if says is None else f"{says.reason}: {says.name}",
            )
        )


def _chosen(world: World, files: int, seed: str) -> list[str]:
    """Up to so many files of each language."""
    by_language: dict[str, list[str]] = defaultdict(list)
    for path in sorted(world.files):
        if world.symbols(path):
            by_language[group_of(language_of(path) or "")].append(path)
    chance, found = random.Random(seed), []
    for _, paths in sorted(by_language.items()):
        chance.shuffle(paths)
        found += paths[:files]
    return found


def _edited(
    kind: Kind, world: World, by_path: Mapping[str, Sequence[Anchored]]
) -> tuple[dict[str, bytes], set[str]]:
    """One definition of each file edited, and which these are."""
    written: dict[str, bytes] = {}
    targets: set[str] = set()
    for path, anchored in by_path.items():
        for one in anchored:
            if kind.outermost_only and not one.symbol.outermost:
                continue
            language = language_of(path) or ""
            edited = kind.make(path, world.files[path], one.symbol, language)
            if edited is not None and not edited.keys() & written.keys():
                written |= edited
                targets.add(one.fact_id)
                break
    return written, targets
