"""Turns become summaries that rest on their code, and change with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sakur4_core.clock import FakeClock
from sakur4_core.consolidate.summaries import NOT_SHORTER, NOTHING_LEFT, holding
from sakur4_core.engine import Engine
from sakur4_core.memory.naming import names_in
from sakur4_core.models import AtlasEntry

DAY_S = 86_400
DECISION = (
    "I looked at how the sign-in works before changing anything. Let me go through it. "
    "`check_user` in src/auth.py only tests that the e-mail is not empty, so any text signs in. "
    "We decided to keep the limit of 30 minutes for sessions, since the mobile client needs it. "
    "The page itself is fine and needs no change at all, as far as I can tell from reading it. "
    "The colours of the form could be nicer, but that is for another day and another person. "
    "In the end nothing else had to be looked at, and I will go on with the next point now. "
    "There is more to say about the form, but none of it matters for the question at hand here. "
    "The people who wrote this page took care of it, and whoever comes next will see that too. "
    "So far so good, and thank you for the patience with all of this on such a long afternoon."
)
NOISE = "Nothing here.\n" * 60


async def own(engine: Engine) -> list[AtlasEntry]:
    return [entry for entry in await engine.atlas.entries() if entry.origin == "dream"]


async def test_a_turn_is_summarised_in_its_own_words_and_rests_on_the_code_it_names(
    engine: Engine,
) -> None:
    await engine.index()
    committed = await engine.commit_episode("assistant", DECISION, session_id="s1")
    report = await engine.dream(force=True)
    assert (report.ran, report.reason, report.promoted) == (True, "done", 1)
    (entry,) = await own(engine)
    for sentence in entry.content.split("\n"):
        assert sentence in DECISION
    assert await engine.workspace.counter.measure(entry.content) < committed.token_count / 2
    assert "check_user" in entry.content
    assert "30 minutes" in entry.content
    assert not entry.stale
    again = await engine.dream(force=True)
    assert (again.promoted, again.reason) == (0, "Nothing was due.")


async def test_a_summary_whose_code_changed_keeps_only_what_still_holds(
    engine: Engine, project: Path
) -> None:
    await engine.index()
    await engine.commit_episode("assistant", DECISION, session_id="s1")
    await engine.dream(force=True)
    file = project / "src" / "auth.py"
    file.write_text(file.read_text().replace("email: str", "user_id: int"))
    await engine.index()
    assert (await engine.staleness()).stale_count == 1
    report = await engine.dream(force=True)
    assert report.regenerated == 1
    (entry,) = await own(engine)
    assert "check_user" not in entry.content
    assert "30 minutes" in entry.content
    assert (await engine.staleness()).stale_count == 0


async def test_what_only_spoke_of_code_that_changed_ends(engine: Engine, project: Path) -> None:
    await engine.index()
    said = "`check_user` in src/auth.py tests nothing but that the e-mail is not empty. "
    await engine.commit_episode("assistant", said * 12, session_id="s1")
    await engine.dream(force=True)
    (entry,) = await own(engine)
    file = project / "src" / "auth.py"
    file.write_text(file.read_text().replace("def check_user", "def find_user"))
    await engine.index()
    report = await engine.dream(force=True)
    assert report.skipped == {NOTHING_LEFT: 1}
    assert await own(engine) == []
    # The turn itself keeps every word, and is not summarised again.
    assert (await engine.dream(force=True)).promoted == 0
    assert (await engine.episodes.get(1)).content == (said * 12)
    assert entry.content in said


async def test_a_summary_of_a_corrected_turn_ends(engine: Engine) -> None:
    first = await engine.commit_episode("assistant", DECISION, session_id="s1")
    await engine.dream(force=True)
    await engine.commit_episode(
        "assistant", "No: the limit is 45 minutes.", session_id="s1", corrects=first.episode_id
    )
    report = await engine.dream(force=True)
    assert report.pruned == 1
    assert await own(engine) == []


async def test_a_turn_that_no_summary_shortens_is_looked_at_once(engine: Engine) -> None:
    await engine.commit_episode("tool", NOISE, session_id="s1", tool_name="Read")
    report = await engine.dream(force=True)
    if report.promoted == 0:
        assert report.skipped == {NOT_SHORTER: 1}
    assert (await engine.dream(force=True)).reason == "Nothing was due."


async def test_turns_are_chosen_by_worth_and_fairly_across_sessions(
    open_engine: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAKUR4_DREAM_ITEMS", "4")
    async with open_engine() as engine:
        for number in range(8):
            text = f"Turn {number}. {DECISION}"
            await engine.commit_episode("tool", text, session_id="busy", tool_name="Read")
        wrong = await engine.commit_episode("assistant", DECISION, session_id="busy")
        right = await engine.commit_episode(
            "assistant", f"Now. {DECISION}", session_id="busy", corrects=wrong.episode_id
        )
        for name in ("calm", "quiet"):
            await engine.commit_episode("assistant", f"{name}. {DECISION}", session_id=name)
        assert (await engine.dream(force=True)).promoted == 4
        entries = await own(engine)
        assert {entry.session_id for entry in entries} == {"busy", "calm", "quiet"}
        first = [entry for entry in entries if entry.session_id == "busy"][-1]
        rests_on = await engine.workspace.database.read(
            lambda db: db.execute(
                "SELECT anchor_id FROM atlas_anchor"
                " WHERE atlas_id = ? AND anchor_type = 'episode'",
                (first.atlas_id,),
            ).fetchone()[0]
        )
        assert rests_on == right.episode_id


async def test_our_own_words_are_not_promoted(engine: Engine) -> None:
    await engine.commit_episode(
        "tool", DECISION * 2, session_id="s1", tool_name="mcp__sakur4__memory_recall"
    )
    report = await engine.dream(force=True)
    assert (report.promoted, report.skipped) == (0, {})


async def test_a_cold_session_is_archived_rung_by_rung_and_can_be_brought_back(
    engine: Engine, clock: FakeClock
) -> None:
    for number in range(6):
        await engine.commit_episode("user", f"look at table {number}", session_id="old")
        await engine.commit_episode(
            "tool", f"a row of {number}\n" * 120, session_id="old", tool_name="Read"
        )
    await engine.commit_episode("user", "that is enough", session_id="old")
    clock.advance(20 * DAY_S)
    await engine.commit_episode("user", "a new day", session_id="new")
    report = await engine.dream(force=True)
    assert report.archived == 12
    (plan,) = [one for one in await engine.proposals.recent() if one.plan is not None]
    assert (plan.asked_by, plan.decided_by, plan.status) == ("dream", "dream", "applied")
    for item in plan.plan.items:
        assert [rung.tier for rung in item.rungs] == ["masked", "referenced", "archived"]
    assert (await engine.dream(force=True)).archived == 0
    await engine.proposals.undo(plan.proposal_id)
    tiers = await engine.tiers("old")
    assert next(one.episodes for one in tiers.counts if one.tier == "live") == 13
    # What a person brought back stays.
    clock.advance(DAY_S)
    assert (await engine.dream(force=True)).archived == 0


def test_sentences_that_name_what_changed_go() -> None:
    text = "check_user tests the e-mail. The limit is 30 minutes. See `expire` and check_users."
    kept = holding(text, ("auth.check_user",))
    assert "The limit is 30 minutes." in kept
    assert "check_user tests" not in kept
    assert "check_users" in kept


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("call check_user(email) now", ["check_user"]),
        ("`expire` and parseHTTPReply and self.limit", ["expire", "parseHTTPReply", "self.limit"]),
        ("Session::new, User#find; plain words in UPPER CASE", ["Session.new", "User.find"]),
        ("run() is a name and run is none", ["run"]),
        ("", []),
    ],
)
def test_names_are_words_written_like_names(text: str, names: list[str]) -> None:
    assert names_in(text) == names
