"""Choose the session that is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sakur4_core import models as m
from textual.content import Content

from sakur4_tui import figures
from sakur4_tui.cells import line, spread, visible
from sakur4_tui.look import Look, session_name
from sakur4_tui.screens.dialog import RowsScreen
from sakur4_tui.widgets.virtual import Row


class SessionsScreen(RowsScreen):
    """The sessions, newest first; returns the chosen one's id."""

    def __init__(
        self, sessions: Sequence[m.Session], look: Callable[[], Look], current: str | None
    ) -> None:
        super().__init__(
            "Sessions",
            lambda width: [
                Row(
                    _row(session, session.session_id == current, width, look()), session.session_id
                )
                for session in sessions
            ],
        )


def _row(session: m.Session, current: bool, width: int, look: Look) -> Content:
    seen = session.last_seen_at or session.created_at
    sign = look.glyphs.done if current else " "
    title = f"  {visible(session.title, 120)}" if session.title else ""
    model = f"  {visible(session.model, 40)}" if session.model else ""
    left = line(
        (f"{sign} ", "$done"), (session_name(session), "$strong"), (model, "$quiet"), title
    )
    return spread(left, line((figures.age(seen, look.now), "$quiet")), width, look.glyphs)
