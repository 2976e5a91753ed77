"""What a turn costs the processor: redaction, facts, words and tokens. Done before a transaction,
in a thread."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from sakur4_core.clock import IdFactory, stamp
from sakur4_core.harness.records import Kind, Turn
from sakur4_core.memory.episodes import MAX_NAME, NOTHING_EXTRACTED, indexed_words
from sakur4_core.memory.ledger import Extraction, extract
from sakur4_core.memory.own_words import is_own_tool
from sakur4_core.memory.redaction import clean, redact
from sakur4_core.memory.text import storable
from sakur4_core.models import InWindow, Role
from sakur4_core.workspace import TokenCounter


@dataclass(frozen=True, slots=True)
class Prepared:
    """A turn as it will be stored."""

    turn: Turn
    episode_id: str
    content: str
    tool_name: str | None
    tool_call_id: str | None
    tokens: int
    words: str
    extraction: Extraction
    created_at: str

    @property
    def in_window(self) -> InWindow:
        """Where it stands if nothing else is known: a thought is not sent again."""
        return InWindow.NO if self.turn.kind is Kind.THINKING else InWindow.YES


def prepare(
    turns: Iterable[Turn],
    session_of: dict[str, str],
    ids: IdFactory,
    counter: TokenCounter,
    now: str,
) -> list[Prepared]:
    """Turns as they will be stored.

    Args:
        session_of: The ids under which sessions are stored.
        now: The moment for turns that have no time, or one that is still to come.
    """
    return [_one(turn, session_of[turn.session_id], ids.new("ep"), counter, now) for turn in turns]


def _one(
    turn: Turn, session_id: str, episode_id: str, counter: TokenCounter, now: str
) -> Prepared:
    content = redact(storable(turn.content)[0]).text
    tool_name, call = short(turn.tool_name), short(turn.tool_call_id)
    extraction = NOTHING_EXTRACTED
    if turn.role is Role.TOOL and not is_own_tool(tool_name):
        extraction = extract(content, session_id=session_id, call=call or episode_id)
    return Prepared(
        turn=turn,
        episode_id=episode_id,
        content=content,
        tool_name=tool_name,
        tool_call_id=call,
        tokens=counter.count(content),
        words=indexed_words(content, tool_name),
        extraction=extraction,
        created_at=moment(turn.timestamp, now),
    )


def short(name: str | None, limit: int = MAX_NAME) -> str | None:
    """A name of others as it can be stored: printable, cut, without secrets."""
    if name is None:
        return None
    text = storable(name)[0]
    if not text.isprintable():
        text = "".join(
            sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text
        )
    return clean(text[:limit]) or None


def moment(timestamp: str | None, now: str) -> str:
    """A transcript's time in the store's notation; ``now`` where it has none that has passed."""
    if timestamp is None:
        return now
    try:
        found = datetime.fromisoformat(timestamp)
        said = stamp(found if found.tzinfo else found.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return now
    return min(said, now)
