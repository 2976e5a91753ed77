"""The receipt: what fills the window, in parts that sum to the total."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from sakur4_core.context.budget import Budget
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
from sakur4_core.models import (
    NOT_KNOWN,
    Basis,
    CacheState,
    Figure,
    Pressure,
    Receipt,
    ReceiptPart,
    Role,
    Verdict,
    to_json,
)
from sakur4_core.store.context import UsageRow
from sakur4_core.store.window import Frame

DIFFERENCE: Final = "counting difference"
# Results of our own tools, whatever prefix a harness gives their names.
_OWN_RESULTS: Final = {"memory_recall": RETRIEVED, "code_get_repo_map": REPO_MAP}

Measure = Callable[[float], Figure]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a receipt is made from.

    Attributes:
        sent: The prompt as it is sent now; ``planned``: as the next rewrite would render it.
        measure: Makes a local count a figure of the session's model.
        total: The window's fill, with how it is known.
        prices: USD of the newest call and of the whole session, None where not known.
    """

    frame: Frame
    sent: Prompt
    planned: Prompt
    measure: Measure
    total: Figure
    budget: Budget
    prices: tuple[float | None, float | None]
    counter: str
    backend: str


def receipt_of(facts: Facts) -> Receipt:
    """The receipt, without its id and its time."""
    prompt, frame = facts.sent, facts.frame
    anchor_tokens = prompt.block(PINNED_ANCHORS).tokens or 0
    size = facts.budget.window
    fill = Figure((facts.total.value or 0) / (size.value or 1), facts.total.basis)
    if size.basis is Basis.ESTIMATED:
        fill = replace(fill, basis=Basis.ESTIMATED)
    return Receipt(
        receipt_id="",
        session_id=frame.session_id,
        turn=frame.turn,
        created_at="",
        window=size,
        total=facts.total,
        fill=fill,
        parts=parts_of(prompt, facts.measure),
        per_tool=_per_tool(prompt.timeline, facts.measure),
        overhead=_overhead(prompt, facts.measure),
        cache=cache_state(frame.usage),
        pressure=facts.budget.pressure(prompt.total, anchor_tokens),
        trigger_tokens=facts.budget.trigger,
        target_tokens=facts.budget.target,
        counter=facts.counter,
        backend=facts.backend,
        price=dollars(facts.prices[0]),
        session_price=dollars(facts.prices[1]),
        evicted_tokens=facts.measure(
            sum(s.row.tokens - s.tokens for s in facts.planned.timeline if s.rung)
        ),
        compactions=frame.compactions,
        notes=_notes(facts),
    )


def parts_of(prompt: Prompt, measure: Measure) -> tuple[ReceiptPart, ...]:
    """Every part; the known ones sum to the prompt's total."""

    def figure(tokens: int | None) -> Figure:
        return NOT_KNOWN if tokens is None else measure(tokens)

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
            HISTORY, measure(sum(s.tokens for s in history)), _by_speaker(history, measure)
        )
    )
    parts.extend(ReceiptPart(name, measure(tokens)) for name, tokens in own.items())
    other = prompt.block(OTHER).tokens
    if prompt.difference:
        note = "the parts count more than was reported"
        parts.append(ReceiptPart(DIFFERENCE, measure(prompt.difference), note=note))
    else:
        note = "no usage was reported" if other is None else "measured total minus known parts"
        parts.append(ReceiptPart(OTHER, figure(other), note=note))
    return tuple(parts)


def cache_state(row: UsageRow | None) -> CacheState:
    """The verdict that was reached when usage was reported."""
    if row is None or row.verdict is None:
        return CacheState(Verdict.UNKNOWN, Basis.UNKNOWN)
    usage, verdict = row.usage, Verdict(row.verdict)
    if usage.cache_read_tokens is None or not usage.context_tokens:
        return CacheState(verdict, Basis.UNKNOWN, cause=row.cause)
    share = Figure(round(usage.cache_read_tokens / usage.context_tokens, 4), Basis.MEASURED)
    return CacheState(verdict, Basis.MEASURED, share, row.cause)


def to_body(receipt: Receipt) -> str:
    """The receipt as it is stored: the same state gives the same text."""
    data = to_json(receipt)
    del data["receipt_id"], data["created_at"]
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def from_body(receipt_id: str, created_at: str, body: str) -> Receipt:
    """The inverse of :func:`to_body`."""
    data = json.loads(body)
    for name in (
        "window",
        "total",
        "fill",
        "overhead",
        "price",
        "session_price",
        "evicted_tokens",
    ):
        data[name] = _figure(data[name])
    data["parts"] = tuple(map(_part, data["parts"]))
    data["per_tool"] = tuple(map(_part, data["per_tool"]))
    cache = data["cache"]
    data["cache"] = CacheState(
        Verdict(cache["verdict"]),
        Basis(cache["basis"]),
        _figure(cache["reused"]),
        cache["cause"],
        _figure(cache["price"]),
    )
    data["pressure"] = Pressure(data["pressure"])
    data["notes"] = tuple(data["notes"])
    return Receipt(receipt_id=receipt_id, created_at=created_at, **data)


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


def _by_speaker(slots: Iterable[Slot], measure: Measure) -> tuple[ReceiptPart, ...]:
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
    return tuple(ReceiptPart(name, measure(tokens)) for name, tokens in named)


def _per_tool(slots: Iterable[Slot], measure: Measure) -> tuple[ReceiptPart, ...]:
    """What calls and results of each tool still occupy."""
    tools: dict[str, int] = defaultdict(int)
    for slot in slots:
        if slot.row.tool_name is not None:
            tools[slot.row.tool_name] += slot.tokens
    return tuple(ReceiptPart(name, measure(tokens)) for name, tokens in _largest_first(tools))


def _largest_first(tokens: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(tokens.items(), key=lambda entry: (-entry[1], entry[0]))


def _overhead(prompt: Prompt, measure: Measure) -> Figure:
    """What this program itself puts into the window."""
    _, retrieved, maps = _sorted_timeline(prompt.timeline)
    blocks = (PINNED_ANCHORS, FOLD_SUMMARIES, RETRIEVED, REPO_MAP)
    own = sum(prompt.block(name).tokens or 0 for name in blocks)
    return measure(own + sum(slot.tokens for slot in (*retrieved, *maps)))


def _notes(facts: Facts) -> tuple[str, ...]:
    notes = []
    if facts.budget.window.basis is Basis.ESTIMATED:
        notes.append("The window's size is assumed; context.window sets it.")
    missing = [name for name in HEAD_PARTS if facts.sent.block(name).tokens is None]
    if missing and facts.frame.usage is None:
        names = " and ".join(name.replace("_", " ") for name in missing)
        notes.append(f"The total leaves out {names}: not reported.")
    waiting = facts.sent.total - facts.planned.total
    if waiting > 0:
        notes.append(f"An approved plan that frees {waiting:,} tokens is not in effect yet.")
    return tuple(notes)


def _figure(data: Mapping[str, Any]) -> Figure:
    return Figure(data["value"], Basis(data["basis"]), data["error"])


def _part(data: Mapping[str, Any]) -> ReceiptPart:
    return ReceiptPart(
        data["name"], _figure(data["tokens"]), tuple(map(_part, data["detail"])), data["note"]
    )
