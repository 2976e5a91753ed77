"""Plan review: what would leave, why, what it frees and costs; decided here item by item."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from sakur4_core import models as m
from sakur4_core.errors import Sakur4Error
from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from sakur4_tui.actions import bindings
from sakur4_tui.glyphs import Glyphs
from sakur4_tui.look import Look, short_id
from sakur4_tui.screens.plan_rows import head_lines, item_rows, reason_rows
from sakur4_tui.screens.reason import ReasonScreen
from sakur4_tui.widgets.keybar import KeyBar
from sakur4_tui.widgets.virtual import Row, VirtualList

if TYPE_CHECKING:
    from sakur4_core.engine import Engine
    from sakur4_core.harness.reach import Reach

    from sakur4_tui.screens.main import MainScreen

log = logging.getLogger(__name__)


class RowList(VirtualList):
    """A titled list whose rows another object makes."""

    DEFAULT_CSS = """
    RowList {
        border: round $rule; border-title-color: $quiet; padding: 0 1;
        &:focus { border: round $focus; border-title-color: $focus; border-title-style: bold; }
        &.-ascii { border: ascii $rule; scrollbar-size: 0 0; }
        &.-ascii:focus { border: ascii $focus; }
    }
    """

    def __init__(self, rows: Callable[[int], Sequence[Row]], glyphs: Glyphs, *, id: str) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs
        self._make = rows
        self.set_class(glyphs.box == "ascii", "-ascii")

    def build(self, width: int, height: int) -> Sequence[Row]:
        return self._make(width)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "open"


class PlanScreen(Screen[None]):
    """One plan, stored as a proposal or only previewed."""

    BINDINGS = bindings("plan")  # type: ignore[assignment]
    AUTO_FOCUS = "#items"
    HELP_SCOPES: ClassVar = ("plan", "list", "app")

    left_out: reactive[frozenset[str]] = reactive(frozenset[str](), bindings=True, repaint=False)

    def __init__(
        self,
        engine: Engine,
        look: Callable[[], Look],
        main: MainScreen,
        plan: m.Plan,
        proposal: m.Proposal | None,
        reach: Reach | None,
    ) -> None:
        super().__init__()
        self._engine = engine
        self._look = look
        self._main = main
        self._plan = plan
        self._costed: m.Plan | None = plan
        self._proposal = proposal
        self._reach = reach

    # -- drawing ---------------------------------------------------------------

    def compose(self) -> ComposeResult:
        glyphs = self._look().glyphs
        yield Static(id="plan-head")
        with Horizontal(id="plan-body"):
            yield RowList(self._item_rows, glyphs, id="items")
            with Vertical(id="plan-side"):
                yield RowList(self._reason_rows, glyphs, id="why")
        yield KeyBar()

    def on_mount(self) -> None:
        self._draw()

    def on_resize(self) -> None:
        self.set_class(self.app.size.width < 100, "-narrow")
        self._draw()

    def watch_left_out(self) -> None:
        if self.is_mounted:
            self._draw()

    def _draw(self) -> None:
        look = self._look()
        head = self.query_one("#plan-head", Static)
        name = f"Plan {short_id(self._proposal.proposal_id)}" if self._proposal else "Plan preview"
        costed = self._costed
        head.update(
            head_lines(
                name, self._plan, costed, self._proposal, self._reach, look, self.app.size.width
            )
        )
        kept = len(self._plan.items) - len(self.left_out)
        self.query_one(
            "#items", RowList
        ).border_title = f"items, {kept} of {len(self._plan.items)} in"
        for part in self.query(RowList):
            part.rebuild()

    def _item_rows(self, width: int) -> Sequence[Row]:
        return item_rows(self._plan, self._costed, self.left_out, self._reach, self._look(), width)

    def _reason_rows(self, width: int) -> Sequence[Row]:
        item = self._selected()
        self._side().border_title = f"why #{item.seq}" if item else "why"
        return reason_rows(item, self._look(), width)

    def _side(self) -> Widget:
        return self.query_one("#why")

    def _selected(self) -> m.PlanItem | None:
        cursor = self.query_one("#items", RowList).cursor
        return next((item for item in self._plan.items if item.episode_id == cursor), None)

    @on(VirtualList.Moved)
    def show_reasons(self, message: VirtualList.Moved) -> None:
        """The reasons follow the cursor."""
        if message.widget.id == "items":
            self.query_one("#why", RowList).rebuild()

    # -- acting ----------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "approve":
            return len(self.left_out) < len(self._plan.items)
        if action == "reject":
            return self._proposal is not None
        return True

    def action_toggle_item(self) -> None:
        """Take the item out or in; a call and its result go together."""
        item = self._selected()
        if item is None:
            return
        pair = frozenset(i.episode_id for i in self._plan.items if i.group == item.group)
        self.left_out = (
            self.left_out - pair if item.episode_id in self.left_out else self.left_out | pair
        )
        self._costed = None
        self._draw()
        self._cost_again()

    @work(exclusive=True, group="cost", exit_on_error=False)
    async def _cost_again(self) -> None:
        """What the plan comes to without the items left out; the last question's answer stays."""
        if not self.left_out:
            self._costed = self._plan
        else:
            try:
                self._costed = await self._engine.preview_plan(
                    self._plan.session_id, without=self.left_out
                )
            except Sakur4Error as error:
                self.app.notify(str(error), severity="warning", markup=False)
        self._draw()

    def action_back(self) -> None:
        self.dismiss(None)

    async def action_approve(self) -> None:
        """Approve what is in; a previewed plan becomes a proposal first."""
        if self._proposal is None and not await self._propose():
            return
        proposal = self._proposal
        assert proposal is not None
        items = tuple(
            item.episode_id for item in self._plan.items if item.episode_id not in self.left_out
        )
        name = f"plan {short_id(proposal.proposal_id)}, {len(items)} items"
        if await self._main.approve(proposal.proposal_id, name, items):
            self.dismiss(None)

    async def _propose(self) -> bool:
        """Store the previewed plan. One that came out otherwise is shown, not approved."""
        try:
            self._proposal = await self._engine.plan_eviction(
                self._plan.session_id, asked_by="person"
            )
        except Sakur4Error as error:
            self.app.notify(str(error), title="Not done", severity="error", markup=False)
            return False
        stored = self._proposal.plan or self._plan
        same = _ids(stored) == _ids(self._plan)
        self._plan = stored
        if not same:
            self.left_out &= _ids(stored)
            self._cost_again()
            self.app.notify("The session moved on; this is the plan as it is now.", markup=False)
        return same

    def action_reject(self) -> None:
        """Ask for the reason, then reject."""
        proposal = self._proposal
        if proposal is None:
            return
        name = f"plan {short_id(proposal.proposal_id)}"

        async def rejected(reason: str | None) -> None:
            if reason is not None and await self._main.reject(proposal.proposal_id, name, reason):
                self.dismiss(None)

        self.app.push_screen(ReasonScreen(name), rejected)


def _ids(plan: m.Plan) -> frozenset[str]:
    return frozenset(item.episode_id for item in plan.items)
