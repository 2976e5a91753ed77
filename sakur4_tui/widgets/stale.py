"""Pane 4: summaries that the code or the transcript has outlived."""

from __future__ import annotations

from collections.abc import Sequence

from sakur4_core import models as m
from textual.content import Content

from sakur4_tui import figures
from sakur4_tui.cells import first_line, line, spread, visible
from sakur4_tui.facts import Facts, Topic
from sakur4_tui.look import Look
from sakur4_tui.widgets.pane import Pane, quiet
from sakur4_tui.widgets.virtual import Row


class StalePane(Pane):
    """Each stale anchor with what was said of it and what is true now."""

    number, name_, topic = 4, "Stale", Topic.STALE

    def note(self, facts: Facts, look: Look) -> str:
        if facts.stale is None or not facts.stale.total:
            return ""
        sign = f"{look.glyphs.stale} " if facts.stale.stale_count else ""
        return f"{sign}{facts.stale.stale_count} of {facts.stale.total}"

    def summary(self, facts: Facts, look: Look) -> Content:
        if facts.stale is None or not facts.stale.stale_count:
            return line((_all_fresh(facts.stale), "$quiet"))
        head = f"{facts.stale.stale_count} stale"
        worst = next((anchor for e in facts.stale.entries for anchor in e.stale_anchors), None)
        name = f"  {visible(worst.name, 60)} {visible(worst.location, 80)}" if worst else ""
        return line((f"{look.glyphs.stale} {head}", "$stale"), name)

    def rows(self, facts: Facts, look: Look, width: int, height: int) -> Sequence[Row]:
        stale = facts.stale
        if stale is None:
            return quiet("Reading.", width)
        if not stale.entries:
            return quiet(_all_fresh(stale), width)
        rows: list[Row] = []
        for entry in stale.entries:
            rows += [Row(content, entry.atlas_id) for content in _entry(entry, width, look)]
        left = stale.stale_count - len(stale.entries)
        return [*rows, *quiet(f"and {left} more", width)] if left > 0 else rows


def _all_fresh(stale: m.Staleness | None) -> str:
    if stale is None:
        return "reading"
    if not stale.total:
        return "No summary yet. The first comes when a turn is consolidated or a fold closes."
    return f"No summary is stale; {figures.count(stale.total)} checked just now."


def _entry(entry: m.AtlasEntry, width: int, look: Look) -> list[Content]:
    if not entry.stale_anchors:
        return [line((f"{look.glyphs.stale} ", "$stale"), first_line(entry.content))]
    lines: list[Content] = []
    for anchor in entry.stale_anchors:
        place = line((visible(anchor.location, 200), "$quiet"))
        name = visible(anchor.name, 200)
        lines.append(
            spread(line((f"{look.glyphs.stale} ", "$stale"), (name, "$strong")), place, width)
        )
        lines.append(_said("said", anchor.value_at_write, look))
        now = anchor.value_now
        lines.append(_said("now ", now, look) if now else line(("  gone", "$stale")))
        lines.append(line((f"  {visible(anchor.reason, 200)}", "$quiet")))
    return lines


def _said(word: str, value: str, look: Look) -> Content:
    return line((f"  {word} {look.glyphs.quote} ", "$quiet"), first_line(value))
