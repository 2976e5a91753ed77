"""Pane 1: what fills the window, what that costs, and how it came to this."""

from __future__ import annotations

from collections.abc import Sequence

from sakur4_core import models as m
from textual.content import Content

from sakur4_tui import figures
from sakur4_tui.cells import Part, bar, fit_text, flow, line, right, visible
from sakur4_tui.facts import Facts, Topic
from sakur4_tui.glyphs import Glyphs
from sakur4_tui.look import Look
from sakur4_tui.widgets.pane import Pane, quiet
from sakur4_tui.widgets.virtual import Row

NAME, FIGURE, SHARE = 18, 8, 6
"""Cells of a part's name, figure and share; the bar takes the rest."""

SHORT = 11
"""Below so many lines only the largest parts are listed."""

_NAMES = {
    "system_prompt": "system prompt",
    "tool_schemas": "tool schemas",
    "pinned_anchors": "pinned anchors",
    "fold_summaries": "fold summaries",
    "raw_recent_history": "history",
    "retrieved_memory": "recalled memory",
    "repo_map": "repo map",
}


class ReceiptPane(Pane):
    """The window as a bar, its parts, the cache's verdict, the last turns, the money."""

    number, name_, topic = 1, "Receipt", Topic.RECEIPT

    def note(self, facts: Facts, look: Look) -> str:
        return f"turn {facts.receipt.turn}" if facts.receipt else ""

    def summary(self, facts: Facts, look: Look) -> Content:
        if facts.receipt is None:
            return line(("no session", "$quiet"))
        return line(fill_words(facts.receipt, look), "  ", cache_words(facts.receipt, look)[0])

    def rows(self, facts: Facts, look: Look, width: int, height: int) -> Sequence[Row]:
        receipt = facts.receipt
        if receipt is None:
            return quiet(_why_empty(facts), width)
        parts = flat_parts(receipt)
        known = [part for part in parts if part.tokens.value is not None]
        head = [
            Row(window_bar(receipt, width, look.glyphs)),
            Row(fill_words(receipt, look)),
        ]
        cache = flow(cache_words(receipt, look), width, 0, look.glyphs)
        if height < SHORT:
            room = max(height - len(head) - 1, 1)
            known = sorted(known, key=lambda part: -(part.tokens.value or 0))[:room]
            return [
                *head,
                *_part_rows(known, receipt, width, look),
                *(Row(words) for words in cache[:1]),
            ]
        missing = ", ".join(
            part_name(part) for part in parts if part.tokens.value is None and part.name != "other"
        )
        blank = Row(line(""))
        return [
            *head,
            blank,
            *_part_rows(known, receipt, width, look),
            *(quiet(f"not reported: {missing}", width) if missing else ()),
            blank,
            *(Row(words) for words in cache),
            *_history(facts.history, receipt, width, look),
        ]


def _why_empty(facts: Facts) -> str:
    if facts.sessions is None:
        return "Reading."
    if not facts.sessions:
        return (
            "No session yet. Connect an agent: sakur4-tui connect claude-code --write, "
            "then start it in this project."
        )
    return "This session has no turn yet; its receipt comes with the first one."


def flat_parts(receipt: m.Receipt) -> list[m.ReceiptPart]:
    """The parts worth a line: the history by role and tool, the rest as they are."""
    parts: list[m.ReceiptPart] = []
    for part in receipt.parts:
        if part.detail:
            parts.extend(
                m.ReceiptPart(
                    f"history: {inner.name.removeprefix('tool:')}", inner.tokens, (), inner.note
                )
                for inner in part.detail
            )
        elif part.tokens.value != 0:
            parts.append(part)
    return parts


def part_name(part: m.ReceiptPart) -> str:
    """A part's name in words."""
    return _NAMES.get(part.name, visible(part.name.replace("_", " "), 60))


def _part_rows(
    parts: Sequence[m.ReceiptPart], receipt: m.Receipt, width: int, look: Look
) -> list[Row]:
    total = receipt.total.value or 0
    most = max((part.tokens.value or 0 for part in parts), default=0) or 1
    rows = []
    for part in parts:
        value = part.tokens.value or 0
        room = width - NAME - FIGURE - SHARE - 1
        share = figures.percent(value / total) if total else ""
        color = "$other" if part.name == "other" else "$measure"
        rows.append(
            Row(
                line(
                    fit_text(part_name(part), NAME, look.glyphs),
                    right(look.figure(part.tokens), FIGURE),
                    (right(share, SHARE) + " ", "$quiet"),
                    (bar(value / most, room, look.glyphs) if room > 2 else "", color),
                )
            )
        )
    return rows


