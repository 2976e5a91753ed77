"""Pane 5: the pinned statements."""

from __future__ import annotations

from collections.abc import Sequence

from sakur4_core import models as m
from textual.content import Content

from sakur4_tui import figures
from sakur4_tui.cells import first_line, line, spread, words
from sakur4_tui.facts import Facts, Topic
from sakur4_tui.look import Look
from sakur4_tui.widgets.pane import Pane, quiet
from sakur4_tui.widgets.virtual import Row

_KINDS = {
    m.AnchorKind.SAFETY_CONSTRAINT: "safety",
    m.AnchorKind.TASK_CONTRACT: "task",
    m.AnchorKind.USER_CORRECTION: "fix",
}


class AnchorsPane(Pane):
    """Every active anchor, its kind and reach, and what they cost together."""

    number, name_, topic = 5, "Anchors", Topic.ANCHORS

    def note(self, facts: Facts, look: Look) -> str:
        return f"{look.glyphs.anchor} {len(facts.anchors)} pinned" if facts.anchors else ""

    def summary(self, facts: Facts, look: Look) -> Content:
        if not facts.anchors:
            return line(("nothing is pinned", "$quiet"))
        missing = facts.missing or ()
        # The worst item: a rule that the agent does not have before it.
        worst = next((a for a in facts.anchors if a.anchor_id in missing), facts.anchors[0])
        gone = f"{look.glyphs.stale} {len(missing)} not in context  " if missing else ""
        return line(
            (f"{look.glyphs.anchor} {len(facts.anchors)} pinned  ", "$anchor"),
            (gone, "$waiting"),
            first_line(worst.content),
        )

    def rows(self, facts: Facts, look: Look, width: int, height: int) -> Sequence[Row]:
        if facts.anchors is None:
            return quiet("Reading.", width)
        if not facts.anchors:
            return quiet("Nothing is pinned. A rule said by you is proposed here as a pin.", width)
        rows = [
            Row(content, anchor.anchor_id)
            for anchor in facts.anchors
            for content in _anchor(anchor, anchor.anchor_id in (facts.missing or ()), width, look)
        ]
        cost = sum(anchor.token_cost for anchor in facts.anchors)
        text = f"{figures.count(cost)} tokens in every prompt; never evicted"
        return [*rows, Row(line("")), *_presence(facts, width, look), *quiet(text, width)]


def _presence(facts: Facts, width: int, look: Look) -> list[Row]:
    """Whether the pinned statements stand in the context as the harness reports it."""
    if facts.missing is None or not facts.anchors:
        return []
    missing, all_of = len(facts.missing), len(facts.anchors)
    if missing:
        said = f"{missing} of {all_of} not in the agent's context"
        return [Row(line((f"{look.glyphs.stale} {said}", "$waiting")))]
    said = "in the agent's context"
    return [Row(line((f"{look.glyphs.done} ", "$done"), (f"all {all_of} {said}", "$quiet")))]


def _anchor(anchor: m.Anchor, missing: bool, width: int, look: Look) -> list[Content]:
    sign = line((f"{look.glyphs.anchor} ", "$anchor"), (f"{_KINDS[anchor.kind]:<7}", "$quiet"))
    scope = line((anchor.scope.value, "$quiet"))
    room = max(width - sign.cell_length - scope.cell_length - 1, 8)
    first, *more = words(anchor.content, room)
    return [
        spread(sign.append(first), scope, width, look.glyphs),
        *(line(" " * sign.cell_length, text) for text in more),
        *([line(" " * sign.cell_length, ("not in context", "$waiting"))] if missing else []),
    ]
