"""What Claude Code is told when it starts, compacts, or is spoken to.

A hook has 300 ms, interpreter included, so this module loads no engine: it reads the store as it
stands. Text is phrased as facts, since commands from a hook read like an injection.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from sakur4_core.memory.anchor_text import anchor_block
from sakur4_core.memory.own_words import FOLD_HEADING, REDUCED_HEADING
from sakur4_core.store.hook import Standing

# Claude Code shows the beginning of a longer text and puts the rest into a file.
MOST_CHARACTERS: Final = 10_000
# So much of a transcript's end is searched for the last compaction.
TAIL_BYTES: Final = 4_000_000
_BOUNDARY: Final = b'"compact_boundary"'

Said = Mapping[str, Any]


def answer(event: str, said: Said, standing: Standing, *, may_block: bool) -> dict[str, Any]:
    """What the hook prints, as JSON; empty where there is nothing to say.

    Args:
        said: The JSON object that the harness gave.
        may_block: Whether the person lets a waiting plan hold a compaction back.
    """
    if event == "SessionStart":
        return _context(event, session_start(standing))
    if event == "UserPromptSubmit":
        return _context(event, prompt_submitted(standing, Path(str(said.get("transcript_path")))))
    if event == "PreCompact" and may_block and standing.plans:
        reason = "An eviction plan waits for a decision in sakur4-tui; decide it, then compact."
        return {"decision": "block", "reason": reason}
    return {}


def session_start(standing: Standing) -> str:
    """The pinned statements word for word, the summaries of folds, what approved plans made
    shorter, and where the rest is."""
    parts = [_pinned(standing.pinned), _folded(standing.folded), _reduced(standing.reduced)]
    if standing.left:
        parts.append(
            f"{standing.left:,} earlier turns of this session are kept word for word in sakur4's"
            " memory; the tool memory_recall finds them."
        )
    told = ""
    for part in parts:
        # What does not fit whole is left out: cut, it would say something else.
        if part and len(told) + len(part) + 2 <= MOST_CHARACTERS:
            told += f"\n\n{part}" if told else part
    return told


def prompt_submitted(standing: Standing, transcript: Path) -> str:
    """Pinned statements that a compaction took out of the context, and what waits."""
    parts = []
    lost = lost_anchors(standing.pinned, transcript)
    if lost:
        parts.append(_pinned(lost))
    if standing.pins:
        parts.append("Pins or unpins wait for the user's decision in sakur4-tui.")
    if standing.plans:
        parts.append(
            "An eviction plan of this session waits for the user's decision in sakur4-tui."
        )
    return "\n\n".join(parts)


def lost_anchors(
    pinned: Iterable[tuple[str, str]], transcript: Path
) -> tuple[tuple[str, str], ...]:
    """Those that stand nowhere after the transcript's last compaction; none without one."""
    try:
        with transcript.open("rb") as stream:
            stream.seek(max(0, transcript.stat().st_size - TAIL_BYTES))
            tail = stream.read()
    except OSError:
        return ()
    at = tail.rfind(_BOUNDARY)
    if at < 0:
        return ()
    after = tail[at:]
    return tuple(
        (kind, content)
        for kind, content in pinned
        if not any(spelling in after for spelling in _spellings(content))
    )


def _spellings(text: str) -> set[bytes]:
    """A text as it stands within a JSON string, whatever the writer escapes."""
    return {json.dumps(text, ensure_ascii=plain)[1:-1].encode() for plain in (True, False)}


def _pinned(pinned: Iterable[tuple[str, str]]) -> str:
    """The block, whole statements only; what does not fit is counted, never cut."""
    chosen, left = list(pinned), 0
    while len(anchor_block(chosen)) > MOST_CHARACTERS - 200:
        chosen.pop()
        left += 1
    block = anchor_block(chosen)
    if not left:
        return block
    more = (
        f"{left} more pinned statements did not fit here; the resource sakur4://anchors has all."
    )
    return f"{block}\n{more}" if block else more


def _folded(folded: Iterable[tuple[str, str]]) -> str:
    lines = [f"- {description}: {' '.join(summary.split())}" for description, summary in folded]
    return "\n".join([FOLD_HEADING, *lines]) if lines else ""


def _reduced(turns: Iterable[tuple[int, str, str]]) -> str:
    lines = [f"- #{seq} {who}: {' '.join(start.split())}" for seq, who, start in turns]
    return "\n".join([REDUCED_HEADING, *lines]) if lines else ""


def _context(event: str, text: str) -> dict[str, Any]:
    if not text:
        return {}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
