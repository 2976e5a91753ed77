"""The receipt: what fills the window, in parts that sum to the total."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from sakur4_core.context.calibration import Scale
from sakur4_core.context.money import dollars
from sakur4_core.context.prompt import (
    FOLD_SUMMARIES,
    HEAD_PARTS,
    HISTORY,
    OTHER,
    PINNED_ANCHORS,
    REPO_MAP,
    RETRIEVED,
    Prompt,
    Slot,
)
from sakur4_core.context.view import View
from sakur4_core.models import (
    NOT_KNOWN,
    Basis,
    CacheState,
    Figure,
    Receipt,
    ReceiptPart,
    Role,
    Verdict,
)
from sakur4_core.store.usage import UsageRow

DIFFERENCE: Final = "counting difference"
# Results of our own tools, whatever prefix a harness gives their names.
_OWN_RESULTS: Final = {"memory_recall": RETRIEVED, "code_get_repo_map": REPO_MAP}


@dataclass(frozen=True, slots=True)
class Facts:
    """What a receipt is made from.

    Attributes:
        prices: USD of the newest call and of the whole session, None where not known.
        simulated: Whether the backend is a simulation.
    """

    view: View
    prices: tuple[float | None, float | None]
    backend: str
    simulated: bool = False


def receipt_of(facts: Facts) -> Receipt:
    """The receipt, without its id and its time."""
    view = facts.view
    prompt, frame, scale = view.sent, view.frame, view.scale
    size = view.budget.window
    fill = replace(view.total, value=(view.total.value or 0) / (size.value or 1))
    if size.basis is Basis.ESTIMATED:
        fill = replace(fill, basis=Basis.ESTIMATED)
    evicted = sum(s.row.tokens * scale.factor - s.tokens for s in view.planned.timeline if s.rung)
    return Receipt(
        receipt_id="",
        session_id=frame.session_id,
        turn=frame.turn,
        created_at="",
        window=size,
        total=view.total,
        fill=fill,
        parts=parts_of(prompt, scale),
        per_tool=_per_tool(prompt.timeline, scale),
        overhead=_overhead(prompt, scale),
        cache=cache_state(frame.usage),
        pressure=view.budget.pressure(prompt.total, view.anchor_tokens),
        trigger_tokens=view.budget.trigger,
        target_tokens=view.budget.target,
        counter=_counter(view),
        backend=facts.backend,
        price=dollars(facts.prices[0]),
        session_price=dollars(facts.prices[1]),
        evicted_tokens=scale.figure(round(evicted)),
        compactions=frame.compactions,
        notes=_notes(facts),
    )


def _counter(view: View) -> str:
    """What counted, with the factor that was learned for the model."""
    learned = view.scale.basis is Basis.CALIBRATED
    return f"{view.counter} × {view.scale.factor:.3g}" if learned else view.counter


def parts_of(prompt: Prompt, scale: Scale) -> tuple[ReceiptPart, ...]:
    """Every part; the known ones sum to the prompt's total."""

    def figure(tokens: int | None) -> Figure:
        return NOT_KNOWN if tokens is None else scale.figure(tokens)

    history, retrieved, maps = _sorted_timeline(prompt.timeline)
    own = {
        RETRIEVED: (prompt.block(RETRIEVED).tokens or 0) + sum(s.tokens for s in retrieved),
        REPO_MAP: (prompt.block(REPO_MAP).tokens or 0) + sum(s.tokens for s in maps),
    }
    parts = [
        ReceiptPart(
            name,
            figure(prompt.block(name).tokens),
            note="" if prompt.block(name).tokens is not None else "not reported",
        )
        for name in (*HEAD_PARTS, PINNED_ANCHORS, FOLD_SUMMARIES)
    ]
    parts.append(
        ReceiptPart(
            HISTORY, scale.figure(sum(s.tokens for s in history)), _by_speaker(history, scale)
        )
    )
    parts.extend(ReceiptPart(name, scale.figure(tokens)) for name, tokens in own.items())
    other = prompt.block(OTHER).tokens
    if prompt.difference:
        note = "the parts count more than was reported"
        parts.append(ReceiptPart(DIFFERENCE, scale.figure(prompt.difference), note=note))
    else:
        note = "no usage was reported" if other is None else "measured total minus known parts"
        parts.append(ReceiptPart(OTHER, figure(other), note=note))
    return tuple(parts)


