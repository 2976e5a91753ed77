"""Summaries follow the definitions that they rest on: where they move, not what they become."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sakur4_core.cortex.cortex import Cortex
from sakur4_core.engine import Engine

BODY = "def check_user(email: str) -> bool:\n    return bool(email)\n"


@pytest.fixture
async def anchored(engine: Engine, cortex: Cortex, write: Any) -> Engine:
    """An engine with a summary of ``check_user`` in src/auth.py."""
    write({"src/auth.py": f"import os\n\n\n{BODY}"})
    hit = (await cortex.symbol("check_user")).symbols[0]
    await engine.put_summary("Users are checked by e-mail.", [("fact", hit.fact_id)])
    return engine


async def stale(engine: Engine) -> list[tuple[str, str]]:
    await engine.cortex.index()
    found = await engine.staleness()
    return [
        (anchor.name, anchor.reason) for entry in found.entries for anchor in entry.stale_anchors
    ]


async def test_a_move_with_an_equal_body_stays_fresh(
    anchored: Engine, project: Path, write: Any
) -> None:
    write({"src/access.py": f"LIMIT = 3\n\n\n{BODY}", "src/auth.py": "import os\n"})
    assert await stale(anchored) == []
    # On from there, by a renamed file this time, and back to where it was.
    (project / "src" / "access.py").rename(project / "src" / "zz.py")
    assert await stale(anchored) == []
    hits = (await anchored.recall("users e-mail")).hits
    assert any("checked by e-mail" in hit.text and not hit.stale for hit in hits)
    (project / "src" / "zz.py").unlink()
    write({"src/auth.py": BODY})
    assert await stale(anchored) == []


async def test_a_move_over_two_passes_is_followed(anchored: Engine, write: Any) -> None:
    write({"src/auth.py": "import os\n"})
    assert [reason for _, reason in await stale(anchored)] == ["deleted"]
    write({"src/late.py": BODY})
    assert await stale(anchored) == []


async def test_what_moved_and_then_changed_is_stale(anchored: Engine, write: Any) -> None:
    write({"src/access.py": BODY, "src/auth.py": ""})
    assert await stale(anchored) == []
    write({"src/access.py": BODY.replace("bool(email)", "False")})
    assert await stale(anchored) == [("check_user", "changed")]


async def test_two_copies_are_no_move(anchored: Engine, write: Any) -> None:
    write({"src/a.py": BODY, "src/b.py": BODY, "src/auth.py": ""})
    assert [reason for _, reason in await stale(anchored)] == ["deleted"]


async def test_a_rename_is_stale_and_names_the_new_name(anchored: Engine, write: Any) -> None:
    write({"src/auth.py": BODY.replace("check_user", "verify_user")})
    assert await stale(anchored) == [("verify_user", "changed")]


async def test_a_branch_switch_back_restores(
    anchored: Engine, write: Any, git: Callable[..., None]
) -> None:
    git("add", "-A")
    git("commit", "-qm", "one")
    git("checkout", "-qb", "other")
    write({"src/auth.py": "", "src/moved.py": BODY})
    git("add", "-A")
    git("commit", "-qm", "two")
    assert await stale(anchored) == []
    git("checkout", "-q", "-")
    assert await stale(anchored) == []


async def summarise(engine: Engine, name: str, signature: str = "") -> None:
    """Rest a summary on the one definition of that name, and of that signature."""
    found = (await engine.cortex.symbol(name)).symbols
    (hit,) = (one for one in found if signature in one.signature)
    await engine.put_summary(f"What {name} is for.", [("fact", hit.fact_id)])


OVERLOADS = """
@overload
def read(a: int) -> int: ...
@overload
def read(a: str) -> str: ...
def read(a):
    return a
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("@overload\ndef read(a: int) -> int: ...\n", "", []),
        ("@overload\n", "@overload\ndef read(a: bytes) -> bytes: ...\n@overload\n", []),
        ("a: int", "a: bool", []),
        ("-> str", "-> object", [("read", "changed")]),
        ("def read(a: str)", "def fetch(a: str)", [("fetch", "changed")]),
        (
            "@overload\ndef read(a: str) -> str: ...\n",
            "",
            [("def read(a: str) -> str", "deleted")],
        ),
    ],
)
async def test_what_becomes_of_one_overload_does_not_touch_the_others(
    engine: Engine, write: Any, old: str, new: str, expected: list[tuple[str, str]]
) -> None:
    write({"src/reader.py": OVERLOADS})
    await summarise(engine, "read", "a: str")
    write({"src/reader.py": OVERLOADS.replace(old, new, 1)})
    assert await stale(engine) == expected


