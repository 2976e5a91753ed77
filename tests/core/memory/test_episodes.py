"""The transcript: append-only, chained, verbatim."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sakur4_core.engine import Engine
from sakur4_core.errors import InvalidInput, NotFound

SESSION = "s-1"


@pytest.fixture
async def raw(engine: Engine) -> Iterator[sqlite3.Connection]:
    """A connection of a stranger's, with SQLite's defaults."""
    connection = sqlite3.connect(engine.workspace.place.file, isolation_level=None)
    yield connection
    connection.close()


async def test_a_turn_is_read_back_word_for_word(engine: Engine) -> None:
    text = "line one\r\n\tline two \u2028 \U0001f980 [/x] \x1b[31m"
    committed = await engine.commit_episode("assistant", text, session_id=SESSION)
    assert (await engine.episodes.get(committed.episode_id)).content == text
    assert (await engine.episodes.get(committed.seq)).content == text


async def test_the_chain_holds_and_turns_follow_the_user(engine: Engine) -> None:
    for role in ("user", "assistant", "tool", "user", "assistant"):
        await engine.commit_episode(role, f"said by {role}", session_id=SESSION)
    page = await engine.episodes.page(SESSION)
    assert [episode.turn for episode in reversed(page)] == [1, 1, 1, 2, 2]
    verification = await engine.verify()
    assert verification.ok
    assert verification.episodes == 5


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE episode SET content = 'x'",
        "UPDATE episode SET chain_hash = 'x' WHERE seq = 1",
        "UPDATE OR REPLACE episode SET seq = 2 WHERE seq = 1",
        "DELETE FROM episode",
        "DELETE FROM episode WHERE seq = 1",
        "INSERT OR REPLACE INTO episode SELECT * FROM episode WHERE seq = 1",
        "REPLACE INTO episode SELECT * FROM episode",
        "INSERT INTO episode SELECT * FROM episode WHERE seq = 1"
        " ON CONFLICT (seq) DO UPDATE SET content = 'x'",
        "INSERT OR REPLACE INTO episode (seq, episode_id, session_id, turn, role, content,"
        " token_count, origin, created_at, content_hash, chain_hash) SELECT 99, episode_id,"
        " session_id, turn, role, 'x', token_count, origin, created_at, content_hash, chain_hash"
        " FROM episode WHERE seq = 1",
        "WITH one AS (SELECT 1 AS seq) UPDATE episode SET content = 'x'"
        " WHERE seq IN (SELECT seq FROM one)",
        "UPDATE redaction SET reason = 'x'",
        "DELETE FROM redaction",
    ],
)
async def test_no_statement_changes_what_was_said(
    engine: Engine, raw: sqlite3.Connection, statement: str
) -> None:
    for text in ("one", "two"):
        await engine.commit_episode("user", text, session_id=SESSION)
    raw.execute(
        "INSERT INTO redaction VALUES (2, '[redacted]', 'test', '2026-01-01T00:00:00.000000Z')"
    )
    before = raw.execute("SELECT * FROM episode").fetchall()
    with pytest.raises(sqlite3.DatabaseError, match="append-only"):
        raw.execute(statement)
    assert raw.execute("SELECT * FROM episode").fetchall() == before
    assert raw.execute("SELECT count(*) FROM redaction").fetchone() == (1,)


@pytest.mark.parametrize(
    ("tamper", "broken"),
    [
        ("UPDATE episode SET content = 'x' WHERE seq = 2", 2),
        ("UPDATE episode SET role = 'system' WHERE seq = 3", 3),
        ("UPDATE episode SET token_count = 99 WHERE seq = 1", 1),
        ("DELETE FROM episode WHERE seq = 2", 3),
        ("DELETE FROM episode WHERE seq = 4", 4),
    ],
)
async def test_verify_names_the_first_broken_row(
    engine: Engine, raw: sqlite3.Connection, tamper: str, broken: int
) -> None:
    for text in ("one", "two", "three", "four"):
        await engine.commit_episode("user", text, session_id=SESSION)
    for trigger in ("episode_no_update", "episode_no_delete"):
        raw.execute(f"DROP TRIGGER {trigger}")
    raw.execute(tamper)
    verification = await engine.verify()
    assert not verification.ok
    assert verification.broken_seq == broken


async def test_field_defect_04_correcting_the_unknown_stores_nothing(engine: Engine) -> None:
    with pytest.raises(NotFound, match="corrects names no episode"):
        await engine.commit_episode("user", "no", session_id=SESSION, corrects="ep_missing")
    assert await engine.episodes.count() == 0
    assert await engine.sessions.list() == ()


async def test_a_correction_supersedes_in_the_same_transaction(engine: Engine) -> None:
    old = await engine.commit_episode("user", "the limit is five", session_id=SESSION)
    new = await engine.commit_episode(
        "user", "the limit is seven", session_id=SESSION, corrects=old.episode_id
    )
    corrected = await engine.episodes.get(old.episode_id)
    assert corrected.superseded_by == new.episode_id
    assert corrected.droppable
    assert corrected.content == "the limit is five"


async def test_an_idempotency_key_returns_the_first_outcome(engine: Engine) -> None:
    first = await engine.commit_episode("user", "once", session_id=SESSION, idempotency_key="k")
    again = await engine.commit_episode("user", "once", session_id=SESSION, idempotency_key="k")
    other = await engine.commit_episode("user", "once", session_id="s-2", idempotency_key="k")
    assert again.episode_id == first.episode_id
    assert again.duplicate
    assert other.episode_id != first.episode_id
    assert await engine.episodes.count() == 2


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"role": "robot"}, "role"),
        ({"session_id": ""}, "session_id"),
        ({"session_id": "a\nb"}, "session_id"),
        ({"tool_name": "x" * 201}, "tool_name"),
        ({"content": "x" * (16 * 1024 * 1024 + 1)}, "16 MB"),
    ],
)
async def test_bad_arguments_are_named(
    engine: Engine, arguments: dict[str, str], named: str
) -> None:
    call = {"role": "user", "content": "x", "session_id": SESSION, **arguments}
    with pytest.raises(InvalidInput, match=named):
        await engine.commit_episode(call.pop("role"), call.pop("content"), **call)


async def test_sixteen_megabytes_fit(engine: Engine) -> None:
    text = "lorem ipsum\n" * (16 * 1024 * 1024 // 12)
    committed = await engine.commit_episode("tool", text, session_id=SESSION)
    assert (await engine.episodes.get(committed.seq)).content == text


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(text=st.text(st.characters(), max_size=400))
async def test_any_text_is_stored_and_said_so_if_it_had_to_change(
    engine: Engine, text: str
) -> None:
    committed = await engine.commit_episode("assistant", text, session_id=SESSION)
    stored = (await engine.episodes.get(committed.seq)).content
    if "invalid-text" in committed.redactions:
        assert any(character == "\0" or 0xD800 <= ord(character) < 0xE000 for character in text)
        assert "\N{REPLACEMENT CHARACTER}" in stored
    elif not committed.redactions:
        assert stored == text
    assert (await engine.verify()).ok
