"""Properties of the planner, on any transcript and any window."""

from __future__ import annotations

import itertools
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from sakur4_core.context import planner
from sakur4_core.context.budget import PROFILES, budget_of
from sakur4_core.context.calibration import Scale
from sakur4_core.context.captions import Caption
from sakur4_core.context.case import Case
from sakur4_core.context.composition import compose
from sakur4_core.context.ladder import Costs
from sakur4_core.context.moves import LADDER
from sakur4_core.context.prompt import FOLD_SUMMARIES, PINNED_ANCHORS, assemble
from sakur4_core.context.units import candidates, span
from sakur4_core.models import Basis, Plan, Pressure, Role, Tier, counted
from sakur4_core.settings import ContextSettings
from sakur4_core.store.window import Frame, WindowRow

TIERS = [Tier.LIVE, Tier.LIVE, Tier.LIVE, Tier.MASKED, Tier.REFERENCED, Tier.ARCHIVED]


Step = tuple[str, Tier, int, float, float, bool]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["user", "pair", "assistant", "open"]),
        st.sampled_from(TIERS),
        st.integers(0, 4_000),
        st.sampled_from([0.1, 0.5, 1.0]),
        st.sampled_from([0.02, 0.3, 1.0, 1.2]),
        st.booleans(),
    ),
    max_size=20,
)


def rows_of(steps: list[Step]) -> tuple[list[WindowRow], dict[int, Costs]]:
    """A timeline with a ladder for each row; a stub may cost more than its episode."""
    rows: list[WindowRow] = []
    ladders: dict[int, Costs] = {}
    for index, (kind, tier, live, masked, stub, wrong) in enumerate(steps):
        call = f"c{index}" if kind in ("pair", "open") else None
        roles = {"pair": ["assistant", "tool"], "open": ["assistant"]}.get(kind, [kind])
        for role in roles:
            seq = len(rows) + 1
            tokens = live // 20 if role == "assistant" and call else live
            costs = (tokens, int(tokens * masked), int(tokens * stub), 0, 0)
            ladders[seq] = costs
            rows.append(
                WindowRow(
                    seq,
                    f"ep_{seq}",
                    1,
                    Role(role),
                    "Read" if call else None,
                    call,
                    tokens,
                    tier.rung,
                    tier.rung,
                    wrong,
                    "ep_x" if wrong else None,
                    False,
                )
            )
    return rows, ladders


@st.composite
def cases(draw: st.DrawFn) -> tuple[Case, dict[int, Costs]]:
    rows, ladders = rows_of(draw(STEPS))
    frame = Frame(
        session_id="s1",
        slot_id=None,
        model=None,
        provider=None,
        turn=1,
        rows=tuple(rows),
        left_window=0,
        parts=(),
        folds=(),
        open_fold_seq=draw(st.sampled_from([None, None, 20])),
        dependants={3: 2, 5: 9},
        summarised=frozenset({2, 4}),
        usage=None,
        reports=(),
        largest_context=0,
        compactions=0,
    )
    scale = Scale(draw(st.sampled_from([1.0, 1.0, 0.93, 1.21])), Basis.COUNTED)
    prompt = assemble(
        frame,
        ladders,
        scale=scale,
        blocks={PINNED_ANCHORS: ("", 40), FOLD_SUMMARIES: ("", 0)},
        remainder=draw(st.sampled_from([None, 0, 900, -300])),
        sent=False,
    )
    name = draw(st.sampled_from(sorted(PROFILES)))
    chosen = ContextSettings.model_validate({"profile": name, "reserve_output": 500})
    budget = budget_of(chosen, counted(draw(st.integers(1_000, 40_000))))
    errors = frozenset(draw(st.sets(st.integers(1, 40), max_size=3)))
    case = Case(
        frame=frame,
        prompt=prompt,
        budget=budget,
        profile=PROFILES[name],
        sent_total=prompt.total,
        total=counted(prompt.total),
        errors=errors,
        anchor_tokens=40,
        scale=scale,
        rates=None,
        checkpoints=draw(st.sampled_from([None, None, (), tuple(range(1_024, 9_000, 1_024))])),
    )
    return case, ladders


def make(case: Case, ladders: dict[int, Costs], without: frozenset[str] = frozenset()) -> Plan:
    units, whole = span(case, candidates(case, without), 10**9)
    assert whole
    moves = planner.choose(case, units, ladders, Tier.ARCHIVED)
    captions = {row.seq: Caption(f"row {row.seq}", "head and tail") for row in case.frame.rows}
    return compose(case, moves, ladders, captions, ())


@given(cases())
@settings(max_examples=40, deadline=None)
def test_the_same_input_gives_the_same_plan(made: tuple[Case, dict[int, Costs]]) -> None:
    case, ladders = made
    assert make(case, ladders) == make(case, dict(reversed(ladders.items())))


