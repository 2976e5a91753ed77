"""The two sets of signs: one for terminals with Unicode, one for those with ASCII only.

A sign never stands alone for a state: a word or a figure is always beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

from sakur4_core.models import Basis, Tier


@dataclass(frozen=True, slots=True)
class Glyphs:
    """Every sign the interface draws. Bars and sparks run from least to most."""

    tiers: dict[Tier, str]
    marks: dict[Basis, str]
    anchor: str
    stale: str
    unverified: str
    waiting: str
    done: str
    arrow: str
    more: str
    quote: str
    dot: str
    rule: str
    full: str
    rest: str
    free: str
    trigger: str
    target: str
    cut: str
    eighths: str
    sparks: str
    box: str


_EXACT = {Basis.MEASURED: "", Basis.COUNTED: "", Basis.UNKNOWN: "?"}

UNICODE = Glyphs(
    tiers=dict(zip(Tier, "●◐○·×", strict=True)),
    marks={**_EXACT, Basis.CALIBRATED: "≈", Basis.ESTIMATED: "≈", Basis.PREDICTED: "→"},
    anchor="⚓",
    stale="!",
    unverified="?",
    waiting="▲",
    done="✓",
    arrow="→",
    more="…",
    quote="│",
    dot="·",
    rule="─",
    full="█",
    rest="▓",
    free="░",
    trigger="┊",
    target="╎",
    cut="│",
    eighths="▏▎▍▌▋▊▉█",
    sparks="▁▂▃▄▅▆▇█",
    box="round",
)

ASCII = Glyphs(
    tiers=dict(zip(Tier, "*o.-x", strict=True)),
    marks={**_EXACT, Basis.CALIBRATED: "~", Basis.ESTIMATED: "~", Basis.PREDICTED: "->"},
    anchor="#",
    stale="!",
    unverified="?",
    waiting=">",
    done="+",
    arrow="->",
    more="..",
    quote="|",
    dot="-",
    rule="-",
    full="#",
    rest="=",
    free=".",
    trigger="|",
    target=":",
    cut="|",
    eighths="-#",
    sparks="_.-=+*%#",
    box="ascii",
)