def cache_state(row: UsageRow | None) -> CacheState:
    """The verdict that was reached when usage was reported."""
    if row is None or row.verdict is None:
        return CacheState(Verdict.UNKNOWN, Basis.UNKNOWN)
    usage, verdict, price = row.usage, Verdict(row.verdict), dollars(row.break_price)
    basis, read = Basis.MEASURED, usage.cache_read_tokens
    if read is None:
        basis, read = Basis.PREDICTED, row.predicted_reuse
    if read is None or not usage.sent_tokens:
        return CacheState(verdict, Basis.UNKNOWN, cause=row.cause)
    share = Figure(round(read / usage.sent_tokens, 4), basis)
    return CacheState(verdict, basis, share, row.cause, price)


def _sorted_timeline(timeline: Iterable[Slot]) -> tuple[list[Slot], list[Slot], list[Slot]]:
    """History, and in it what our own recall and map tools answered."""
    sorted_slots: dict[str, list[Slot]] = {HISTORY: [], RETRIEVED: [], REPO_MAP: []}
    for slot in timeline:
        sorted_slots[_part_of(slot)].append(slot)
    return sorted_slots[HISTORY], sorted_slots[RETRIEVED], sorted_slots[REPO_MAP]


def _part_of(slot: Slot) -> str:
    if slot.row.role is not Role.TOOL or slot.row.tool_name is None:
        return HISTORY
    name = slot.row.tool_name.replace(".", "_")
    return next((part for own, part in _OWN_RESULTS.items() if name.endswith(own)), HISTORY)


def _by_speaker(slots: Iterable[Slot], scale: Scale) -> tuple[ReceiptPart, ...]:
    """User, assistant and system, then each tool, the largest first."""
    roles: dict[str, int] = {}
    tools: dict[str, int] = defaultdict(int)
    for slot in slots:
        if slot.row.role is Role.TOOL:
            tools[f"tool:{slot.row.tool_name or 'unnamed'}"] += slot.tokens
        else:
            roles[slot.row.role.value] = roles.get(slot.row.role.value, 0) + slot.tokens
    order = [role.value for role in Role if role.value in roles]
    named = [(name, roles[name]) for name in order] + _largest_first(tools)
    return tuple(ReceiptPart(name, scale.figure(tokens)) for name, tokens in named)


def _per_tool(slots: Iterable[Slot], scale: Scale) -> tuple[ReceiptPart, ...]:
    """What calls and results of each tool still occupy."""
    tools: dict[str, int] = defaultdict(int)
    for slot in slots:
        if slot.row.tool_name is not None:
            tools[slot.row.tool_name] += slot.tokens
    return tuple(ReceiptPart(name, scale.figure(tokens)) for name, tokens in _largest_first(tools))


def _largest_first(tokens: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(tokens.items(), key=lambda entry: (-entry[1], entry[0]))


def _overhead(prompt: Prompt, scale: Scale) -> Figure:
    """What this program itself puts into the window."""
    _, retrieved, maps = _sorted_timeline(prompt.timeline)
    blocks = (PINNED_ANCHORS, FOLD_SUMMARIES, RETRIEVED, REPO_MAP)
    own = sum(prompt.block(name).tokens or 0 for name in blocks)
    return scale.figure(own + sum(slot.tokens for slot in (*retrieved, *maps)))


def _notes(facts: Facts) -> tuple[str, ...]:
    view = facts.view
    notes = []
    if view.budget.window.basis is Basis.ESTIMATED:
        notes.append("The window's size is assumed; context.window sets it.")
    missing = [name for name in HEAD_PARTS if view.sent.block(name).tokens is None]
    if missing and view.frame.usage is None:
        names = " and ".join(name.replace("_", " ") for name in missing)
        notes.append(f"The total leaves out {names}: not reported.")
    if view.waiting > 0:
        notes.append(
            f"A plan of {view.waiting / 1000:.1f}k tokens is approved but not in effect yet."
        )
    if facts.simulated:
        notes.append(f"Cache figures are those of the {facts.backend}.")
    return tuple(notes)
