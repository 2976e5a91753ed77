"""The pinned block, word for word, for the prompt and for whoever must be quick about it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sakur4_core.memory.own_words import ANCHOR_HEADING

TITLES: Final = {
    "safety_constraint": "Safety constraints",
    "task_contract": "Task contract",
    "user_correction": "Corrections by the user",
}


def anchor_block(pinned: Iterable[tuple[str, str]]) -> str:
    """Kinds and contents, in their order within each kind; empty where there are none."""
    by_kind: dict[str, list[str]] = {kind: [] for kind in TITLES}
    for kind, content in pinned:
        by_kind[kind].append(f"- {content}")
    lines = [
        line
        for kind, title in TITLES.items()
        if by_kind[kind]
        for line in (f"## {title}", *by_kind[kind])
    ]
    return "\n".join([ANCHOR_HEADING, *lines]) if lines else ""
