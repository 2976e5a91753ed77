"""What slipped through is taken out for good; and nothing planted reaches the disk at all."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from itertools import cycle
from pathlib import Path

import pytest
from redaction_corpus import Planted, planted
from sakur4_core.engine import Engine
from sakur4_core.errors import InvalidInput, NotFound
from sakur4_core.memory.quotation import Quotation, without_common

SESSION = "s-1"
# Nothing tells that these are secrets: neither a mark nor a name nor a form.
UNKNOWN = ("Zanzibar-Quokka-Umbrella", "violet walrus counts marbles")
PLANTED = planted()


def everywhere(folder: Path) -> dict[str, bytes]:
    """The bytes of every file below a folder: store, WAL, shared memory, views, logs, exports."""
    return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def holders(folder: Path, secret: str) -> list[str]:
    """The files in which a secret, or its words as an index holds them, can be read."""
    forms = {secret.encode(), secret.encode("utf-16-le"), json.dumps(secret)[1:-1].encode()}
    return [name for name, held in everywhere(folder).items() if any(f in held for f in forms)]


def parts(plant: Planted) -> list[str]:
    """What is looked for: the whole secret, and its parts if they stand on lines of their own."""
    return [part for secret in plant.secrets for part in secret.split("\n") if len(part) >= 8]


async def test_field_defect_13_a_byte_search_finds_no_planted_secret(
    engine: Engine, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="sakur4_core")
    episode = await engine.commit_episode("user", "start", session_id=SESSION)
    leads = {"tool": "", "user": "Never forget this: ", "assistant": "It printed\n", "system": ""}
    for plant, (role, lead) in zip(PLANTED, cycle(leads.items()), strict=False):
        await engine.commit_episode(role, f"{lead}{plant.text}", session_id=SESSION)
    for plant in PLANTED[::6]:
        await _through_other_doors(engine, plant.text, episode.episode_id)
    await engine.receipt(SESSION)
    await engine.recall(PLANTED[0].text)
    await engine.export(tmp_path / "export.jsonl")
    await engine.workspace.database.backup(tmp_path / "backup.db")
    held = everywhere(tmp_path) | {"log": caplog.text.encode()}
    left = [
        (name, part)
        for name, whole in held.items()
        for plant in PLANTED
        for part in parts(plant)
        if part.encode() in whole
    ]
    assert left == []
    assert {"store.db", "store.db-wal", "export.jsonl"} <= {Path(name).name for name in held}


async def _through_other_doors(engine: Engine, text: str, episode_id: str) -> None:
    name = text if len(text) <= 200 and text.isprintable() else "tool"
    await engine.pin(f"Remember {text}"[:3_000])
    await engine.put_summary(f"It said {text}", [("episode", episode_id)])
    fold = await engine.fold(f"Look at {text}", f"Find {text}", session_id="folds")
    await engine.commit_episode(
        "tool",
        json.dumps({"args": text}),
        session_id="folds",
        tool_name=name,
        tool_call_id=name,
        idempotency_key=f"{len(text)} {name}"[:200],
    )
    await engine.unfold(fold.fold_id, f"Found {text}")
    proposal = await engine.proposals.propose_anchor(
        f"Keep {text}"[:3_000], kind="task_contract", asked_by="agent"
    )
    await engine.proposals.reject(proposal.proposal_id, f"not {text}")
    await engine.sessions.open("titled", harness="api", title=text, branch=text, model=text)


async def test_a_session_id_may_not_be_a_secret(engine: Engine) -> None:
    secret = PLANTED[0].secrets[0]
    with pytest.raises(InvalidInput, match="looks like a secret") as caught:
        await engine.commit_episode("user", "x", session_id=secret)
    assert secret not in str(caught.value)


@pytest.mark.parametrize("secret", UNKNOWN)
async def test_a_redacted_turn_is_found_nowhere_on_the_disk(engine: Engine, secret: str) -> None:
    folder = engine.workspace.place.file.parent
    for number in range(20):
        await engine.commit_episode("user", f"turn {number} of many", session_id=SESSION)
    leaked = await engine.commit_episode(
        "tool", json.dumps({"answer": f"use {secret} for it"}), session_id=SESSION
    )
    said = await engine.commit_episode("assistant", "I understand", session_id=SESSION)
    entry = await engine.put_summary(
        f"The answer is use {secret} for it.", [("episode", leaked.episode_id)]
    )
    other = await engine.put_summary("They understand.", [("episode", said.episode_id)])
    quoting = await engine.put_summary(
        f"One must use {secret} for it", [("episode", said.episode_id)]
    )
    pinned = await engine.pin(f"Always use {secret} for it")
    kept = await engine.pin("Answers are short.")
    await engine.receipt(SESSION)
    await engine.recall(f"use {secret} for it")
    assert holders(folder, secret)

    done = await engine.redact(leaked.episode_id, "a code word", by="person")

    assert done.tombstone == "[redacted by person: a code word]"
    assert done.scrubbed
    assert done.facts == 1
    assert set(done.summaries) == {entry.atlas_id, quoting.atlas_id}
    assert done.anchors == (pinned.anchor_id,)
    assert holders(folder, secret) == []
    assert _words_left(engine, secret) == []
    assert (await engine.episodes.get(leaked.seq)).content == done.tombstone
    assert (await engine.verify()).ok
    assert [anchor.anchor_id for anchor in await engine.anchors()] == [kept.anchor_id]
    assert other.atlas_id in {entry.atlas_id for entry in await engine.atlas.entries()}
    assert not (await engine.recall(secret)).hits or all(
        secret not in hit.text for hit in (await engine.recall(secret)).hits
    )
    # Recall notes that it ran a little after it answered; nothing else came since.
    told = [event.kind for event in reversed(await engine.recent_events(10))]
    assert next(kind for kind in told if kind != "recall.ran") == "episode.redacted"


def _words_left(engine: Engine, secret: str) -> list[str]:
    """The secret's words that an index of words still knows."""
    raw = sqlite3.connect(engine.workspace.place.file)
    left = []
    for index in ("episode_fts", "atlas_fts", "fact_fts"):
        raw.execute(f"CREATE VIRTUAL TABLE temp.v_{index} USING fts5vocab(main, {index}, row)")
        terms = {row[0] for row in raw.execute(f"SELECT term FROM v_{index}")}
        words = secret.lower().replace("-", " ").split()
        left += [word for word in words if any(term[:5] == word[:5] for term in terms)]
    raw.close()
    return left


