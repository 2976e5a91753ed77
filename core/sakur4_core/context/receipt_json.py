"""Receipts as they stand in the store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sakur4_core.models import (
    Basis,
    CacheState,
    Figure,
    Pressure,
    Receipt,
    ReceiptPart,
    Verdict,
    to_json,
)


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


def _figure(data: Mapping[str, Any]) -> Figure:
    return Figure(data["value"], Basis(data["basis"]), data["error"])


def _part(data: Mapping[str, Any]) -> ReceiptPart:
    return ReceiptPart(
        data["name"], _figure(data["tokens"]), tuple(map(_part, data["detail"])), data["note"]
    )
