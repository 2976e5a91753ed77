"""The Anchor Set: what is pinned stays, verbatim, until somebody takes it off."""

from __future__ import annotations

import pytest
from sakur4_core.clock import FakeClock, stamp
from sakur4_core.engine import Engine
from sakur4_core.errors import AnchorOverflow, InvalidInput, NotFound
from sakur4_core.memory.anchors import render

SESSION = "s-1"


async def test_anchors_are_rendered_verbatim_by_kind_in_a_fixed_order(engine: Engine) -> None:
    await engine.pin("Answer  in `JSON`.", kind="task_contract")
    await engine.pin("The limit is seven.", kind="user_correction")
    await engine.pin("Never force-push.", kind="safety_constraint")
    assert render(await engine.anchors()).splitlines()[1:] == [
        "## Safety constraints",
        "- Never force-push.",
        "## Task contract",
        "- Answer  in `JSON`.",
        "## Corrections by the user",
        "- The limit is seven.",
    ]
    assert render(()) == ""


async def test_a_duplicate_returns_what_already_says_it(engine: Engine) -> None:
    first = await engine.pin("Never force-push to main.")
    again = await engine.pin("  never  FORCE-push to main ")
    assert again.anchor_id == first.anchor_id
    assert len(await engine.anchors()) == 1


async def test_a_session_anchor_reaches_its_session_only(engine: Engine) -> None:
    await engine.pin("for one", scope="session", session_id=SESSION)
    await engine.pin("for all")
    assert [anchor.content for anchor in await engine.anchors()] == ["for all"]
    assert len(await engine.anchors(SESSION)) == 2
    assert [anchor.content for anchor in await engine.anchors("s-2")] == ["for all"]
    with pytest.raises(InvalidInput, match="session_id"):
        await engine.pin("whose", scope="session")


async def test_field_defect_15_unpinning_can_be_undone_and_keeps_history(engine: Engine) -> None:
    anchor = await engine.pin("Use tabs.")
    await engine.unpin(anchor.anchor_id, by="person")
    assert await engine.anchors() == ()
    with pytest.raises(NotFound):
        await engine.unpin(anchor.anchor_id)
    history = await engine.anchor_set.history()
    assert [(a.content, a.unpinned_at is not None) for a in history] == [("Use tabs.", True)]
    await engine.anchor_set.repin(anchor.anchor_id)
    assert [a.content for a in await engine.anchors()] == ["Use tabs."]


async def test_an_edit_keeps_the_old_wording_in_the_history(engine: Engine) -> None:
    anchor = await engine.pin("Use tabs.")
    edited = await engine.anchor_set.edit(anchor.anchor_id, "Use four spaces.")
    assert [a.content for a in await engine.anchors()] == ["Use four spaces."]
    assert {a.content for a in await engine.anchor_set.history()} == {
        "Use tabs.",
        "Use four spaces.",
    }
    with pytest.raises(NotFound):
        await engine.anchor_set.edit(anchor.anchor_id, "again")
    assert edited.kind is anchor.kind


async def test_an_anchor_ends_at_its_expiry(engine: Engine, clock: FakeClock) -> None:
    clock.advance(60)
    ends = stamp(clock.now())
    clock.advance(-60)
    await engine.pin("for a minute", expires_at=ends)
    assert len(await engine.anchors()) == 1
    clock.advance(61)
    assert await engine.anchors() == ()
    with pytest.raises(InvalidInput, match="expires_at"):
        await engine.pin("x", expires_at="tomorrow")


async def test_field_defect_14_over_the_budget_is_an_error_that_names_the_sizes(
    engine: Engine,
) -> None:
    long = await engine.pin("keep " * 60)
    await engine.pin("short")
    anchors = await engine.anchors()
    cost = sum(anchor.token_cost for anchor in anchors)
    assert render(anchors, budget=cost)
    with pytest.raises(AnchorOverflow) as caught:
        render(anchors, budget=20)
    assert str(cost) in caught.value.message
    assert caught.value.hint is not None
    assert long.anchor_id in caught.value.hint


@pytest.mark.parametrize(
    "arguments",
    [
        {"content": "   "},
        {"content": "x" * 4_001},
        {"content": "x", "kind": "wish"},
        {"content": "x", "scope": "galaxy"},
    ],
)
async def test_bad_pins_are_refused(engine: Engine, arguments: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        await engine.pin(arguments.pop("content"), **arguments)


async def test_the_wish_to_unpin_is_decided_like_any_other(engine: Engine) -> None:
    anchor = await engine.pin("Use tabs.")
    wish = await engine.proposals.propose_unpin(anchor.anchor_id)
    assert len(await engine.anchors()) == 1
    await engine.proposals.approve(wish.proposal_id)
    assert await engine.anchors() == ()
    await engine.proposals.undo(wish.proposal_id)
    assert len(await engine.anchors()) == 1
