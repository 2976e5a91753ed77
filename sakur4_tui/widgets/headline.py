"""The first line: how full, how dear, what is next, what is wrong, what waits, in words.

Pieces are taken in by their weight until the line is full, so that a narrow terminal loses
the money first, then the session, then the project; what waits and what is wrong never go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from sakur4_tui import figures
from sakur4_tui.cells import fit, line, spread, visible
from sakur4_tui.facts import Facts
from sakur4_tui.look import Look, session_name
from sakur4_tui.widgets.receipt import plan_at

GAP = "  "
WEIGHT: Final = (
    "waits",
    "wrong",
    "fill",
    "next",
    "project",
    "session",
    "money",
    "window",
    "name",
    "spent",
    "branch",
)
"""What is taken in first."""
LEFT: Final = ("name", "project", "branch", "session")
RIGHT: Final = ("window", "fill", "next", "spent", "money", "waits", "wrong")


class Headline(Widget):
    """One line over the panes."""

    DEFAULT_CSS = "Headline { height: 1; padding: 0 1; background: $panel; color: $ink; }"

    facts: reactive[Facts] = reactive(Facts)

    def __init__(self, look: Callable[[], Look], *, id: str) -> None:
        super().__init__(id=id)
        self._look = look

    def render(self) -> Content:
        return headline(self.facts, self._look(), self.size.width)


def headline(facts: Facts, look: Look, width: int) -> Content:
    """The first line for a width."""
    pieces = {name: piece for name, piece in _pieces(facts, look).items() if piece}
    taken: set[str] = set()
    for name in WEIGHT:
        if name in pieces and _laid(pieces, {*taken, name}).cell_length <= width:
            taken.add(name)
    left = _join(pieces, taken, LEFT, f" {look.glyphs.dot} ")
    end = _join(pieces, taken, RIGHT, GAP)
    return spread(left, end, width, look.glyphs) if left else fit(end, width, look.glyphs)


def _pieces(facts: Facts, look: Look) -> dict[str, Content]:
    session, receipt = facts.session, facts.receipt
    pieces = {
        "name": line(("sakur4", "bold $focus")),
        "project": line((visible(facts.project, 32), "$strong")),
        "waits": _waits(facts, look),
        "wrong": _wrong(facts, look),
    }
    if session is not None:
        pieces["session"] = line((session_name(session), "$quiet"))
        pieces["branch"] = line((visible(session.branch or "", 24), "$quiet"))
    if receipt is not None:
        size = look.limit(receipt.window)
        share = (look.share(receipt.fill), "bold $strong")
        pieces["window"] = line(("window", "$quiet"))
        pieces["fill"] = line(f"{look.figure(receipt.total)}/{size} ", share)
        pieces["next"] = _next(facts)
        if receipt.session_price.value is not None:
            pieces["spent"] = line(("spent", "$quiet"))
            pieces["money"] = line(look.money(receipt.session_price))
        else:
            pieces["money"] = line(("price ?", "$quiet"))
    return pieces


def _laid(pieces: dict[str, Content], taken: set[str]) -> Content:
    left, end = _join(pieces, taken, LEFT, " · "), _join(pieces, taken, RIGHT, GAP)
    return left.append(GAP if left else "").append(end)


def _join(pieces: dict[str, Content], taken: set[str], names: Iterable[str], gap: str) -> Content:
    """The pieces taken in, a word joined to its figure by one space."""
    joined = Content("")
    for name in names:
        if name in taken:
            joined = joined.append(gap if joined and not joined.plain.endswith(" ") else "")
            joined = joined.append(pieces[name]).append(" " if name in ("window", "spent") else "")
    return joined


def _next(facts: Facts) -> Content:
    at = plan_at(facts.receipt) if facts.receipt is not None else ""
    if facts.tiers is not None and facts.tiers.next_to_leave:
        when = f" at {at}" if at else ""
        return line(("next ", "$quiet"), f"#{facts.tiers.next_to_leave[0].seq}{when}")
    return line(("plan at ", "$quiet"), at) if at else Content("")


def _waits(facts: Facts, look: Look) -> Content:
    if facts.inbox is None:
        return Content("")
    if not facts.inbox:
        return line(("nothing waits", "$quiet"))
    verb = "waits" if len(facts.inbox) == 1 else "wait"
    return line((f"{look.glyphs.waiting} {len(facts.inbox)} {verb}", "bold $waiting"))


def _wrong(facts: Facts, look: Look) -> Content:
    if facts.failures:
        return line((f"{look.glyphs.stale} {len(facts.failures)} not readable", "bold $stale"))
    if facts.stale is None:
        return Content("")
    if not facts.stale.stale_count:
        return line(("nothing stale", "$quiet"))
    return line(
        (f"{look.glyphs.stale} {figures.count(facts.stale.stale_count)} stale", "bold $stale")
    )
