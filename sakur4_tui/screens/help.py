"""Every key that works here, made from the registry of actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.cells import cell_len

from sakur4_tui.actions import Scope, in_scope
from sakur4_tui.cells import fit_text, line
from sakur4_tui.glyphs import Glyphs
from sakur4_tui.keymap import key_name, keys_of
from sakur4_tui.screens.dialog import RowsScreen
from sakur4_tui.widgets.virtual import Row

KEYS = 15
_TITLES: Mapping[str, str] = {
    "app": "Everywhere",
    "main": "Main screen",
    "inbox": "Inbox",
    "plan": "Plan review",
    "list": "Lists",
    "dialog": "Dialogs",
}


class HelpScreen(RowsScreen):
    """The keys of the given parts of the interface, then what the signs mean."""

    def __init__(
        self,
        scopes: Sequence[Scope],
        keys: Mapping[str, str],
        glyphs: Glyphs,
    ) -> None:
        super().__init__("Help", lambda width: _rows(scopes, keys, glyphs))


def _rows(
    scopes: Sequence[Scope],
    keys: Mapping[str, str],
    glyphs: Glyphs,
) -> list[Row]:
    rows: list[Row] = []
    for scope in scopes:
        rows.append(Row(line((_TITLES[scope], "bold $strong"))))
        for action in in_scope(scope):
            names = " ".join(key_name(key) for key in keys_of(action, keys))
            shown = fit_text(names, max(KEYS, cell_len(names) + 1), glyphs)
            rows.append(Row(line((shown, "$focus"), action.help)))
        rows.append(Row(line("")))
    return [*rows, *_legend(glyphs)]


def _legend(glyphs: Glyphs) -> list[Row]:
    marks = glyphs.marks
    tiers = "   ".join(f"{sign} {tier.value}" for tier, sign in glyphs.tiers.items())
    by_name = {basis.value: mark for basis, mark in marks.items()}
    figures = (
        f"{by_name['estimated']} calibrated or estimated   {by_name['predicted']} predicted"
        "   ? not known",
        "A figure without a mark is measured or counted.",
    )
    signs = (
        f"{glyphs.waiting} waits for you   {glyphs.stale} stale   {glyphs.anchor} pinned   "
        f"{glyphs.done} done"
    )
    return [
        Row(line(("Signs", "bold $strong"))),
        *(Row(line((text, "$quiet"))) for text in (tiers, signs, *figures)),
    ]