def window_bar(receipt: m.Receipt, width: int, glyphs: Glyphs) -> Content:
    """The window from end to end: what is known, what is not, what is free; two marks."""
    window, total = receipt.window.value, receipt.total.value
    if not window or total is None:
        return line((glyphs.free * width, "$free"))
    other = sum(p.tokens.value or 0 for p in receipt.parts if p.name == "other")
    used = min(round(total / window * width), width)
    rest = min(round(max(other, 0) / window * width), used)
    cells = [(glyphs.full, "$measure")] * (used - rest)
    cells += [(glyphs.rest, "$other")] * rest
    cells += [(glyphs.free, "$free")] * (width - used)
    for mark, at in (
        (glyphs.target, receipt.target_tokens),
        (glyphs.trigger, receipt.trigger_tokens),
    ):
        if at is not None and 0 < at < window:
            cells[min(int(at / window * width), width - 1)] = (mark, "$strong")
    return line(*cells)


def fill_words(receipt: m.Receipt, look: Look) -> Content:
    """How full the window is and where a plan begins and ends."""
    window = receipt.window.value
    parts: list[Part] = [
        (look.share(receipt.fill), "bold $strong"),
        (f" of {look.limit(receipt.window)}", ""),
    ]
    if at := plan_at(receipt):
        parts.append((f"  {look.glyphs.trigger} plan at {at}", "$quiet"))
    if window and receipt.target_tokens:
        to = figures.whole_percent(receipt.target_tokens / window)
        parts.append((f"  {look.glyphs.target} down to {to}", "$quiet"))
    if receipt.pressure is m.Pressure.ANCHOR_OVERFLOW:
        parts.append(("  anchors over their budget", "$stale"))
    return line(*parts)


def plan_at(receipt: m.Receipt) -> str:
    """The fill at which a plan is made, or nothing where it is not known."""
    if not receipt.window.value or not receipt.trigger_tokens:
        return ""
    return figures.whole_percent(receipt.trigger_tokens / receipt.window.value)


def cache_words(receipt: m.Receipt, look: Look) -> list[Content]:
    """What became of the prompt cache, how that is known, and why, in short pieces."""
    cache = receipt.cache
    if cache.verdict is m.Verdict.UNKNOWN:
        return [line(("cache not known", "$quiet")), line(("no usage is reported", "$quiet"))]
    broken = cache.verdict in (m.Verdict.COLD, m.Verdict.FULL_RE_PREFILL)
    read = f"{look.share(cache.reused)} read, " if cache.reused.value is not None else ""
    pieces = [
        line(
            ("cache ", "$quiet"), (f"{read}{cache.verdict.value}", "$stale" if broken else "$done")
        ),
        line((cache.basis.value, "$quiet")),
    ]
    return [*pieces, line((visible(cache.cause, 80), "$quiet"))] if cache.cause else pieces


def _history(
    history: Sequence[m.Receipt], receipt: m.Receipt, width: int, look: Look
) -> list[Row]:
    """The last turns as a spark, compactions cut in, and what the session cost."""
    price = line(
        (look.money(receipt.price), ""),
        (" this turn  ", "$quiet"),
        (look.money(receipt.session_price), ""),
        (" this session", "$quiet"),
    )
    if receipt.price.value is None and receipt.session_price.value is None:
        price = line(("price not known for this model", "$quiet"))
    if len(history) < 2:
        return [Row(price)]
    return [Row(spark(tuple(reversed(history)), width, look.glyphs)), Row(price)]


def spark(oldest_first: Sequence[m.Receipt], width: int, glyphs: Glyphs) -> Content:
    """Each turn's total against the window, with a cut where the window was compacted."""
    legend = f"  {glyphs.cut} compaction"
    cells: list[tuple[str, str]] = []
    before = oldest_first[0].compactions
    levels = len(glyphs.sparks)
    for receipt in oldest_first:
        if receipt.compactions > before:
            cells.append((glyphs.cut, "$waiting"))
        before = receipt.compactions
        total, window = receipt.total.value, receipt.window.value
        level = min(int(total / window * levels), levels - 1) if total and window else None
        cells.append((" " if level is None else glyphs.sparks[level], "$measure"))
    compacted = any(style == "$waiting" for _, style in cells)
    cells = cells[-(width - len(legend) if compacted else width) :]
    return line(*cells, (legend, "$quiet") if compacted else "")