async def test_a_rule_proposed_from_a_redacted_turn_expires(engine: Engine) -> None:
    secret = UNKNOWN[0]
    leaked = await engine.commit_episode(
        "user", f"You must never print {secret} anywhere.", session_id=SESSION
    )
    assert leaked.anchor_proposal is not None
    done = await engine.redact(leaked.seq, "a code word")
    assert done.proposals == (leaked.anchor_proposal,)
    proposal = await engine.proposals.get(leaked.anchor_proposal)
    assert proposal.status.value == "expired"
    assert holders(engine.workspace.place.file.parent, secret) == []


async def test_what_stands_in_another_turn_too_is_not_taken_for_a_quotation(
    engine: Engine,
) -> None:
    for _ in range(2):
        last = await engine.commit_episode(
            "tool", "src/orders/api-v2.py was read", session_id=SESSION
        )
    pinned = await engine.pin("Never touch src/orders/api-v2.py by hand.")
    done = await engine.redact(last.episode_id, "not needed")
    assert done.anchors == ()
    assert [anchor.anchor_id for anchor in await engine.anchors()] == [pinned.anchor_id]


async def test_redacting_again_only_scrubs(engine: Engine) -> None:
    leaked = await engine.commit_episode("user", UNKNOWN[0], session_id=SESSION)
    first = await engine.redact(leaked.seq, "one reason")
    second = await engine.redact(leaked.seq, "another reason")
    assert second.tombstone == first.tombstone
    assert second.scrubbed
    assert (await engine.verify()).ok


async def test_a_secret_in_the_reason_is_not_kept(engine: Engine) -> None:
    leaked = await engine.commit_episode("user", UNKNOWN[0], session_id=SESSION)
    secret = PLANTED[0].secrets[0]
    done = await engine.redact(leaked.seq, f"it held {secret}")
    assert secret not in done.tombstone
    assert holders(engine.workspace.place.file.parent, secret) == []


@pytest.mark.parametrize("reason", ["", "  ", "x" * 201, "a\nb"])
async def test_a_reason_is_needed(engine: Engine, reason: str) -> None:
    leaked = await engine.commit_episode("user", "x", session_id=SESSION)
    with pytest.raises(InvalidInput, match="reason"):
        await engine.redact(leaked.seq, reason)


async def test_an_unknown_episode_is_named(engine: Engine) -> None:
    with pytest.raises(NotFound, match="ep_missing"):
        await engine.redact("ep_missing", "x")


async def test_another_process_that_reads_meanwhile_sees_the_tombstone(
    engine: Engine, open_engine: Callable[..., AbstractAsyncContextManager[Engine]]
) -> None:
    leaked = await engine.commit_episode("user", UNKNOWN[0], session_id=SESSION)
    async with open_engine() as other:
        assert (await other.episodes.get(leaked.seq)).content == UNKNOWN[0]
        done = await engine.redact(leaked.seq, "a code word")
        assert done.scrubbed
        assert (await other.episodes.get(leaked.seq)).content == done.tombstone
        assert await other.episodes.count(text=UNKNOWN[0]) == 0
        await other.commit_episode("user", "and on", session_id=SESSION)
    assert holders(engine.workspace.place.file.parent, UNKNOWN[0]) == []


async def test_saved_views_are_deleted(engine: Engine) -> None:
    leaked = await engine.commit_episode("user", UNKNOWN[0], session_id=SESSION)
    views = engine.workspace.place.views
    views.mkdir(exist_ok=True)
    (views / "turns.view").write_text(UNKNOWN[0])
    await engine.redact(leaked.seq, "a code word")
    assert [file.name for file in views.iterdir() if file.name != "lock"] == []


def test_a_quotation_is_a_telling_word_or_four_words_in_a_row() -> None:
    quotation = Quotation('the key is "Zan-7x4q" and\nthe walrus counts blue marbles')
    assert set(quotation.pieces("someone wrote Zan-7x4q.")) == {"Zan-7x4q"}
    assert set(quotation.pieces("a walrus counts blue marbles")) == {"walrus counts blue marbles"}
    assert set(quotation.pieces("the walrus is blue")) == set()
    assert without_common({"Zan-7x4q", "b"}, ["a b", "c"]) == {"Zan-7x4q"}
