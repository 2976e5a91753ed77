"""The index of a store's turns: their terms, their traits, and the blocks they stand in."""

from __future__ import annotations

from dataclasses import dataclass, field

from sakur4_core.memory.own_words import is_own_tool, without_own
from sakur4_core.models import Role
from sakur4_core.recall.columns import TRIPLE, TURN, Columns
from sakur4_core.recall.postings import PLACES, Postings
from sakur4_core.recall.terms import document_terms
from sakur4_core.recall.traits import Traits, traits
from sakur4_core.store.recall import Turn

ROLES = tuple(role.value for role in Role)
TRIPLE_TURNS = 3
# A pause of so many minutes ends a stretch of talk: what comes after is not its context.
PAUSE_MINUTES = 60


@dataclass(slots=True)
class Stretch:
    """Where the newest turn of a session stands."""

    triple: int
    minute: int
    dated: bool


class Names:
    """Strings that columns refer to by number."""

    def __init__(self, names: list[str] | None = None) -> None:
        self.names = [""] if names is None else names
        self._places = {name: place for place, name in enumerate(self.names)}

    def number(self, name: str) -> int:
        """The number of a name, a new one if it has none."""
        place = self._places.get(name)
        if place is None:
            place = self._places[name] = len(self.names)
            self.names.append(name)
        return place

    def find(self, name: str) -> int | None:
        """The number of a name, or None."""
        return self._places.get(name)


@dataclass(slots=True)
class TurnIndex:
    """Everything that a search reads. Turns are appended in the order of their places."""

    postings: Postings = field(default_factory=Postings.empty)
    turns: Columns = field(default_factory=lambda: Columns(TURN))
    triples: Columns = field(default_factory=lambda: Columns(TRIPLE))
    sessions: Names = field(default_factory=Names)
    tools: Names = field(default_factory=Names)
    speakers: Names = field(default_factory=Names)
    stretches: dict[int, Stretch] = field(default_factory=dict)

    @property
    def last_seq(self) -> int:
        """The place in the transcript that the index reaches to."""
        return int(self.turns["seq"][-1]) if self.turns.size else 0

    @property
    def full(self) -> bool:
        """Whether it can take no more turns."""
        return self.turns.size >= PLACES

    def append(self, turn: Turn) -> None:
        """Add one turn behind all others."""
        text = indexed_text(turn)
        counts, words = document_terms(text)
        known = traits(text, turn.created_at)
        size = sum(counts.values())
        session = self.sessions.number(turn.session_id)
        place = self.turns.append(
            seq=turn.seq,
            session=session,
            role=ROLES.index(turn.role),
            tool=self.tools.number(turn.tool_name or ""),
            speaker=self.speakers.number(known.speaker),
            minute=known.minute,
            terms=size,
            words=words,
            asks=known.asks,
            triple=self._triple(session, known, size),
        )
        self.postings.add(place, counts)

    def merge(self) -> None:
        """Work the tail into the arrays."""
        self.postings = self.postings.merged()

    def _triple(self, session: int, known: Traits, size: int) -> int:
        """The triple that a session's next turn belongs to."""
        stretch = self.stretches.get(session)
        before = -1
        if stretch is not None and not _paused(stretch, known):
            if self.triples["filled"][stretch.triple] < TRIPLE_TURNS:
                self.triples["filled"][stretch.triple] += 1
                self.triples["terms"][stretch.triple] += size
                stretch.minute, stretch.dated = known.minute, known.dated
                return stretch.triple
            before = stretch.triple
        triple = self.triples.append(before=before, terms=size, filled=1)
        self.stretches[session] = Stretch(triple, known.minute, known.dated)
        return triple


def indexed_text(turn: Turn) -> str:
    """What a turn is found by: all of it but what this system said itself."""
    return "" if is_own_tool(turn.tool_name) else without_own(turn.content)


def _paused(stretch: Stretch, known: Traits) -> bool:
    """Whether a pause lies before a turn; times of different clocks are not compared."""
    return known.dated == stretch.dated and abs(known.minute - stretch.minute) > PAUSE_MINUTES
