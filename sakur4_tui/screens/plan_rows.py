"""What the plan review draws: head, items with the savings curve, reasons for one item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sakur4_core import models as m
from textual.content import Content

from sakur4_tui import figures
from sakur4_tui.cells import first_line, fit_text, fold, line, right, spread, visible
from sakur4_tui.look import Look, speaker
from sakur4_tui.widgets.pane import quiet
from sakur4_tui.widgets.virtual import Row

if TYPE_CHECKING:
    from sakur4_core.harness.reach import Reach


def head_lines(
    name: str,
    plan: m.Plan,
    costed: m.Plan | None,
    proposal: m.Proposal | None,
    reach: Reach | None,
    look: Look,
    width: int,
) -> Content:
    """Two lines: which plan, who asked and whether it can be put in effect; what it comes to
    with the items that are in."""
    width -= 2
    asked = ""
    if proposal is not None:
        waits = figures.waited(proposal.created_at, look.now)
        asked = f"  asked by {visible(proposal.asked_by, 20)}, waits {waits}"
    if reach is not None:
        asked += f"  {reach.effect}"
    pressure = line((plan.pressure.value.replace("_", " "), "$waiting"))
    first = spread(line((name, "bold $focus"), (asked, "$quiet")), pressure, width, look.glyphs)
    if costed is None:
        return first.append("\n").append(line(("costing again", "$quiet")))
    return first.append("\n").append(_figures(costed, look, width))


def _figures(plan: m.Plan, look: Look, width: int) -> Content:
    """What a plan comes to, its price before what explains it; whole pieces, as many as fit."""
    pieces = [
        line(
            ("window ", "$quiet"),
            f"{look.figure(plan.tokens_before)} now  {look.figure(plan.tokens_after)} after",
        ),
        line(("  frees ", "$quiet"), (look.figure(plan.tokens_freed), "bold $strong")),
    ]
    if plan.price.value is not None:
        pieces.append(line(("  costs ", "$quiet"), look.money(plan.price)))
    if plan.break_even_turns is not None:
        pieces.append(line(("  pays in ", "$quiet"), f"{plan.break_even_turns} turns"))
    pieces += [
        line(("  rewrites ", "$quiet"), look.figure(plan.tokens_to_prefill)),
        line(("  keeps prefix ", "$quiet"), look.figure(plan.prefix_kept)),
    ]
    laid = line()
    for piece in pieces:
        if laid.cell_length + piece.cell_length <= width:
            laid = laid.append(piece)
    return laid


def item_rows(
    plan: m.Plan,
    costed: m.Plan | None,
    left_out: frozenset[str],
    reach: Reach | None,
    look: Look,
    width: int,
) -> Sequence[Row]:
    """One row an item, then the prompt's size after each."""
    if not plan.items:
        notes = [row for note in plan.notes for row in quiet(visible(note, 400), width)]
        return [*quiet("Nothing would leave: the window has room.", width), *notes]
    step = 2 + len(look.glyphs.arrow) + 1
    ladder = 1 + step * max(len(item.rungs) for item in plan.items)
    rows = [
        Row(_item(item, item.episode_id in left_out, ladder, look, width), item.episode_id)
        for item in plan.items
    ]
    rows.append(Row(line("")))
    if costed is not None and len(costed.savings_curve) > 1:
        rows += [Row(content) for content in curve(costed, look, width)]
    if not plan.reaches_target:
        rows += quiet("Even so the target is not reached.", width)
    rows += [row for note in plan.notes for row in quiet(visible(note, 400), width)]
    if reach is not None:
        rows += quiet(reach.sentence, width)
    return [*rows, *quiet("Pinned anchors are never in a plan.", width)]


def _item(item: m.PlanItem, out: bool, ladder: int, look: Look, width: int) -> Content:
    steps = line(look.tier(item.from_tier))
    for rung in () if out else item.rungs:
        steps = steps.append(line((f" {look.glyphs.arrow} ", "$quiet"), look.tier(rung.tier)))
    sizes = f"{figures.count(item.tokens_before):>7}"
    sizes += (
        "    stays  " if out else f" {look.glyphs.arrow} {figures.count(item.tokens_after):>6}  "
    )
    end = line((sizes, "$quiet" if out else ""), steps, " " * (ladder - steps.cell_length))
    who = speaker(item.role, item.tool_name)
    box = ("[ ] ", "$quiet") if out else ("[x] ", "$done")
    room = max(width - end.cell_length - 1, 0)
    start = line(
        box,
        (f"{f'#{item.seq}':<5} ", "$quiet"),
        (f"{fit_text(who, min(12, room), look.glyphs)} ", "$quiet" if out else "$strong"),
        (first_line(item.preview), "$quiet"),
    )
    return spread(start, end, width, look.glyphs)


def curve(plan: m.Plan, look: Look, width: int) -> list[Content]:
    """The prompt's size after each item, against the target."""
    points = plan.savings_curve
    top, low = max(points), min(*points, plan.target_tokens or points[-1])
    span = max(top - low, 1)
    levels = len(look.glyphs.sparks)
    bars = "".join(
        look.glyphs.sparks[min(int((p - low) / span * levels), levels - 1)] for p in points
    )
    room = max(width - 20, 8)
    shown = bars if len(bars) <= room else bars[:: -(-len(bars) // room)]
    target = f"  target {figures.tokens(plan.target_tokens)}" if plan.target_tokens else ""
    return [
        line(("tokens after each item", "$quiet")),
        line(
            f"{figures.tokens(points[0])} ",
            (shown, "$measure"),
            f" {figures.tokens(points[-1])}",
            (target, "$quiet"),
        ),
    ]


def reason_rows(item: m.PlanItem | None, look: Look, width: int) -> Sequence[Row]:
    """Why one item: its value's parts, its rungs, and what the prompt holds before and after."""
    if item is None:
        return quiet("Select an item to see why it leaves.", width)
    rows = [
        Row(
            line(
                ("value ", "$quiet"),
                (f"{item.value:.1f}", "bold $strong"),
                ("  the lowest leave first", "$quiet"),
            )
        )
    ]
    for reason in item.reasons:
        note = f"  {visible(reason.note, 80)}" if reason.note else ""
        name = visible(reason.name.replace("_", " "), 24)
        rows.append(
            Row(line(right(figures.signed(reason.amount), 6), f"  {name}", (note, "$quiet")))
        )
    rows += [Row(line("")), Row(line(("down the ladder", "$quiet")))]
    rows.append(Row(_rung(look, item.from_tier, item.tokens_before, "")))
    for rung in item.rungs:
        rows.append(Row(_rung(look, rung.tier, rung.tokens, "" if rung.shrinks else "no smaller")))
    if item.kept:
        rows.append(Row(line(("kept: ", "$quiet"), visible(item.kept, 200))))
    rows += [Row(line("")), Row(line(("before", "$quiet")))]
    bar = (f"{look.glyphs.quote} ", "$stale")
    rows += [Row(line(bar, text)) for text in fold(item.preview, width - 2, 12)]
    after = f"[#{item.seq} {speaker(item.role, item.tool_name)}: {item.to_tier.value}]"
    rows += [Row(line(("after", "$quiet"))), Row(line((f"{look.glyphs.quote} ", "$done"), after))]
    return rows


def _rung(look: Look, tier: m.Tier, tokens: int, note: str) -> Content:
    return line(
        "  ",
        look.tier(tier),
        f" {tier.value:<11}{figures.count(tokens):>8}",
        (f"  {note}" if note else "", "$quiet"),
    )
