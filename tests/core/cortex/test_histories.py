"""Whatever happens to a repository, the index that followed it equals one built afresh."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from cortex_store import stored_edges
from sakur4_core.cortex.cortex import Cortex
from sakur4_core.engine import Engine
from sakur4_core.paths import Home

STEPS = 10
NAMES = ("alpha", "beta", "gamma", "delta", "run", "stop")

FACTS = (
    "SELECT fact_id, kind, qualified_name, file_path, line_start, line_end, signature, value,"
    " interface_hash, body_hash, name, source FROM fact WHERE source <> 'tool-output'"
    " ORDER BY fact_id"
)
FILES = "SELECT path, language, hash, size, status, detail, package FROM file ORDER BY path"


def python(dice: random.Random) -> str:
    """A module with imports, re-exports, a class with a base, and calls."""
    one, two, three = dice.sample(NAMES, 3)
    other = f"m{dice.randrange(5)}"
    lines = dice.choice(
        (
            [f"from pkg.{other} import {one}", f"from .{other} import *"],
            [f"import pkg.{other} as {one}", f"from pkg import {other}"],
            [f"from . import {other}", f"from .{other} import {two} as {one}"],
        )
    )
    return "\n".join(
        [
            *lines,
            f"class Base({dice.choice(('object', other + '.Base', one))}):",
            f"    def {two}(self): return self.{one}()",
            f"def {three}(x: {dice.choice(('Base', one))}):",
            f"    x.{two}()",
            f"    {one}()",
            f"    return {other}.{dice.choice(NAMES)}()",
            "",
        ]
    )


def typescript(dice: random.Random) -> str:
    """A module with imports, a re-export, a class with a base, and calls."""
    one, two, three = dice.sample(NAMES, 3)
    other = f"./t{dice.randrange(4)}"
    return "\n".join(
        [
            f'import {{ {one} as used, Base as Old }} from "{other}";',
            dice.choice((f'export * from "{other}";', f'export {{ {two} }} from "{other}";')),
            f"export class Base extends Old {{ {two}() {{ return this.{one}(); }} }}",
            f"export function {three}(x: Base) {{ x.{two}(); return used(); }}",
            "",
        ]
    )


def go(dice: random.Random) -> str:
    """A file of one package, with methods of a type that may stand in another."""
    one, two = dice.sample(NAMES, 2)
    kind = dice.choice(("type Base struct{}\n", ""))
    called = dice.choice(NAMES)
    return f"package store\n\n{kind}func (b *Base) {one}() {{ b.{two}(); {called}() }}\n"


def write_some(dice: random.Random, root: Path) -> None:
    """Write one file anew."""
    kind = dice.choice(("python", "python", "typescript", "go"))
    if kind == "python":
        stem = dice.choice(("__init__", *(f"m{n}" for n in range(5))))
        place, text = root / "pkg" / f"{stem}.py", python(dice)
    elif kind == "typescript":
        place, text = root / "web" / f"t{dice.randrange(4)}.ts", typescript(dice)
    else:
        place, text = root / "store" / f"g{dice.randrange(3)}.go", go(dice)
    place.parent.mkdir(exist_ok=True)
    place.write_text(text)


def change_some(dice: random.Random, root: Path, git: Callable[..., None]) -> str:
    """Do one thing to the work tree; tell what it was."""
    files = sorted(path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
    what = dice.choice(("write", "write", "write", "delete", "rename", "folder", "branch"))
    if what == "delete" and files:
        dice.choice(files).unlink()
    elif what == "rename" and files:
        one = dice.choice(files)
        one.rename(one.with_name(f"{dice.choice(('m1', 't1', 'g1', 'new'))}{one.suffix}"))
    elif what == "folder" and (root / "pkg").is_dir():
        shutil.rmtree(root / "moved", ignore_errors=True)
        (root / "pkg").rename(root / "moved")
    elif what == "branch":
        git("add", "-A")
        git("commit", "-qm", "step", "--allow-empty")
        git("checkout", "-q", "-B", f"b{dice.randrange(3)}", f"HEAD~{dice.randrange(2)}")
    else:
        what = "write"
        write_some(dice, root)
    return what


async def contents(engine: Engine) -> dict[str, list[tuple[object, ...]]]:
    """All that the index holds, without its own numbers and what each caller saw."""
    return await engine.workspace.database.read(
        lambda db: {
            "files": [tuple(row) for row in db.execute(FILES)],
            "facts": [tuple(row) for row in db.execute(FACTS)],
            "edges": [tuple(edge[:-1]) for edge in stored_edges(db)],
        }
    )


@pytest.mark.parametrize("seed", range(4))
async def test_any_history_ends_as_a_fresh_index_does(
    seed: int,
    engine: Engine,
    cortex: Cortex,
    project: Path,
    home: Home,
    git: Callable[..., None],
) -> None:
    dice = random.Random(seed)
    (project / "go.mod").write_text("module example.com/shop\n")
    git("add", "-A")
    git("commit", "-qm", "zero")
    git("commit", "-qm", "one", "--allow-empty")
    done = []
    for _ in range(STEPS):
        done += [change_some(dice, project, git) for _ in range(dice.randrange(1, 4))]
        await cortex.index()
        async with Engine.open(project, store=":memory:", home=home) as other:
            await other.index()
            kept, fresh = await contents(engine), await contents(other)
            for table, rows in fresh.items():
                too_many, too_few = set(kept[table]) - set(rows), set(rows) - set(kept[table])
                assert not (too_many or too_few), (table, sorted(too_many), sorted(too_few), done)
                assert kept[table] == rows