@given(cases())
@settings(max_examples=40, deadline=None)
def test_field_defect_24_no_candidate_is_protected_and_pairs_are_whole(
    made: tuple[Case, dict[int, Costs]],
) -> None:
    case, ladders = made
    plan = make(case, ladders)
    moved = {item.seq for item in plan.items}
    rows = case.frame.rows
    if rows:
        assert rows[-1].seq not in moved
        newest_user = [row.seq for row in rows if row.role is Role.USER][-1:]
        assert not moved.intersection(newest_user)
    assert not moved & case.errors
    if case.frame.open_fold_seq is not None:
        assert all(seq < case.frame.open_fold_seq for seq in moved)
    for item in plan.items:
        call = rows[item.seq - 1].tool_call_id
        partners = {row.seq for row in rows if call is not None and row.tool_call_id == call}
        assert partners <= moved | {item.seq}
        assert {i.to_tier for i in plan.items if i.group == item.group} == {item.to_tier}


@given(cases())
@settings(max_examples=40, deadline=None)
def test_field_defect_23_no_rung_is_skipped_and_no_plan_stops_where_nothing_shrinks(
    made: tuple[Case, dict[int, Costs]],
) -> None:
    case, ladders = made
    plan = make(case, ladders)
    order = [tier for _, tier in LADDER]
    for item in plan.items:
        visited = [rung.tier for rung in item.rungs]
        assert visited == order[item.from_tier.rung : item.to_tier.rung]
        assert [rung.tokens for rung in item.rungs] == [
            case.scale.tokens(ladders[item.seq][tier.rung]) for tier in visited
        ]
        assert item.rungs[-1].shrinks
        assert item.tokens_after == item.rungs[-1].tokens <= item.tokens_before
        assert round(sum(reason.amount for reason in item.reasons), 2) == item.value


@given(cases())
@settings(max_examples=40, deadline=None)
def test_a_plan_reaches_its_target_or_everything_that_may_go_is_gone(
    made: tuple[Case, dict[int, Costs]],
) -> None:
    case, ladders = made
    plan = make(case, ladders)
    curve = plan.savings_curve
    assert len(curve) == len(plan.items) + 1
    assert all(later <= earlier for earlier, later in itertools.pairwise(curve))
    assert (curve[0], curve[-1]) == (plan.tokens_before.value, plan.tokens_after.value)
    assert plan.tokens_freed.value == curve[0] - curve[-1]
    assert plan.tokens_freed.value >= 0
    assert plan.prefix_kept.value + plan.tokens_to_prefill.value == curve[-1]
    if not plan.reaches_target:
        left = candidates(case, frozenset(item.episode_id for item in plan.items))
        assert not left.tokens.any()
        assert all(item.tokens_after == 0 for item in plan.items)


@given(cases())
@settings(max_examples=40, deadline=None)
def test_nothing_is_moved_that_the_target_does_not_need(
    made: tuple[Case, dict[int, Costs]],
) -> None:
    case, ladders = made
    plan = make(case, ladders)
    if plan.reaches_target and plan.items:
        room = case.budget.target - plan.savings_curve[-1]
        for group in {item.group for item in plan.items}:
            saved = sum(i.tokens_before - i.tokens_after for i in plan.items if i.group == group)
            assert saved > room


@given(cases(), st.data())
@settings(max_examples=40, deadline=None)
def test_what_is_taken_out_stays_out_with_its_pair(
    made: tuple[Case, dict[int, Costs]], data: st.DataObject
) -> None:
    case, ladders = made
    first = make(case, ladders)
    if first.items:
        out = data.draw(st.sampled_from(first.items))
        again = make(case, ladders, frozenset({out.episode_id}))
        assert all(item.group != out.group for item in again.items)


@given(cases())
@settings(max_examples=40, deadline=None)
def test_a_span_reaches_back_from_the_newest_only(made: tuple[Case, dict[int, Costs]]) -> None:
    case, _ = made
    groups = candidates(case, frozenset())
    everything, _ = span(case, groups, 10**9)
    some, _ = span(case, groups, 2_000)
    assert some.keys == everything.keys[len(everything) - len(some) :]
    start = everything.tokens.size - some.tokens.size
    assert some.tokens.tolist() == everything.tokens[start:].tolist()


@given(cases())
@settings(max_examples=40, deadline=None)
def test_anchors_beyond_their_budget_are_an_overflow(made: tuple[Case, dict[int, Costs]]) -> None:
    case, _ = made
    full = replace(case, anchor_tokens=case.budget.anchors + 1)
    assert full.pressure is Pressure.ANCHOR_OVERFLOW
