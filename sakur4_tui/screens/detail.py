"""All of one thing, read only."""

from __future__ import annotations

from sakur4_core import models as m

from sakur4_tui.cells import fold, line, visible
from sakur4_tui.glyphs import Glyphs
from sakur4_tui.screens.dialog import RowsScreen
from sakur4_tui.widgets.virtual import Row

QUOTED = ("statement", "said in")
Detail = tuple[tuple[str, str], ...]


class DetailScreen(RowsScreen):
    """Named texts, one under the other; what others wrote is quoted."""

    def __init__(self, title: str, detail: Detail, glyphs: Glyphs) -> None:
        super().__init__(visible(title, 60), lambda width: _rows(detail, width, glyphs))


def _rows(detail: Detail, width: int, glyphs: Glyphs) -> list[Row]:
    rows: list[Row] = []
    for name, text in detail:
        if name in QUOTED:
            rows.append(Row(line((name, "$quiet"))))
            mark = (f"{glyphs.quote} ", "$anchor")
            rows += [Row(line(mark, part)) for part in fold(text, width - 2)]
            rows.append(Row(line("")))
        else:
            rows.append(Row(line((f"{name:<14}", "$quiet"), visible(text, 200))))
    return rows


def proposal_detail(proposal: m.Proposal) -> Detail:
    """What a proposal of a pin or an unpin says, and where it comes from."""
    payload = proposal.payload
    excerpt = payload.get("excerpt")
    kind = str(payload.get("kind") or "").replace("_", " ")
    fields = (
        ("statement", payload.get("content")),
        ("said in", None if excerpt == payload.get("content") else excerpt),
        ("kind", kind or None),
        ("scope", payload.get("scope")),
        ("found by rule", payload.get("rule")),
        ("confidence", payload.get("confidence")),
        ("asked by", proposal.asked_by),
    )
    return tuple((name, str(value)) for name, value in fields if value is not None)
