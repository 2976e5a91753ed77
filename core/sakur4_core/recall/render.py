"""How evidence reads: verbatim where it is sound, behind a label where it is not."""

from __future__ import annotations

from collections.abc import Sequence

from sakur4_core.memory.own_words import RECALL_HEADING
from sakur4_core.models import Fact, Hit, Recall, StaleAnchor
from sakur4_core.store.recall import EpisodeRow, SummaryRow

STALE_LABEL = "[STALE SUMMARY — do not trust]"
STALE_MARK = "[STALE]"


def episode_text(row: EpisodeRow) -> str:
    """A turn word for word; a corrected one says first what corrects it."""
    if row.superseded_by is None:
        return row.content
    later = row.superseded_by if row.superseded_seq is None else f"#{row.superseded_seq}"
    return f"[SUPERSEDED by {later}]\n{row.content}"


def summary_text(row: SummaryRow) -> str:
    """A summary; a stale one stands behind the label and what its anchors are now."""
    if not row.stale:
        return row.content
    return f"{STALE_LABEL}\n{current_value(row.stale)}\n{row.content}"


def current_value(stale: Sequence[StaleAnchor]) -> str:
    """What each anchor that moved is now, a line each, with its id."""
    return "\n".join(_now(anchor) for anchor in stale)


def _now(anchor: StaleAnchor) -> str:
    subject = f"{anchor.anchor_type} {anchor.anchor_id}"
    if anchor.value_now is None:
        ended = "is superseded or redacted" if anchor.anchor_type == "episode" else "is gone"
        return f"{subject} {ended}; it was: {anchor.value_at_write}"
    place = f" ({anchor.location})" if anchor.location else ""
    return f"{subject}{place} is now: {anchor.value_now}"


def fact_text(fact: Fact) -> str:
    """What the parser saw and where."""
    place = "" if fact.file_path is None else f" — {fact.file_path}"
    if place and fact.line_start is not None:
        place += f":{fact.line_start}"
    body = fact_value(fact)
    return f"{fact.kind} {fact.qualified_name}{place}" + (f"\n{body}" if body else "")


def fact_value(fact: Fact) -> str | None:
    """A fact's signature, or its value where it has none."""
    return fact.signature or fact.value


def rendered(recall: Recall) -> str:
    """A recall as one text for a model: a heading, every hit, then the notes.

    Lines of a hit are indented, so that no stored text can pass for a heading of ours.
    """
    count = len(recall.hits)
    lines = [f"{RECALL_HEADING}: {count} {'hit' if count == 1 else 'hits'}."]
    for place, hit in enumerate(recall.hits, 1):
        lines.append(f"[{place}] {_origin(hit)}")
        lines.extend(f"  {line}" for line in hit.text.splitlines())
    lines.extend(f"Note: {note}" for note in recall.notes)
    return "\n".join(lines)


def _origin(hit: Hit) -> str:
    parts = [hit.kind, hit.id]
    if hit.seq is not None:
        parts.append(f"#{hit.seq}")
    if hit.role is not None:
        parts.append(hit.role.value)
    if hit.tool_name is not None:
        parts.append(hit.tool_name)
    if hit.created_at is not None:
        parts.append(hit.created_at[:16].replace("T", " "))
    if hit.stale:
        parts.append(STALE_MARK)
    if hit.unverified:
        parts.append("[UNVERIFIED]")
    return " ".join(parts)
