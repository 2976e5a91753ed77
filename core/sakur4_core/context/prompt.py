"""The prompt as one structure: ordered parts, stable before volatile, in one coordinate space.

Receipt, plan and cache prediction all measure this structure, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from sakur4_core.context.ladder import Ladder
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
    """One episode at the tier it is rendered at, ``rung`` steps down.

    ``text`` is there once it was asked for.
    """

    row: WindowRow
    tier: Tier
    rung: int
    offset: int
    tokens: int
    text: str | None = None


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
    ladders: Mapping[int, Ladder],
    *,
    anchors: tuple[str, int],
    folds: tuple[str, int],
    remainder: int | None,
    tier_of: Callable[[WindowRow], Tier],
) -> Prompt:
    """Lay the parts out.

    Args:
        ladders: Costs of every row that is redacted or that ``tier_of`` shows masked or
            referenced; what is archived costs nothing.
        anchors, folds: The rendered text and its tokens.
        remainder: Measured total minus known parts, or None where no usage is known.
        tier_of: The tier to show a row at: as sent, or as the next prompt will be.
    """
    given: dict[str, tuple[str, int]] = {
        part.name: (part.content, part.tokens) for part in frame.parts
    }
    given[PINNED_ANCHORS], given[FOLD_SUMMARIES] = anchors, folds
    offset = max(0, remainder or 0)
    head = [Block(OTHER, 0, None if remainder is None else offset, None)]
    for name in (*HEAD_PARTS, PINNED_ANCHORS, FOLD_SUMMARIES):
        text, tokens = given.get(name, (None, None))
        head.append(Block(name, offset, tokens, text))
        offset += tokens or 0
    timeline: list[Slot] = []
    for row in frame.rows:
        tier = tier_of(row)
        rung = tier.rung
        ladder = ladders.get(row.seq)
        tokens = ladder.costs[rung] if ladder else 0 if rung else row.tokens
        timeline.append(Slot(row, tier, rung, offset, tokens))
        offset += tokens
    tail: list[Block] = []
    for name in TAIL_PARTS:
        text, tokens = given.get(name, (None, 0))
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
