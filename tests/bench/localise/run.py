"""Does the map show what a change is about? Held against BM25 and aider over real commits.

    python tests/bench/localise/run.py --repos FOLDER --tasks FILE.jsonl
        [--only OWNER/NAME ...] [--aider INTERPRETER] [--json FILE] [--stores FOLDER]

FOLDER holds bare repositories as ``owner+name/repo``. Every task's tree is laid out at the
parent of its commit, indexed through the engine (what did not change since the task before is
not parsed again), and asked with the commit's message for its ranking and its maps of 1,024 and
2,048 tokens. The table goes to standard error, the document to standard output or FILE.

``--stores`` keeps the store of every task, and uses those that are there instead of trees, so
that a change of the ranking alone is measured in seconds a task; such a run asks no aider.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import sys
import tempfile
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import gold
from arms import AIDER, BM25, DAMPED, ENGINE, Aider, Contents, ask_engine, drawn
from sakur4_core.context.tokens import LocalCounter
from sakur4_core.engine import Engine
from sakur4_core.paths import Home
from scores import Answer, Score, as_json, score, table
from tasks import Task, read_tasks
from trees import Tree

Changed = tuple[tuple[str, str], ...]


class Bench:
    """The work folders of one run, and what was scored so far."""

    def __init__(self, arguments: argparse.Namespace, scratch: Path) -> None:
        self._repos: Path = arguments.repos
        self._aider: Path | None = arguments.aider
        self._stores: Path | None = arguments.stores
        self._scratch = scratch
        self._counter = LocalCounter()
        self.scores: dict[str, list[Score]] = defaultdict(list)

    async def repository(self, repo: str, tasks: list[Task]) -> None:
        """All tasks of one repository, oldest first."""
        name = repo.replace("/", "+")
        tree = Tree(self._repos / name / "repo", self._scratch / name)
        store = self._scratch / f"{name}.db"
        contents = Contents()
        with ExitStack() as stack:
            aider = None
            if self._aider is not None:
                aider = Aider(self._aider, tree.folder)
                stack.callback(aider.close)
            for task in tasks:
                answers, changed = await self._answers(task, tree, store, contents, aider)
                for arm, answer in answers.items():
                    self._note(task, arm, answer, changed)
                self._tell(task)
        shutil.rmtree(tree.folder)

    async def _answers(
        self, task: Task, tree: Tree, store: Path, contents: Contents, aider: Aider | None
    ) -> tuple[dict[str, Answer], Changed]:
        kept = self._stores / f"{task.id}.db" if self._stores else None
        reused = kept is not None and kept.exists()
        if not reused:
            tree.move_to(task.parent)
        place = kept if kept is not None and reused else store
        home = Home(self._scratch / "home", self._scratch / "home")
        answers = {}
        async with Engine.open(tree.folder, store=place, home=home, counter=self._counter) as it:
            if not reused:
                await it.index()
            answers[ENGINE] = await ask_engine(it, task.query)
            plain = self._by_contents(task, tree, contents, reused)
            answers.update(await drawn(it, task.query, plain))
            if aider is not None and not reused:
                sources = sorted(_sources(tree, task.parent))
                answers[AIDER] = await asyncio.to_thread(aider.ask, task.query, sources)
            if kept is not None and not reused:
                kept.parent.mkdir(parents=True, exist_ok=True)
                await it.backup(kept)
        changed: Changed = ()
        for path in task.gold:
            data = tree.content(task.parent, path)
            changed += gold.changed(path, data, task.hunks.get(path, ()))
        return answers, changed

    def _by_contents(
        self, task: Task, tree: Tree, contents: Contents, reused: bool
    ) -> dict[str, float]:
        kept = self._stores / f"{task.id}.bm25.json" if self._stores else None
        if reused and kept is not None and kept.exists():
            return dict(json.loads(kept.read_text()))
        contents.hold(_sources(tree, task.parent), tree.folder)
        plain = contents.ask(task.query)
        if kept is not None:
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(plain))
        return plain

    def _note(self, task: Task, arm: str, answer: Answer, changed: Changed) -> None:
        tokens = {budget: self._counter.count(text) for budget, text in answer.maps.items()}
        self.scores[arm].append(
            score(task.id, task.repo, task.named, task.gold, changed, answer, tokens)
        )

    def _tell(self, task: Task) -> None:
        ranks = ", ".join(f"{arm} {scores[-1].rank}" for arm, scores in self.scores.items())
        print(f"{task.id}: {ranks}", file=sys.stderr, flush=True)


def _sources(tree: Tree, commit: str) -> dict[str, str]:
    """The files that a task may ask for: those of the languages that tasks are made of."""
    files = tree.files(commit)
    return {path: files[path] for path in files if path[path.rfind(".") :] in gold.GRAMMARS}


async def run(arguments: argparse.Namespace) -> dict[str, list[Score]]:
    """Every task that was asked for."""
    by_repo: dict[str, list[Task]] = defaultdict(list)
    for task in read_tasks(arguments.tasks, arguments.only):
        by_repo[task.repo].append(task)
    with tempfile.TemporaryDirectory(prefix="localise-") as scratch:
        bench = Bench(arguments, Path(scratch))
        for repo, tasks in by_repo.items():
            if not (arguments.repos / repo.replace("/", "+") / "repo").is_dir():
                print(f"{repo}: not in the folder, left out", file=sys.stderr)
                continue
            await bench.repository(repo, tasks)
        return bench.scores


def main() -> None:
    """Run, print the table, write the document."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--tasks", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--aider", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--stores", type=Path)
    arguments = parser.parse_args()
    by_arm = asyncio.run(run(arguments))
    order = [arm for arm in (ENGINE, DAMPED, BM25, AIDER) if arm in by_arm]
    print(table({arm: by_arm[arm] for arm in order}), file=sys.stderr)
    document = json.dumps(as_json(by_arm), indent=1)
    if arguments.json:
        arguments.json.write_text(document)
    else:
        print(document)


if __name__ == "__main__":
    main()
