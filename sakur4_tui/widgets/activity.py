"""Pane 7: what happened, newest first. Rows are made when they come into view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final, overload

from sakur4_core import events as e
from sakur4_core.clock import parse_stamp
from textual.content import Content

from sakur4_tui import figures
from sakur4_tui.cells import line, visible
from sakur4_tui.facts import Facts, Topic
from sakur4_tui.look import Look, short_id
from sakur4_tui.widgets.pane import Pane, quiet
from sakur4_tui.widgets.virtual import Row

KEPT: Final = 5_000
"""Events held for scrolling back; older ones are in the store."""

ROUTINE: Final = frozenset(
    {e.RECEIPT_STORED, e.INDEX_PROGRESSED, e.DREAM_ASKED, e.DREAM_PROGRESSED}
)
"""What follows from other events, or only counts towards one; the panes show it."""

UPKEEP: Final = frozenset({e.DREAM_PROGRESSED, e.DREAM_FINISHED})
BAR_CELLS: Final = 12
UPKEEP_S: Final = 60.0
"""A cycle that told nothing for so long has ended without a word."""

_WORDS: Final[dict[str, tuple[str, str]]] = {
    e.EPISODE_COMMITTED: ("turn", ""),
    e.EPISODE_REDACTED: ("redacted", "$waiting"),
    e.SESSION_OPENED: ("session", "$strong"),
    e.ANCHOR_PINNED: ("pinned", "$anchor"),
    e.ANCHOR_EDITED: ("edited pin", "$anchor"),
    e.ANCHOR_UNPINNED: ("unpinned", "$anchor"),
    e.PROPOSAL_STORED: ("asks", "$waiting"),
    e.PROPOSAL_DECIDED: ("decided", "$done"),
    e.PLAN_APPLIED: ("applied", "$done"),
    e.PLAN_ENFORCED: ("in effect", "$done"),
    e.PLAN_UNDONE: ("undone", "$masked"),
    e.USAGE_RECORDED: ("usage", "$quiet"),
    e.WINDOW_COMPACTED: ("compacted", "$waiting"),
    e.ATLAS_WRITTEN: ("summary", "$referenced"),
    e.FOLD_OPENED: ("fold", "$referenced"),
    e.FOLD_CLOSED: ("fold closed", "$referenced"),
    e.FOLD_REOPENED: ("fold open", "$referenced"),
    e.INDEX_UPDATED: ("indexed", "$referenced"),
    e.WATCHER_CHANGED: ("changed", "$referenced"),
    e.RECALL_RAN: ("recall", "$referenced"),
    e.MAP_RENDERED: ("map", "$quiet"),
    e.DREAM_FINISHED: ("dream", "$quiet"),
    e.SNAPSHOT_SAVED: ("snapshot", "$referenced"),
    e.SNAPSHOT_RESTORED: ("restored", "$referenced"),
    e.STORE_DEGRADED: ("degraded", "$stale"),
    e.PROXY_PASSED: ("proxy", "$quiet"),
    e.HOOK_RAN: ("hook", "$quiet"),
}

_SAID: Final = ("harness", "query", "description", "preview", "path", "status", "effect", "reason")
"""Keys of an event's detail that say something in words, in the order of their saying."""


class ActivityPane(Pane):
    """A feed that stays small in memory and costs only the rows in view."""

    number, name_, topic = 7, "Activity", Topic.STATUS

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.events: list[e.Event] = []
        self._upkeep: e.Event | None = None

    def add(self, events: Sequence[e.Event]) -> None:
        """Take in events, in any order and more than once; routine ones are left out."""
        for event in events:
            if event.kind in UPKEEP:
                self._upkeep = event
                self.border_title = self._heading()
        new = [event for event in events if event.kind not in ROUTINE]
        if self.events and new and new[0].seq <= self.events[-1].seq:
            known = {event.seq: event for event in (*self.events, *new)}
            self.events = [known[seq] for seq in sorted(known)]
        else:
            self.events.extend(new)
        del self.events[:-KEPT]
        self.rebuild()

    def note(self, facts: Facts, look: Look) -> str:
        live = f"live {look.glyphs.tiers[next(iter(look.glyphs.tiers))]}"
        state = "paused" if facts.paused else live
        upkeep = upkeep_bar(self._upkeep, look)
        return f"{upkeep} {look.glyphs.dot} {state}" if upkeep else state

    def summary(self, facts: Facts, look: Look) -> Content:
        if not self.events:
            return line(("nothing happened yet", "$quiet"))
        return event_line(self.events[-1], look)

    def rows(self, facts: Facts, look: Look, width: int, height: int) -> Sequence[Row]:
        if not self.events:
            return quiet("Nothing happened yet. What agents and watchers do appears here.", width)
        return _NewestFirst(self.events, look)


def upkeep_bar(event: e.Event | None, look: Look) -> str:
    """How far a cycle of the consolidator is; empty where none runs."""
    if event is None or event.kind != e.DREAM_PROGRESSED:
        return ""
    # A process that was killed in the midst of a cycle tells of no end.
    if (look.now - parse_stamp(event.created_at)).total_seconds() > UPKEEP_S:
        return ""
    done, total = event.detail.get("done"), event.detail.get("total")
    if not isinstance(done, int) or not isinstance(total, int) or total < 1:
        return ""
    full = min(BAR_CELLS, round(BAR_CELLS * done / total))
    bar = look.glyphs.full * full + look.glyphs.free * (BAR_CELLS - full)
    return f"{visible(str(event.detail.get('doing', '')), 16)} {bar} {done}/{total}"


class _NewestFirst(Sequence[Row]):
    """The events as rows, drawn one by one on demand."""

    def __init__(self, events: Sequence[e.Event], look: Look) -> None:
        self._events = events
        self._look = look

    def __len__(self) -> int:
        return len(self._events)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        event = self._events[-1 - index]
        return Row(event_line(event, self._look))


def event_line(event: e.Event, look: Look) -> Content:
    """An event in one line: when, who, what, on what."""
    word, style = _WORDS.get(event.kind, (visible(event.kind, 11), ""))
    return line(
        (figures.clock_time(event.created_at, look.zone), "$quiet"),
        f"  {visible(event.actor, 8):<8}  ",
        (f"{word:<11}  ", style),
        _about(event),
    )


def _about(event: e.Event) -> Content:
    detail = event.detail
    if event.kind == e.EPISODE_COMMITTED:
        who = detail.get("tool") or detail.get("role")
        head = f"#{_text(detail, 'seq')} {visible(str(who or ''), 24)} {_text(detail, 'tokens')}"
        return line((head, "$strong"), ("  " + _text(detail, "preview"), "$quiet"))
    words = [_text(detail, key) for key in _SAID if detail.get(key)]
    numbers = [
        f"{figures.count(value)} {visible(key.replace('_', ' '), 24)}"
        for key, value in islice(detail.items(), 12)
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    if not words and event.subject:
        words = [short_id(event.subject)]
    return line("  ".join(words), ("  " + "  ".join(numbers) if numbers else "", "$quiet"))


def _text(detail: Mapping[str, Any], key: str) -> str:
    value = detail.get(key)
    return "" if value is None else visible(str(value), 200)