async def test_a_getter_is_not_touched_by_the_setter_that_it_gets(
    engine: Engine, write: Any
) -> None:
    getter = "class A:\n    @property\n    def x(self):\n        return 1\n"
    setter = "\n    @x.setter\n    def x(self, to):\n        self.y = to\n"
    write({"src/a.py": getter})
    await summarise(engine, "A.x")
    write({"src/a.py": getter + setter})
    assert await stale(engine) == []
    write({"src/a.py": getter + setter.replace("to\n", "1\n")})
    assert await stale(engine) == []
    write({"src/a.py": getter})
    assert await stale(engine) == []
    write({"src/a.py": getter.replace("1", "2") + setter})
    assert [reason for _, reason in await stale(engine)] != []


async def test_methods_of_two_traits_do_not_stand_for_each_other(
    engine: Engine, write: Any
) -> None:
    one = "impl Debug for A { fn fmt(&self, f: &mut F) -> R { one(f) } }\n"
    other = "impl Display for A { fn fmt(&self, f: &mut F) -> R { other(f) } }\n"
    write({"src/a.rs": f"struct A;\n{other}"})
    await summarise(engine, "A.fmt")
    write({"src/a.rs": f"struct A;\n{one}{other}"})
    assert await stale(engine) == []
    write({"src/a.rs": f"struct A;\n{one.replace('one', 'first')}{other}"})
    assert await stale(engine) == []
    changed = one.replace("one", "first") + other.replace("other", "second")
    write({"src/a.rs": f"struct A;\n{changed}"})
    assert await stale(engine) == [("A.fmt", "changed")]


async def test_a_type_moves_without_the_methods_that_stand_apart(
    engine: Engine, write: Any
) -> None:
    declared, method = "type A struct{ x int }\n", "func (a A) Get(b int) int { return a.x }\n"
    write({"src/a.go": f"package a\n\n{declared}\n{method}"})
    await summarise(engine, "A")
    write({"src/a.go": f"package a\n\n{method}", "src/b.go": f"package a\n\n{declared}"})
    assert await stale(engine) == []
    write({"src/a.go": "package a\n", "src/c.go": f"package a\n\n{method}"})
    assert await stale(engine) == []


async def test_a_rename_is_known_where_other_words_begin_alike(engine: Engine, write: Any) -> None:
    write({"src/a.go": "package a\n\nfunc New(o NewOptions) int {\n\treturn 1\n}\n"})
    await summarise(engine, "New")
    write({"src/a.go": "package a\n\nfunc Make(o NewOptions) int {\n\treturn 1\n}\n"})
    assert await stale(engine) == [("Make", "changed")]


async def test_an_equal_definition_beside_it_leaves_one_fresh(engine: Engine, write: Any) -> None:
    one = "def data():\n    return 1\n"
    write({"src/a.py": one})
    await summarise(engine, "data")
    write({"src/a.py": one + one})
    assert await stale(engine) == []
    write({"src/a.py": one + one.replace("1", "2")})
    assert await stale(engine) == []
    write({"src/a.py": one.replace("1", "2")})
    assert await stale(engine) == [("data", "changed")]
