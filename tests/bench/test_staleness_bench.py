"""The staleness bench over a history that the test makes: what it promises must hold there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

PYTHON = '''\
import os


def price(count, each):
    """What so many cost."""
    total = count * each
    return total + 1


class Cart:
    """What is to be bought."""

    def add(self, one, count=3):
        self.items = [one, count]
        return self.items

    def clear(self):
        self.items = []


def moving(a, b):
    if a == b:
        return 10
    return a - b


def old_name(a):
    return [a, "text", 5]


def going():
    return os.sep
'''
GO = """\
package shop

type Shop struct {
	open bool
	name string
}

func (s *Shop) Name(count int) string {
	if s.open && count == 3 {
		return s.name
	}
	return "closed"
}

func Sum(a int, b int) int {
	switch a {
	case 1:
		return (a + b)
	default:
		return a
	}
}

func Gone(a int) int {
	return a + 7
}
"""
SCRIPT = """\
export interface Item {
  name: string
  count: number
}

export class Basket {
  items: Item[] = []

  add(item: Item, times = 2): number {
    this.items.push(item)
    return this.items.length + times
  }
}

export function label(item: Item): string {
  return item.count > 1 ? 'many' : 'one'
}

export const twice = (a: number) => a * 2
"""


def shop(**changes: str) -> dict[str, str]:
    return {"cart.py": PYTHON, "shop.go": GO, "basket.ts": SCRIPT} | changes


def replaced(text: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


EDITED = {
    "cart.py": replaced(PYTHON, ("total + 1", "total - 1"), ("count=3", "count=4")),
    "shop.go": replaced(GO, ("count == 3", "count != 3"), ("return (a + b)", "return (a - b)")),
    "basket.ts": replaced(SCRIPT, ("count > 1", "count >= 1"), ("a * 2", "a * 3")),
}
COMMENTED = {
    "cart.py": replaced(
        EDITED["cart.py"],
        ("    return self.items\n", "    return self.items  # all\n        # the end\n"),
        ("        return 10\n", "        # ten\n        return 10\n        # no more\n"),
    ),
    "shop.go": replaced(
        EDITED["shop.go"], ("open bool", "open bool // now"), ("func Sum", "// Sum\nfunc Sum")
    ),
    "basket.ts": replaced(EDITED["basket.ts"], ("  items: I", "  // all\n  items: I")),
}
FORMATTED = {
    "cart.py": replaced(
        COMMENTED["cart.py"],
        ("[one, count]", "[\n            one,\n            count,\n        ]"),
        ('"text"', "'text'"),
        ("return a - b", "return (a - b)"),
    ),
    "shop.go": replaced(
        COMMENTED["shop.go"], ("(a - b)", "a - b"), ("a int, b int)", "\n\ta int,\n\tb int,\n)")
    ),
    "basket.ts": replaced(
        COMMENTED["basket.ts"],
        ("'many'", '"many"'),
        ("push(item)", "push(item);"),
        ("(a: number)", "(\n  a: number,\n)"),
    ),
}


def part(text: str, start: str, end: str = "") -> str:
    begin = text.index(start)
    return text[begin : text.index(end, begin) if end else len(text)]


MOVING = part(FORMATTED["cart.py"], "def moving", "def old_name")
SHOP = part(FORMATTED["shop.go"], "type Shop", "func (s")
LABEL = part(FORMATTED["basket.ts"], "export function label", "export const")
MOVED = {
    "cart.py": replaced(FORMATTED["cart.py"], (MOVING, "")),
    "other.py": f"import sys\n\n\n{MOVING}",
    "shop.go": replaced(FORMATTED["shop.go"], (SHOP, "")),
    "kinds.go": f"package shop\n\n{SHOP}",
    "basket.ts": replaced(FORMATTED["basket.ts"], (LABEL, "")),
    "label.ts": LABEL,
}
RENAMED = {
    "cart.py": replaced(MOVED["cart.py"], ("old_name", "new_name")),
    "shop.go": replaced(MOVED["shop.go"], ("Sum", "Total")),
    "basket.ts": replaced(MOVED["basket.ts"], ("twice", "double")),
}
DELETED = {
    "cart.py": RENAMED["cart.py"][: RENAMED["cart.py"].index("def going")],
    "shop.go": RENAMED["shop.go"][: RENAMED["shop.go"].index("func Gone")],
}
HISTORY = (shop(), EDITED, COMMENTED, FORMATTED, MOVED, RENAMED, DELETED)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    git = git_in(folder)
    git("init", "-q")
    for number, files in enumerate(HISTORY):
        write(folder, files)
        git("add", "-A")
        git("commit", "-qm", str(number))
    return folder


def git_in(folder: Path) -> Callable[..., None]:
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.invalid")

    def run(*arguments: str) -> None:
        environment = {**os.environ, **alone}
        subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, env=environment)

    return run


def write(folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (folder / path).write_text(text)


@pytest.mark.slow
def test_the_staleness_bench_finds_no_fault_in_a_made_history(
    repository: Path, tmp_path: Path
) -> None:
    file = tmp_path / "report.json"
    script = Path(__file__).parent / "staleness" / "run.py"
    command = [sys.executable, str(script), "--repos", str(repository), "--pairs", "9"]
    command += ["--distances", "1", "3", "6", "--json", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "precision" in done.stderr
    report: dict[str, Any] = json.loads(file.read_text())
    assert report["disagreements"] == []
    assert report["history"].keys() == {"go", "python", "typescript", "all"}
    for language in report["history"].values():
        assert (language["engine"]["recall"], language["engine"]["precision"]) == (1.0, 1.0)
        rows = language["rows"]
        assert {"edited", "renamed", "moved", "comments only", "reformatted only"} <= rows.keys()
        assert rows["edited"]["recall"] == 1.0
        for fresh in ("moved", "comments only", "reformatted only"):
            assert rows[fresh]["labelled_stale"] == rows[fresh]["truly_stale"] == 0
    whole = report["history"]["all"]
    assert whole["rows"]["deleted"]["recall"] == 1.0
    assert whole["file_changed"]["precision"] < 0.7 < 0.98 < whole["engine"]["precision"]
    (run,) = report["runs"]
    assert [pair["distance"] for pair in run["pairs"]] == [1] * 6 + [3] * 4 + [6]
    edits = run["synthetic"]["edits"]
    assert len(edits) >= 12 and not any(told.get("read_otherwise") for told in edits.values())
    renamed = edits["renamed"]
    assert renamed["names_the_new_name"] == renamed["targets"]
    for row in ("comments", "white space", "indentation", "moved to another file"):
        assert report["synthetic"]["all"][row]["labelled_stale"] == 0
    for row in ("operator changed", "number changed", "docstring changed", "deleted"):
        assert report["synthetic"]["all"][row]["recall"] == 1.0


@pytest.mark.slow
def test_the_same_seed_draws_the_same(repository: Path) -> None:
    script = Path(__file__).parent / "staleness" / "run.py"
    command = [sys.executable, str(script), "--repos", str(repository), "--synthetic", "0"]
    command += ["--pairs", "2", "--distances", "1", "--changed", "5", "--others", "2"]
    one, other = (
        subprocess.run(command, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    )
    assert one == other and json.loads(one)["settings"]["seed"] == 7
