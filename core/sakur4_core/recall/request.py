"""A recall's arguments, checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sakur4_core.errors import InvalidInput
from sakur4_core.memory.text import storable
from sakur4_core.models import Role, Tier
from sakur4_core.recall.query import Query, parse
from sakur4_core.store import recall as sql
from sakur4_core.store.recall import Scope

MAX_K = 200
MAX_NEIGHBOURS = 10


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What narrows a recall's turns besides a session; None means all.

    Attributes:
        roles, tools, tiers: Turns of these only.
        since, until: Times in the store's notation between which a turn was committed.
    """

    roles: Sequence[str] | None = None
    tools: Sequence[str] | None = None
    tiers: Sequence[str] | None = None
    since: str | None = None
    until: str | None = None


ALL = Narrowing()


@dataclass(frozen=True, slots=True)
class Request:
    """A checked call."""

    query: Query
    scope: Scope
    k: int
    budget: int
    neighbours: int


def check(
    query: str,
    *,
    k: int,
    session_id: str | None,
    kinds: Sequence[str] | None,
    budget: int,
    narrowing: Narrowing,
    neighbours: int,
) -> Request:
    """The request that the arguments make.

    Raises:
        InvalidInput: One of them is beyond its bounds or unknown.
    """
    if not 1 <= k <= MAX_K:
        raise InvalidInput(f"k must be 1 to {MAX_K}.", "Ask for fewer hits.")
    if budget < 1:
        raise InvalidInput("budget_tokens must be at least 1.")
    if not 0 <= neighbours <= MAX_NEIGHBOURS:
        raise InvalidInput(f"neighbours must be 0 to {MAX_NEIGHBOURS}.")
    scope = Scope(
        _known("kinds", kinds, sql.KINDS) or sql.KINDS,
        session_id,
        _known("roles", narrowing.roles, [role.value for role in Role]),
        None if narrowing.tools is None else tuple(narrowing.tools),
        _known("tiers", narrowing.tiers, [tier.value for tier in Tier]),
        narrowing.since,
        narrowing.until,
    )
    return Request(parse(storable(query)[0]), scope, k, budget, neighbours)


def _known(
    name: str, chosen: Sequence[str] | None, known: Sequence[str]
) -> tuple[str, ...] | None:
    if chosen is None:
        return None
    unknown = sorted(set(chosen) - set(known))
    if unknown or not chosen:
        named = ", ".join(repr(value) for value in unknown) or "none"
        raise InvalidInput(f"Unknown {name}: {named}.", f"Use {', '.join(known)}.")
    return tuple(value for value in known if value in chosen)
