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
