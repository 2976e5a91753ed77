"""Pane 2: how the session's episodes stand on the ladder, and what leaves next."""

from __future__ import annotations

from collections.abc import Sequence

from sakur4_core import models as m
from textual.content import Content

from sakur4_tui import figures
from sakur4_tui.cells import Part, bar, fit_text, line, right
from sakur4_tui.facts import Facts, Topic
from sakur4_tui.look import Look, speaker
from sakur4_tui.widgets.pane import Pane, quiet
from sakur4_tui.widgets.receipt import plan_at
from sakur4_tui.widgets.virtual import Row


class TiersPane(Pane):
    """Counts and tokens per tier, then the next to leave."""

    number, name_, topic = 2, "Tiers", Topic.TIERS

    def summary(self, facts: Facts, look: Look) -> Content:
        if facts.tiers is None:
            return line(("no session", "$quiet"))
        parts: list[Part] = []
        for count in facts.tiers.counts[:3]:
            parts += [look.tier(count.tier), f" {count.episodes} {count.tier.value}  "]
        return line(*parts, next_words(facts.tiers, look))

    def rows(self, facts: Facts, look: Look, width: int, height: int) -> Sequence[Row]:
        tiers = facts.tiers
        if tiers is None:
            return quiet("Turns stand here by how much of them the prompt still holds.", width)
        most = max((count.tokens.value or 0 for count in tiers.counts), default=0) or 1
        rows = [Row(_count_line(count, most, width, look)) for count in tiers.counts]
        if tiers.left_window:
            text = f"{figures.count(tiers.left_window)} left the window"
            rows.append(Row(line((f"  {text}", "$quiet"))))
        rows.append(Row(line("")))
        if not tiers.next_to_leave:
            return [*rows, *quiet("Nothing would leave: the window has room.", width)]
        at = plan_at(facts.receipt) if facts.receipt else ""
        when = f", plan at {at}" if at else ""
        rows.append(Row(line((f"next to leave{when}", "$quiet"))))
        return [
            *rows,
            *(Row(item_line(item, width, look), item.episode_id) for item in tiers.next_to_leave),
        ]


def _count_line(count: m.TierCount, most: float, width: int, look: Look) -> Content:
    room = width - 28
    value = count.tokens.value or 0
    return line(
        look.tier(count.tier),
        f" {count.tier.value:<11}",
        (right(figures.count(count.episodes), 5), "" if count.episodes else "$quiet"),
        (right(look.figure(count.tokens), 9) + " ", "" if value else "$quiet"),
        (bar(value / most, room, look.glyphs) if room > 1 else "", f"${count.tier.value}"),
    )


def item_line(item: m.PlanItem, width: int, look: Look) -> Content:
    """An item of a plan: which episode, its size, and its way down the ladder."""
    way = line(
        right(look.glyphs.marks[m.Basis.ESTIMATED] + figures.tokens(item.tokens_before), 7),
        " ",
        look.tier(item.from_tier),
        (f" {look.glyphs.arrow} ", "$quiet"),
        look.tier(item.to_tier),
    )
    room = width - way.cell_length
    head = f"#{item.seq}"
    return line(
        (f"{head:<5} ", "$quiet"),
        fit_text(speaker(item.role, item.tool_name), max(room - 6, 0), look.glyphs),
        way,
    )


def next_words(tiers: m.Tiers, look: Look) -> Content:
    """What would leave next, in words."""
    if not tiers.next_to_leave:
        return line(("nothing would leave", "$quiet"))
    item = tiers.next_to_leave[0]
    return line(
        ("next ", "$quiet"),
        f"#{item.seq} {speaker(item.role, item.tool_name)} ",
        look.tier(item.to_tier),
        f" {item.to_tier.value}",
    )
