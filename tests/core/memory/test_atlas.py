"""The Atlas: stale exactly when what a summary rests on has moved on."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sakur4_core.engine import Engine
from sakur4_core.errors import InvalidInput, NotFound

SESSION = "s-1"


async def fact_of(engine: Engine, name: str) -> str:
    return (await engine.symbol(name)).symbols[0].fact_id


@pytest.mark.parametrize("anchors", [[], [("story", "x")]])
async def test_a_summary_rests_on_something(
    engine: Engine, anchors: list[tuple[str, str]]
) -> None:
    with pytest.raises(InvalidInput):
        await engine.put_summary("text", anchors)


@pytest.mark.parametrize("kind", ["fact", "episode", "file"])
async def test_a_missing_anchor_refuses_the_write(engine: Engine, kind: str) -> None:
    with pytest.raises(NotFound, match="does not exist"):
        await engine.put_summary("text", [(kind, "missing")])
    assert (await engine.staleness()).total == 0


async def test_sql_alone_cannot_store_a_summary_on_nothing(engine: Engine) -> None:
    raw = sqlite3.connect(engine.workspace.place.file, isolation_level=None)
    raw.create_function("search_text", 1, lambda text: text)
    raw.execute("INSERT INTO atlas VALUES ('at_x', 'x', 'api', NULL, 1, '2026', NULL, NULL)")
    with pytest.raises(sqlite3.IntegrityError, match="must exist"):
        raw.execute("INSERT INTO atlas_anchor VALUES ('at_x', 'fact', 'none', 'h', 'v')")
    raw.close()


# What is done to src/auth.py, and whether a summary of check_user is stale after it.
EDITS = {
    "nothing": (lambda text: text, False),
    "a comment": (
        lambda text: text.replace("    return bool", "    # why\n    return bool"),
        False,
    ),
    "layout": (lambda text: text.replace("email: str)", "email: str,\n)"), False),
    "quotes": (
        lambda text: text.replace('"""Look', "'''Look").replace('mail."""', "mail.'''"),
        False,
    ),
    "moved down": (lambda text: "import os\n\n\n" + text, False),
    "another symbol": (lambda text: text.replace("now > self", "now >= self"), False),
    "its body": (lambda text: text.replace("bool(email)", "not email"), True),
    "its signature": (lambda text: text.replace("email: str", "user_id: int"), True),
    "its docstring": (lambda text: text.replace("by e-mail", "by number"), True),
    "an operator": (lambda text: text.replace("bool(email)", "bool(-email)"), True),
    "renamed": (lambda text: text.replace("def check_user", "def find_user"), True),
    "deleted": (lambda text: text[: text.index("def check_user")], True),
}


@pytest.mark.parametrize("edit", EDITS)
async def test_staleness_truth_table_for_code(engine: Engine, project: Path, edit: str) -> None:
    await engine.index()
    await engine.put_summary("looks a user up", [("fact", await fact_of(engine, "check_user"))])
    file = project / "src" / "auth.py"
    change, stale = EDITS[edit]
    file.write_text(change(file.read_text()))
    await engine.index()
    found = await engine.staleness()
    assert (found.stale_count, len(found.entries)) == (int(stale), int(stale))
    assert found.stale_rate == float(stale)


async def test_field_defect_06_reading_does_not_make_it_fresh(
    engine: Engine, project: Path
) -> None:
    await engine.index()
    entry = await engine.put_summary(
        "returns whether there is a user", [("fact", await fact_of(engine, "check_user"))]
    )
    file = project / "src" / "auth.py"
    file.write_text(file.read_text().replace("bool(email)", "not email"))
    for _ in range(3):
        found = await engine.staleness()
        assert [stale.atlas_id for stale in found.entries] == [entry.atlas_id]
        await engine.recall("whether there is a user")


async def test_an_edit_shows_before_and_after(engine: Engine, project: Path) -> None:
    await engine.index()
    await engine.put_summary("looks up", [("fact", await fact_of(engine, "check_user"))])
    file = project / "src" / "auth.py"
    file.write_text(file.read_text().replace("email: str", "user_id: int"))
    anchor = (await engine.staleness()).entries[0].stale_anchors[0]
    assert "email: str" in anchor.value_at_write
    assert anchor.value_now is not None
    assert "user_id: int" in anchor.value_now
    assert anchor.location.startswith("src/auth.py:")
    assert anchor.reason == "changed"


async def test_an_edit_that_is_taken_back_is_fresh_again(engine: Engine, project: Path) -> None:
    await engine.index()
    await engine.put_summary("looks up", [("fact", await fact_of(engine, "check_user"))])
    file = project / "src" / "auth.py"
    before = file.read_text()
    file.write_text(before.replace("bool(email)", "not email"))
    assert (await engine.staleness()).stale_count == 1
    file.write_text(before)
    assert (await engine.staleness()).stale_count == 0


async def test_field_defect_07_a_summary_of_a_superseded_turn_is_stale(engine: Engine) -> None:
    old = await engine.commit_episode("user", "the limit is five", session_id=SESSION)
    await engine.put_summary("limit five", [("episode", old.episode_id)])
    assert (await engine.staleness()).stale_count == 0
    await engine.commit_episode(
        "user", "the limit is seven", session_id=SESSION, corrects=old.episode_id
    )
    found = await engine.staleness()
    assert found.stale_count == 1
    assert found.entries[0].stale_anchors[0].reason == "superseded or redacted"


async def test_field_defect_12_counts_are_of_the_whole_store(engine: Engine) -> None:
    for number in range(7):
        old = await engine.commit_episode("user", f"limit {number}", session_id=SESSION)
        await engine.put_summary(f"limit {number}", [("episode", old.episode_id)])
        if number < 5:
            await engine.commit_episode("user", "no", session_id=SESSION, corrects=old.episode_id)
    found = await engine.staleness(limit=2)
    assert (found.total, found.stale_count, len(found.entries)) == (7, 5, 2)
    assert found.stale_rate == pytest.approx(5 / 7)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    edits=st.lists(st.sampled_from(["a", "b", "c"]), max_size=6),
    anchored=st.sets(st.sampled_from(["a", "b", "c"]), min_size=1),
)
async def test_a_summary_of_many_is_stale_as_soon_as_one_moved(
    engine: Engine, project: Path, edits: list[str], anchored: set[str]
) -> None:
    for name in "abc":
        (project / f"{name}.py").write_text(f"def f_{name}():\n    return 0\n")
    await engine.index()
    entry = await engine.put_summary(
        "several", [("fact", await fact_of(engine, f"f_{name}")) for name in sorted(anchored)]
    )
    for step, name in enumerate(edits, 1):
        (project / f"{name}.py").write_text(f"def f_{name}():\n    return {step}\n")
    await engine.index()
    stale = {found.atlas_id for found in (await engine.staleness()).entries}
    assert (entry.atlas_id in stale) == bool(anchored & set(edits))
    await engine.atlas.retire(entry.atlas_id, "test")
