"""The prompt as one structure: ordered parts, stable before volatile, in one coordinate space.

Receipt, plan and cache prediction all measure this structure, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from sakur4_core.cache.prefix import Sent, digest
from sakur4_core.context.calibration import Scale
from sakur4_core.context.ladder import Costs
from sakur4_core.context.tiers import Label, render
from sakur4_core.models import Tier
from sakur4_core.store.window import Frame, WindowRow

OTHER: Final = "other"
SYSTEM_PROMPT: Final = "system_prompt"
TOOL_SCHEMAS: Final = "tool_schemas"
PINNED_ANCHORS: Final = "pinned_anchors"
FOLD_SUMMARIES: Final = "fold_summaries"
HISTORY: Final = "raw_recent_history"
RETRIEVED: Final = "retrieved_memory"
REPO_MAP: Final = "repo_map"

TIERS: Final = tuple(Tier)
# Marks an episode whose text is a tombstone, beside its rung.
REDACTED: Final = 8

# What callers may submit; before the timeline, in this order.
HEAD_PARTS: Final = (SYSTEM_PROMPT, TOOL_SCHEMAS)
# Submitted parts that change every turn stand behind the timeline.
TAIL_PARTS: Final = (RETRIEVED, REPO_MAP)
SUBMITTABLE: Final = HEAD_PARTS + TAIL_PARTS


@dataclass(frozen=True, slots=True)
class Block:
    """One part that is no timeline. ``tokens`` is None where the part was not submitted."""

    name: str
    offset: int
    tokens: int | None
    text: str | None


class Slot(NamedTuple):
    """One episode as it is rendered, ``rung`` steps down.

    ``text`` is there once it was asked for.
    """

    row: WindowRow
    rung: int
    offset: int
    tokens: int
    text: str | None = None

    @property
    def tier(self) -> Tier:
        """The tier that it is rendered at."""
        return TIERS[self.rung]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A session's prompt. Offsets and totals are tokens from its beginning.

    Attributes:
        head: Parts before the timeline, the part that nothing explains (``other``) first.
        difference: A remainder below zero: the known parts count more than was reported.
    """

    session_id: str
    head: tuple[Block, ...]
    timeline: tuple[Slot, ...]
    tail: tuple[Block, ...]
    difference: int
    total: int

    def block(self, name: str) -> Block:
        """The part of that name; raises KeyError for an unknown one."""
        for block in (*self.head, *self.tail):
            if block.name == name:
                return block
        raise KeyError(name)

    @property
    def text(self) -> str:
        """The known text, parts joined by an empty line; parts without text are left out."""
        pieces = [block.text for block in self.head]
        pieces += [slot.text for slot in self.timeline]
        pieces += [block.text for block in self.tail]
        return "\n\n".join(piece for piece in pieces if piece)


def assemble(
    frame: Frame,
    costs: Mapping[int, Costs],
    *,
    scale: Scale,
    blocks: Mapping[str, tuple[str, int]],
    remainder: int | None,
    sent: bool,
) -> Prompt:
    """Lay the parts out.

    Args:
        costs: Unscaled costs by place, of every row that is redacted or rendered masked or
            referenced; another costs what its commit counted, and nothing once archived.
        blocks: Text and scaled tokens of the parts that are no timeline, by name.
        remainder: Measured total minus known parts, or None where no usage is known.
        sent: As it is sent until an approved plan takes effect, not as planned.
    """
    offset = max(0, remainder or 0)
    head = [Block(OTHER, 0, None if remainder is None else offset, None)]
    for name in (*HEAD_PARTS, PINNED_ANCHORS, FOLD_SUMMARIES):
        text, tokens = blocks.get(name, (None, None))
        head.append(Block(name, offset, tokens, text))
        offset += tokens or 0
    timeline: list[Slot] = []
    factor = scale.factor
    for row in frame.rows:
        rung = row.sent_rung if sent else row.rung
        known = costs.get(row.seq)
        count = known[rung] if known else 0 if rung else row.tokens
        # Scale.tokens, written out: this runs for every episode of the window.
        tokens = int(count * factor + 0.5)
        timeline.append(Slot(row, rung, offset, tokens))
        offset += tokens
    tail: list[Block] = []
    for name in TAIL_PARTS:
        text, tokens = blocks.get(name, (None, 0))
        tail.append(Block(name, offset, tokens, text))
        offset += tokens or 0
    difference = min(0, remainder or 0)
    return Prompt(
        frame.session_id,
        tuple(head),
        tuple(timeline),
        tuple(tail),
        difference,
        offset + difference,
    )


def with_texts(prompt: Prompt, contents: Mapping[int, str]) -> Prompt:
    """The same prompt with every episode's text at its tier."""
    return replace(
        prompt,
        timeline=tuple(
            slot._replace(
                text=render(
                    slot.tier,
                    Label(slot.row.seq, slot.row.role, slot.row.tool_name),
                    contents.get(slot.row.seq, ""),
                ),
            )
            for slot in prompt.timeline
        ),
    )


def diverge(one: Prompt, other: Prompt) -> int | None:
    """Where two prompts of one session part, in tokens; None where they are the same.

    The parts that are no history are taken as equal: no plan changes them.
    """
    for left, right in zip(one.timeline, other.timeline, strict=True):
        if left.rung != right.rung and left.tokens != right.tokens:
            return min(left.offset, right.offset)
    return None


def sent_of(prompt: Prompt, covered: int) -> Sent:
    """What a prompt whose last episode is ``covered`` puts into a slot, for the prefix ledger.

    An episode is named by its place and its rung: its text follows from both.
    """
    blocks = tuple(
        (block.name, "" if block.text is None else digest(block.text), block.tokens or 0)
        for block in prompt.head
    )
    rows = tuple(
        (slot.row.seq, slot.rung + (REDACTED if slot.row.redacted else 0), slot.tokens)
        for slot in prompt.timeline
        if slot.row.seq <= covered
    )
    return Sent(blocks, rows)
