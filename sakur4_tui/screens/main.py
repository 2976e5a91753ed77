"""The main screen: seven panes over the facts, in an arrangement that fits the terminal."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

from sakur4_core import models as m
from sakur4_core.errors import Sakur4Error
from sakur4_core.events import Event
from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Static

from sakur4_tui.actions import PANES, bindings
from sakur4_tui.bridge import EventsArrived
from sakur4_tui.facts import OF_SESSION, READS, Facts, Topic
from sakur4_tui.look import Look
from sakur4_tui.screens.reason import ReasonScreen
from sakur4_tui.widgets.activity import ActivityPane
from sakur4_tui.widgets.anchors import AnchorsPane
from sakur4_tui.widgets.headline import Headline
from sakur4_tui.widgets.inbox import InboxPane, title
from sakur4_tui.widgets.keybar import KeyBar
from sakur4_tui.widgets.map import MapPane
from sakur4_tui.widgets.pane import Pane
from sakur4_tui.widgets.receipt import ReceiptPane
from sakur4_tui.widgets.stale import StalePane
from sakur4_tui.widgets.tiers import TiersPane
from sakur4_tui.widgets.virtual import VirtualList

if TYPE_CHECKING:
    from sakur4_tui.gate import EngineGate

log = logging.getLogger(__name__)

SMALLEST: Final = (60, 20)
ARRANGEMENTS: Final = ("tiny", "narrow", "medium", "wide")
_KINDS: Final[dict[str, type[Pane]]] = {
    "receipt": ReceiptPane,
    "tiers": TiersPane,
    "inbox": InboxPane,
    "stale": StalePane,
    "anchors": AnchorsPane,
    "map": MapPane,
    "activity": ActivityPane,
}
_ONE_LINE: Final = frozenset({"tiers", "stale", "anchors", "map", "activity"})
"""What stands as one line in the medium arrangement."""

TICK_S: Final = 1.0
RECENT: Final = 200


def arrangement(width: int, height: int) -> str:
    """Which arrangement fits: ``wide``, ``medium``, ``narrow`` (one pane) or ``tiny``."""
    if width < SMALLEST[0] or height < SMALLEST[1]:
        return "tiny"
    if width < 80 or height < 24:
        return "narrow"
    return "medium" if width < 120 or height < 30 else "wide"


class MainScreen(Screen[None]):
    """Shows what is known, keeps it fresh, and carries out decisions."""

    BINDINGS = bindings("main")  # type: ignore[assignment]
    AUTO_FOCUS = "#inbox"
    HELP_SCOPES: ClassVar = ("inbox", "main", "list", "app")

    facts: reactive[Facts] = reactive(Facts, repaint=False)
    current: reactive[str] = reactive("inbox", repaint=False)
    zoomed: reactive[bool] = reactive(False, bindings=True, repaint=False)

    def __init__(self, gate: EngineGate, project: str, look: Callable[[], Look]) -> None:
        super().__init__()
        self._gate = gate
        self._look = look
        self._reading: set[Topic] = set()
        self._moved: set[Topic] = set()
        self._held: list[Event] = []
        self._laid_out: tuple[str, bool, str | None] | None = None
        self._approved: str | None = None
        self._chosen: str | None = None
        self.set_reactive(MainScreen.facts, Facts(project=project))

    def compose(self) -> ComposeResult:
        yield Headline(self._look, id="headline").data_bind(MainScreen.facts)
        with Container(id="panes"):
            for name in PANES:
                yield _KINDS[name](self._look, id=name).data_bind(MainScreen.facts)
        yield Static(id="too-small")
        yield KeyBar()

    def on_mount(self) -> None:
        self._arrange()
        self.set_interval(TICK_S, self._tick)

    def begin(self) -> None:
        """Read all there is: the engine is open."""
        self.refresh_topics(frozenset(Topic))
        self._read_recent()

    @property
    def session_id(self) -> str | None:
        """The session that is shown."""
        return self.facts.session.session_id if self.facts.session else None

    @property
    def reading(self) -> bool:
        """Whether an answer of the engine is still awaited."""
        return bool(self._reading)

    # -- arrangement -----------------------------------------------------------

    def on_resize(self, event: events.Resize) -> None:
        self._arrange()

    def _arrange(self) -> None:
        """Lay the panes out anew, if the terminal, the zoom or the single pane changed."""
        kind = arrangement(*self.app.size)
        single = kind == "narrow" or self.zoomed
        wanted = (kind, single, self.current if single else None)
        if kind == "tiny":
            self.query_one("#too-small", Static).update(self._too_small())
        elif self.focused is None:
            self.action_pane(self.current)
        if wanted == self._laid_out:
            return
        self._laid_out = wanted
        for name in ARRANGEMENTS:
            self.set_class(name == kind, f"-{name}")
        self.set_class(single, "-single")
        for pane in self.query(Pane):
            pane.set_class(pane.id == self.current, "-current")
            pane.set_class(kind == "medium" and not single and pane.id in _ONE_LINE, "-line")
        inbox, tiers = self.query_one("#inbox"), self.query_one("#tiers")
        if kind == "medium":
            self.query_one("#panes").move_child(inbox, before=tiers)
        else:
            self.query_one("#panes").move_child(inbox, after=tiers)

    def _too_small(self) -> Content:
        width, height = self.app.size
        need = f"sakur4 needs at least {SMALLEST[0]} columns and {SMALLEST[1]} lines"
        return Content(f"{need}; this terminal has {width} by {height}. Make it larger.")

    def watch_current(self) -> None:
        if self.is_mounted:
            self._arrange()

    def watch_zoomed(self) -> None:
        if self.is_mounted:
            self._arrange()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        if isinstance(event.widget, Pane) and event.widget.id:
            self.current = event.widget.id

    def action_pane(self, name: str) -> None:
        self.current = name
        pane = self.query_one(f"#{name}", Pane)
        self.call_after_refresh(lambda: self.set_focus(pane, scroll_visible=False))

    def action_next_pane(self) -> None:
        self._step(1)

    def action_previous_pane(self) -> None:
        self._step(-1)

    def _step(self, step: int) -> None:
        index = PANES.index(self.current)
        self.action_pane(PANES[(index + step) % len(PANES)])

    def action_zoom(self) -> None:
        self.zoomed = not self.zoomed

    def action_back(self) -> None:
        self.zoomed = False

    # -- reading ---------------------------------------------------------------

    def refresh_topics(self, topics: frozenset[Topic]) -> None:
        """Read topics again. One that is being read is read once more afterwards, so that the
        last answer is always the newest, and a flood of events costs one read at a time.
        """
        for topic in topics:
            if topic in self._reading:
                self._moved.add(topic)
            else:
                self._start_read(topic)

    def _start_read(self, topic: Topic) -> None:
        self._reading.add(topic)
        self._moved.discard(topic)
        reading: Callable[[], Awaitable[None]] = partial(self._read, topic)
        self.run_worker(reading, group=topic, exclusive=True, exit_on_error=False)

    async def _read(self, topic: Topic) -> None:
        session_id = self.session_id
        try:
            value = await READS[topic](await self._gate.engine(), session_id)
        except Sakur4Error as error:
            self._fail(topic, str(error))
        except Exception as error:
            log.exception("%s cannot be read", topic)
            self._fail(
                topic, f"{topic.value} cannot be read: {type(error).__name__}. See the log."
            )
        else:
            if topic not in OF_SESSION or session_id == self.session_id:
                self._learn(topic, value)
        self._reading.discard(topic)
        if topic in self._moved:
            self.call_later(self._start_read, topic)

    def _fail(self, topic: Topic, sentence: str) -> None:
        self.facts = replace(self.facts, failures={**self.facts.failures, topic: sentence})

    def _learn(self, topic: Topic, value: Any) -> None:
        failures = {name: why for name, why in self.facts.failures.items() if name != topic}
        self.facts = replace(self.facts, failures=failures, **{topic.value: value})
        if topic is Topic.SESSIONS:
            self._follow(value)

    def _follow(self, sessions: Sequence[m.Session]) -> None:
        """Show the chosen session, or the one that was active last."""
        chosen = next((s for s in sessions if s.session_id == self._chosen), None)
        session = chosen or next(iter(sessions), None)
        if session != self.facts.session:
            self._show_session(session)

    def _show_session(self, session: m.Session | None) -> None:
        moved = session is None or session.session_id != self.session_id
        if not moved:
            self.facts = replace(self.facts, session=session)
            return
        self.facts = replace(self.facts, session=session, receipt=None, history=(), tiers=None)
        for topic in OF_SESSION:
            self._start_read(topic)

    @work(group="recent", exit_on_error=False)
    async def _read_recent(self) -> None:
        try:
            recent = await (await self._gate.engine()).recent_events(RECENT)
        except Sakur4Error:
            log.exception("the last events cannot be read")
        else:
            self.query_one(ActivityPane).add(recent)

    def _tick(self) -> None:
        """Waiting times move on; nothing else is drawn by the clock."""
        if self.facts.inbox and self.is_current:
            self.query_one(InboxPane).rebuild()

    @on(EventsArrived)
    def take_events(self, message: EventsArrived) -> None:
        """What happened goes into the feed, and what it moved is read again."""
        moved = message.moved()
        if self._chosen is None and any(e.session_id != self.session_id for e in message.events):
            moved |= {Topic.SESSIONS}
        if self.facts.paused:
            self._held.extend(message.events)
            self._moved |= moved
            return
        self.query_one(ActivityPane).add(message.events)
        self.refresh_topics(moved)

    # -- acting ----------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        valid = {
            "undo": self._approved is not None,
            "plan": self.facts.session is not None,
            "session": len(self.facts.sessions or ()) > 1,
            "back": self.zoomed,
        }
        return valid.get(action, True)

    def action_refresh(self) -> None:
        self.refresh_topics(frozenset(Topic))

    def action_pause(self) -> None:
        paused = not self.facts.paused
        self.facts = replace(self.facts, paused=paused)
        if not paused:
            held, self._held = self._held, []
            self.query_one(ActivityPane).add(held)
            self.refresh_topics(frozenset(self._moved))

    @on(InboxPane.Decided)
    def decide(self, message: InboxPane.Decided) -> None:
        """Approve at once; ask for the reason before a rejection."""
        proposal = message.proposal
        if message.approve:
            self.run_worker(self.approve(proposal.proposal_id, title(proposal)), group="decide")
            return

        def rejected(reason: str | None) -> None:
            if reason is not None:
                self.run_worker(
                    self.reject(proposal.proposal_id, title(proposal), reason), group="decide"
                )

        self.app.push_screen(ReasonScreen(title(proposal)), rejected)

    async def approve(
        self, proposal_id: str, name: str, items: tuple[str, ...] | None = None
    ) -> bool:
        """Carry a decision out and say what came of it; whether it was taken."""
        try:
            engine = await self._gate.engine()
            await engine.proposals.approve(proposal_id, items, by="person")
        except Sakur4Error as error:
            self._say_failed(error)
            return False
        self._approved = proposal_id
        self.refresh_bindings()
        self.app.notify(f"Approved: {name}. u undoes it.", markup=False)
        self.refresh_topics(frozenset({Topic.INBOX, Topic.TIERS, Topic.RECEIPT, Topic.ANCHORS}))
        return True

    async def reject(self, proposal_id: str, name: str, reason: str) -> bool:
        """Decide against a proposal; whether it was taken."""
        try:
            engine = await self._gate.engine()
            await engine.proposals.reject(proposal_id, reason, by="person")
        except Sakur4Error as error:
            self._say_failed(error)
            return False
        self.app.notify(f"Rejected: {name}.", markup=False)
        self.refresh_topics(frozenset({Topic.INBOX}))
        return True

    async def action_undo(self) -> None:
        """Take back what was approved last."""
        proposal_id, self._approved = self._approved, None
        if proposal_id is None:
            return
        try:
            engine = await self._gate.engine()
            await engine.proposals.undo(proposal_id, by="person")
        except Sakur4Error as error:
            self._say_failed(error)
        else:
            self.app.notify("Undone.", markup=False)
        self.refresh_bindings()
        self.refresh_topics(frozenset(Topic) - {Topic.MAP, Topic.STATUS})

    def _say_failed(self, error: Sakur4Error) -> None:
        self.app.notify(str(error), title="Not done", severity="error", markup=False)
        self.refresh_topics(frozenset({Topic.INBOX}))

    @on(VirtualList.Opened, "#inbox")
    async def open_proposal(self, message: VirtualList.Opened) -> None:
        """Show all of what is asked."""
        proposal = self.query_one(InboxPane).selected
        if proposal is None:
            return
        if proposal.plan is not None:
            await self._review(proposal.plan, proposal)
            return
        from sakur4_tui.screens.detail import DetailScreen, proposal_detail

        self.app.push_screen(
            DetailScreen(title(proposal), proposal_detail(proposal), self._look().glyphs)
        )

    async def action_plan(self) -> None:
        """Review what a plan would do now; nothing is stored by looking."""
        if self.session_id is None:
            return
        try:
            plan = await (await self._gate.engine()).preview_plan(self.session_id)
        except Sakur4Error as error:
            self._say_failed(error)
            return
        await self._review(plan, None)

    async def _review(self, plan: m.Plan, proposal: m.Proposal | None) -> None:
        from sakur4_tui.screens.plan import PlanScreen

        reach = self.facts.reach.get(plan.session_id)
        self.app.push_screen(
            PlanScreen(await self._gate.engine(), self._look, self, plan, proposal, reach)
        )

    def action_session(self) -> None:
        """Choose which session is shown."""
        from sakur4_tui.screens.sessions import SessionsScreen

        def chosen(session_id: str | None) -> None:
            if session_id is not None:
                self._chosen = session_id
                self._follow(self.facts.sessions or ())

        self.app.push_screen(
            SessionsScreen(self.facts.sessions or (), self._look, self.session_id), chosen
        )
