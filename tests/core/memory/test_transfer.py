"""Export and import: nothing lost, nothing smuggled in."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from sakur4_core.engine import Engine
from sakur4_core.errors import InvalidInput, StoreError

SESSION = "s-1"
Opener = Callable[..., AbstractAsyncContextManager[Engine]]


async def live_a_little(engine: Engine) -> None:
    """A store with something in every table that travels."""
    rule = await engine.commit_episode("user", "Never touch the lock file.", session_id=SESSION)
    assert rule.anchor_proposal is not None
    await engine.proposals.approve(rule.anchor_proposal)
    old = await engine.commit_episode("user", "the limit is five", session_id=SESSION)
    new = await engine.commit_episode(
        "user", "the limit is seven", session_id=SESSION, corrects=old.episode_id
    )
    await engine.commit_episode(
        "tool", '{"limit": 7}', session_id=SESSION, tool_name="cfg", tool_call_id="c1"
    )
    fold = await engine.fold("look", "find the limit", session_id=SESSION)
    await engine.commit_episode("assistant", "it is seven \U0001f980", session_id=SESSION)
    await engine.unfold(fold.fold_id, "the limit is seven")
    await engine.put_summary("limits", [("episode", new.episode_id)], session_id=SESSION)
    await engine.record_usage(session_id=SESSION, prompt_tokens=1200, model="m")
    await engine.receipt(SESSION)


async def test_an_import_into_an_empty_store_exports_the_same_bytes(
    engine: Engine, open_engine: Opener, tmp_path: Path
) -> None:
    await live_a_little(engine)
    out = await engine.export(tmp_path / "one.jsonl")
    async with open_engine(store=tmp_path / "other.db") as other:
        taken = await other.take_over(tmp_path / "one.jsonl")
        await other.export(tmp_path / "two.jsonl")
        assert (await other.verify()).ok
        hit = (await other.recall("seven limit", session_id=SESSION)).hits[0]
    assert taken.rows == out.rows
    assert taken.known == 0
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert (tmp_path / "one.jsonl").stat().st_mode & 0o077 == 0
    assert "seven" in hit.text


async def test_the_same_export_twice_changes_nothing(
    engine: Engine, open_engine: Opener, tmp_path: Path
) -> None:
    await live_a_little(engine)
    await engine.export(tmp_path / "one.jsonl")
    async with open_engine(store=tmp_path / "other.db") as other:
        await other.take_over(tmp_path / "one.jsonl")
        again = await other.take_over(tmp_path / "one.jsonl")
        await other.export(tmp_path / "two.jsonl")
    assert again.rows == 0
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


async def test_a_summary_of_code_not_indexed_here_comes_in_and_reads_as_stale(
    engine: Engine, open_engine: Opener, tmp_path: Path
) -> None:
    await engine.index()
    symbol = (await engine.symbol("check_user")).symbols[0]
    await engine.put_summary("looks a user up", [("fact", symbol.fact_id)])
    await engine.export(tmp_path / "one.jsonl")
    async with open_engine(store=tmp_path / "other.db") as other:
        await other.take_over(tmp_path / "one.jsonl")
        assert (await other.staleness()).stale_count == 1
        await other.index()
        assert (await other.staleness()).stale_count == 0


async def test_a_store_with_other_turns_refuses(
    engine: Engine, open_engine: Opener, tmp_path: Path
) -> None:
    await live_a_little(engine)
    await engine.export(tmp_path / "one.jsonl")
    async with open_engine(store=tmp_path / "other.db") as other:
        await other.commit_episode("user", "something else", session_id="s-9")
        with pytest.raises(InvalidInput, match="does not continue"):
            await other.take_over(tmp_path / "one.jsonl")
        assert await other.episodes.count() == 1


@pytest.mark.parametrize("damage", ["flip", "drop", "cut", "newer", "foreign", "swap"])
async def test_a_damaged_export_is_refused_whole(
    engine: Engine, open_engine: Opener, tmp_path: Path, damage: str
) -> None:
    await live_a_little(engine)
    file = tmp_path / "one.jsonl"
    await engine.export(file)
    lines = file.read_text().splitlines(keepends=True)
    if damage == "flip":
        lines = [line.replace("lock file", "lick file") for line in lines]
    elif damage == "drop":
        del lines[2]
    elif damage == "cut":
        lines = lines[:-2]
    elif damage == "newer":
        lines[0] = json.dumps({**json.loads(lines[0]), "version": 99}) + "\n"
    elif damage == "swap":
        lines[2], lines[3] = lines[3], lines[2]
    else:
        lines = ['{"hello": 1}\n']
    file.write_text("".join(lines))
    async with open_engine(store=tmp_path / "other.db") as other:
        with pytest.raises(InvalidInput):
            await other.take_over(file)
        assert await other.episodes.count() == 0


async def test_an_export_does_not_overwrite(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "here").write_text("mine")
    with pytest.raises(StoreError, match="exists already"):
        await engine.export(tmp_path / "here")
    assert (tmp_path / "here").read_text() == "mine"


async def test_a_backup_taken_while_writing_is_a_whole_store(
    engine: Engine, open_engine: Opener, tmp_path: Path
) -> None:
    await live_a_little(engine)
    await engine.backup(tmp_path / "copy.db")
    await engine.commit_episode("user", "after the backup", session_id=SESSION)
    async with open_engine(store=tmp_path / "copy.db") as copy:
        assert (await copy.verify()).ok
        assert await copy.episodes.count() == await engine.episodes.count() - 1
    with pytest.raises(StoreError, match="exists already"):
        await engine.backup(tmp_path / "copy.db")
