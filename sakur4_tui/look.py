"""What drawing needs beside the facts: the signs, the time and the zone it is shown in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo

from sakur4_core import models as m

from sakur4_tui import figures
from sakur4_tui.cells import Part, visible
from sakur4_tui.glyphs import Glyphs


@dataclass(frozen=True, slots=True)
class Look:
    """The moment and the manner of one drawing."""

    glyphs: Glyphs
    now: datetime
    zone: tzinfo | None = None

    def figure(self, value: m.Figure) -> str:
        """Tokens with their mark."""
        return figures.figure(value, self.glyphs)

    def limit(self, value: m.Figure) -> str:
        """A limit in round tokens, with its mark."""
        return figures.figure(value, self.glyphs, figures.round_tokens)

    def money(self, value: m.Figure) -> str:
        """Dollars with their mark."""
        return figures.figure(value, self.glyphs, figures.money)

    def share(self, value: m.Figure) -> str:
        """A share with its mark."""
        return figures.figure(value, self.glyphs, figures.whole_percent)

    def tier(self, tier: m.Tier) -> Part:
        """A tier's sign in its colour."""
        return (self.glyphs.tiers[tier], f"${tier.value}")


def speaker(role: m.Role, tool_name: str | None) -> str:
    """Who speaks in an episode: the role, and the tool where it is one."""
    return f"tool {visible(tool_name, 40)}" if tool_name else role.value


def short_id(identity: str) -> str:
    """The last characters of an id, enough to tell two apart on a screen."""
    return visible(identity.rsplit("_", 1)[-1][-4:])


def session_name(session: m.Session) -> str:
    """A session as the first line names it."""
    return f"{visible(session.harness, 20)} s:{short_id(session.session_id)}"
