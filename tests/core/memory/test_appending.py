"""Episodes that wait to be written together are the rows that they would be one by one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sakur4_core.engine import Engine
from sakur4_core.events import USAGE_RECORDED
from sakur4_core.memory import chain
from sakur4_core.memory.appending import Appender
from sakur4_core.memory.ledger import extract
from sakur4_core.memory.sessions import ensure_session
from sakur4_core.models import InWindow, Role
from sakur4_core.store.database import NewEvent, Transaction
from sakur4_core.store.episodes import NewEpisode

TALK = (
    ("s-1", Role.USER, "Run the tests."),
    ("s-2", Role.ASSISTANT, "Elsewhere."),
    ("s-1", Role.ASSISTANT, "I do."),
    ("s-1", Role.TOOL, "==== 3 passed in 0.01s ===="),
    ("s-2", Role.USER, "Go on."),
    ("s-1", Role.USER, "Thanks."),
)


def _add(tx: Transaction, *, together: bool) -> list[int]:
    """Add ``TALK``, with another event in its middle."""
    key = chain.store_key(tx)
    appender, places = Appender(tx), []
    for number, (session, role, content) in enumerate(TALK):
        facts = ()
        if role is Role.TOOL:
            facts = extract(content, session_id=session, call="c").facts
            appender.tell(NewEvent(USAGE_RECORDED, "harness", session, detail={"tokens": 1}))
        new = NewEpisode(
            episode_id=f"ep-{number}",
            session_id=session,
            role=role,
            content=content,
            tool_name=None,
            tool_call_id=None,
            token_count=number,
            origin="test",
            idempotency_key=None,
            content_hash=chain.content_hash(key, content),
            search_text=content,
            in_window=InWindow.NO if number == 2 else InWindow.YES,
        )
        places.append(appender.add(new, facts))
        if not together:
            appender.flush()
            appender = Appender(tx)
    appender.flush()
    return places


def _rows(tx: Transaction) -> dict[str, list[tuple[object, ...]]]:
    tables = ("episode", "episode_state", "fact", "event")
    found = {name: tx.db.execute(f"SELECT * FROM {name}").fetchall() for name in tables}
    words = tx.db.execute("SELECT rowid FROM episode_fts WHERE episode_fts MATCH 'tests'")
    return {
        **{name: [tuple(row) for row in rows] for name, rows in found.items()},
        "words": [tuple(row) for row in words],
    }


async def _stored(engine: Engine, *, together: bool) -> dict[str, list[tuple[object, ...]]]:
    """What stands in the store then; it is taken back."""
    seen: list[dict[str, list[tuple[object, ...]]]] = []

    def work(tx: Transaction) -> None:
        for session in ("s-1", "s-2"):
            ensure_session(tx, session, harness="test")
        assert _add(tx, together=together) == [1, 2, 3, 4, 5, 6]
        seen.append(_rows(tx))
        raise KeyError

    with pytest.raises(KeyError):
        await engine.workspace.database.write(work)
    return seen[0]


async def test_rows_written_together_are_those_written_one_by_one(engine: Engine) -> None:
    await engine.workspace.database.write(chain.store_key)
    together = await _stored(engine, together=True)
    assert together == await _stored(engine, together=False)
    assert [row[3] for row in together["episode"]] == [1, 1, 1, 1, 2, 2]
    assert len(together["fact"]) == 1
    assert together["words"] == [(1,)]


async def test_events_keep_the_order_in_which_they_were_told(engine: Engine) -> None:
    events = (await _stored(engine, together=True))["event"]
    kinds = [str(row[1]) for row in events][-7:]
    assert kinds == ["episode.committed"] * 3 + ["usage.recorded"] + ["episode.committed"] * 3


async def test_a_chain_written_together_holds(engine: Engine) -> None:
    def work(tx: Transaction) -> None:
        for session in ("s-1", "s-2"):
            ensure_session(tx, session, harness="test")
        _add(tx, together=True)

    await engine.workspace.database.write(work)
    await engine.commit_episode("user", "One more.", session_id="s-1")
    verified = await engine.verify()
    assert (verified.ok, verified.episodes) == (True, 7)


async def test_a_compaction_within_a_piece_takes_out_what_came_before_it_and_no_more(
    engine: Engine, tmp_path: Path
) -> None:
    def line(uuid: str, parent: str | None, **more: object) -> str:
        stamped = {"sessionId": "s", "timestamp": "2026-01-01T10:00:00Z"}
        return json.dumps({"uuid": uuid, "parentUuid": parent, **stamped, **more})

    def said(uuid: str, parent: str | None) -> str:
        return line(uuid, parent, type="user", message={"role": "user", "content": uuid})

    file = tmp_path / "t.jsonl"
    boundary = line("b", None, type="system", subtype="compact_boundary", compactMetadata={})
    file.write_text("\n".join((said("1", None), said("2", "1"), boundary, said("3", "b"), "")))
    await engine.importer.run(file)
    page = await engine.episodes.page("s")
    inside = {episode.content: episode.in_window for episode in page}
    assert inside == {"1": InWindow.NO, "2": InWindow.NO, "3": InWindow.YES}
    kinds = [event.kind for event in await engine.recent_events(20) if event.session_id == "s"]
    compacted = kinds.index("window.compacted")
    assert kinds[:compacted].count("episode.committed") == 2
