"""Eviction plans as they stand in a proposal's payload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sakur4_core.models import (
    Basis,
    Contribution,
    Figure,
    Plan,
    PlanItem,
    Pressure,
    Role,
    Rung,
    Tier,
)


def plan_from_json(data: Mapping[str, Any]) -> Plan:
    """The inverse of ``models.to_json`` for a plan."""
    values = dict(data)
    for name in (
        "window",
        "tokens_before",
        "tokens_after",
        "tokens_freed",
        "prefix_kept",
        "tokens_to_prefill",
        "price",
    ):
        values[name] = _figure(values[name])
    values["pressure"] = Pressure(values["pressure"])
    values["items"] = tuple(_item(item) for item in values["items"])
    values["savings_curve"] = tuple(values["savings_curve"])
    values["notes"] = tuple(values["notes"])
    return Plan(**values)


def _figure(data: Mapping[str, Any]) -> Figure:
    return Figure(data["value"], Basis(data["basis"]), data["error"])


def _item(data: Mapping[str, Any]) -> PlanItem:
    values = dict(data)
    values["role"] = Role(values["role"])
    values["from_tier"] = Tier(values["from_tier"])
    values["to_tier"] = Tier(values["to_tier"])
    values["rungs"] = tuple(
        Rung(Tier(rung["tier"]), rung["tokens"], rung["shrinks"]) for rung in values["rungs"]
    )
    values["reasons"] = tuple(Contribution(**reason) for reason in values["reasons"])
    return PlanItem(**values)
