"""Pane 3: what waits for a decision."""

from __future__ import annotations

from collections.abc import Sequence

from sakur4_core import models as m
from textual.content import Content
from textual.message import Message

from sakur4_tui import figures
from sakur4_tui.actions import bindings
from sakur4_tui.cells import first_line, flow, line, spread, visible, words
from sakur4_tui.facts import Facts, Topic
from sakur4_tui.look import Look, short_id
from sakur4_tui.widgets.pane import Pane, quiet
from sakur4_tui.widgets.virtual import Row

_EMPTY = "Plans and pins that an agent asks for come here."


class InboxPane(Pane):
    """Proposals, oldest first; the selected one is decided by one key."""

    BINDINGS = bindings("inbox")  # type: ignore[assignment]
    number, name_, topic = 3, "Inbox", Topic.INBOX

    class Decided(Message):
        """The person asked for a decision on the selected proposal."""

        def __init__(self, proposal: m.Proposal, approve: bool) -> None:
            super().__init__()
            self.proposal = proposal
            self.approve = approve

    @property
    def selected(self) -> m.Proposal | None:
        """The proposal under the cursor."""
        for proposal in self.facts.inbox or ():
            if proposal.proposal_id == self.cursor:
                return proposal
        return None

    def note(self, facts: Facts, look: Look) -> str:
        return f"{look.glyphs.waiting} {len(facts.inbox)} waiting" if facts.inbox else ""

    def summary(self, facts: Facts, look: Look) -> Content:
        if not facts.inbox:
            return line(("nothing waits for you", "$quiet"))
        return line((f"{look.glyphs.waiting} ", "$waiting"), title(facts.inbox[0]))

    def rows(self, facts: Facts, look: Look, width: int, height: int) -> Sequence[Row]:
        if facts.inbox is None:
            return quiet("Reading.", width)
        if not facts.inbox:
            return [
                Row(line((f"{look.glyphs.done} ", "$done"), ("Nothing waits for you.", "$quiet"))),
                Row(line("")),
                *quiet(_EMPTY + (" p plans now." if facts.session else ""), width),
            ]
        rows: list[Row] = []
        for proposal in facts.inbox:
            key = proposal.proposal_id
            rows += [Row(content, key) for content in _card(proposal, facts, width, look)]
            rows.append(Row(line("")))
        return rows[:-1]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("approve", "reject"):
            return self.selected is not None
        return super().check_action(action, parameters)

    def action_approve(self) -> None:
        if self.selected is not None:
            self.post_message(self.Decided(self.selected, True))

    def action_reject(self) -> None:
        if self.selected is not None:
            self.post_message(self.Decided(self.selected, False))


def title(proposal: m.Proposal) -> str:
    """What a proposal asks for, in a few words."""
    if proposal.kind is m.ProposalKind.EVICTION:
        items = len(proposal.plan.items) if proposal.plan else 0
        return f"plan {short_id(proposal.proposal_id)}, {items} items"
    if proposal.kind is m.ProposalKind.UNPIN:
        return f"unpin: {statement(proposal)}"
    return f"pin: {statement(proposal)}"


def statement(proposal: m.Proposal) -> str:
    """The statement that a pin or an unpin is about; text of others."""
    return first_line(str(proposal.payload.get("content", ""))) or "no text"


def _card(proposal: m.Proposal, facts: Facts, width: int, look: Look) -> list[Content]:
    since = line((f"waits {figures.waited(proposal.created_at, look.now)}", "$quiet"))
    sign = (f"{look.glyphs.waiting} ", "$waiting")
    asked = line((f"asked by {visible(proposal.asked_by, 20)}", "$quiet"))
    if proposal.plan is not None:
        head = line(sign, (title(proposal), "bold $strong"))
        reach = facts.reach.get(proposal.plan.session_id)
        effect = [line((reach.effect, "$quiet"))] if reach else []
        pieces = [*_plan_pieces(proposal.plan, look), *effect, asked]
        return [
            spread(head, since, width, look.glyphs),
            *flow(pieces, width, 2, look.glyphs),
        ]
    wish = "unpin?" if proposal.kind is m.ProposalKind.UNPIN else "pin?"
    kind = visible(str(proposal.payload.get("kind") or "").replace("_", " "), 30)
    quote = (f"{look.glyphs.quote} ", "$anchor")
    text = str(proposal.payload.get("content", ""))
    return [
        spread(line(sign, (wish, "bold $strong")), since, width, look.glyphs),
        *(line(quote, part) for part in words(text, width - 2, 3)),
        *flow([line((kind, "$quiet")), asked] if kind else [asked], width, 2, look.glyphs),
    ]


def _plan_pieces(plan: m.Plan, look: Look) -> list[Content]:
    """What a plan frees, rewrites, costs, and when it pays."""
    pieces = [
        line(("frees ", "$quiet"), look.figure(plan.tokens_freed)),
        line(("rewrites ", "$quiet"), look.figure(plan.tokens_to_prefill)),
    ]
    if plan.price.value is not None:
        pieces.append(line(("costs ", "$quiet"), look.money(plan.price)))
    if plan.break_even_turns is not None:
        pieces.append(line(("pays in ", "$quiet"), f"{plan.break_even_turns} turns"))
    return pieces
