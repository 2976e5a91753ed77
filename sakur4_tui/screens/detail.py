"""All of one thing, read only."""

from __future__ import annotations

from sakur4_core import models as m

from sakur4_tui.cells import fold, line, visible
from sakur4_tui.screens.dialog import RowsScreen
from sakur4_tui.widgets.virtual import Row

Detail = tuple[tuple[str, str], ...]


class DetailScreen(RowsScreen):
    """Named texts, one under the other, quoted."""

    def __init__(self, title: str, detail: Detail) -> None:
        super().__init__(visible(title, 60), lambda width: _rows(detail, width))


def _rows(detail: Detail, width: int) -> list[Row]:
    rows: list[Row] = []
    for name, text in detail:
        rows.append(Row(line((name, "$quiet"))))
        rows += [Row(line(("│ ", "$rule"), part)) for part in fold(text, width - 3)]
        rows.append(Row(line("")))
    return rows[:-1]


def proposal_detail(proposal: m.Proposal) -> Detail:
    """What a proposal of a pin or an unpin says."""
    fields = [("statement", proposal.payload.get("content"))]
    excerpt = proposal.payload.get("excerpt")
    if excerpt != proposal.payload.get("content"):
        fields.append(("said in", excerpt))
    fields += [
        ("kind", proposal.payload.get("kind")),
        ("scope", proposal.payload.get("scope")),
        ("found by rule", proposal.payload.get("rule")),
        ("confidence", proposal.payload.get("confidence")),
        ("asked by", proposal.asked_by),
    ]
    return tuple((name, str(value)) for name, value in fields if value is not None)
