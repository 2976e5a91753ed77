"""Money, from the price list that genai-prices ships; nothing is fetched.

A model or a provider that the list does not know has no price, never a price of 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any, Final

from sakur4_core.models import NOT_KNOWN, Basis, Figure, Usage

if TYPE_CHECKING:
    import genai_prices.types

# Names that providers go by elsewhere, and the list's own.
_PROVIDERS: Final = {
    "bedrock": "aws",
    "vertex": "google",
    "vertex_ai": "google",
    "gemini": "google",
    "claude": "anthropic",
}
# Small enough to stay under every price step for long prompts.
_PROBE_TOKENS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Rates:
    """USD for one token of input: plain, read from cache, written to cache."""

    fresh: float
    cached_read: float
    cache_write: float


@dataclass(frozen=True, slots=True)
class _Flat:
    """Exact USD for one token of a prompt below a size, where each costs the same."""

    below: float
    fresh: Decimal
    cached_read: Decimal
    cache_write: Decimal
    output: Decimal

    def of(self, fresh: int, read: int, write: int, output: int) -> Decimal:
        return (
            fresh * self.fresh
            + read * self.cached_read
            + write * self.cache_write
            + output * self.output
        )


@lru_cache(maxsize=64)
def rates(model: str | None, provider: str | None, day: datetime | None) -> Rates | None:
    """The list's rates for a model on a day, or None where it has none.

    Loads the price list (about 0.3 s) at the first call: call it off the event loop.
    """
    if model is None:
        return None
    n = _PROBE_TOKENS
    fresh = _price({"input_tokens": n}, model, provider, day)
    read = _price({"input_tokens": n, "cache_read_tokens": n}, model, provider, day)
    write = _price({"input_tokens": n, "cache_write_tokens": n}, model, provider, day)
    if fresh is None or read is None or write is None:
        return None
    # A model without a price for cache writes charges them as input.
    return Rates(fresh / n, read / n, max(write, fresh) / n)


def call_price(usage: Usage, moment: datetime | None) -> float | None:
    """What one call cost in USD by the list, or None where that cannot be said."""
    if usage.model is None or usage.completion_tokens is None:
        return None
    read, write = usage.cache_read_tokens or 0, usage.cache_write_tokens or 0
    counts = _counts(usage.context_tokens, usage.completion_tokens, read, write)
    return _price(counts, usage.model, usage.provider, moment)


def price_on(usage: Usage, day: datetime) -> float | None:
    """The same to the last digit, for one of a day's many calls.

    The list takes a tenth of a millisecond for each; a transcript holds thousands.
    """
    output, sent = usage.completion_tokens, usage.context_tokens
    flat = None if usage.model is None else _flat(usage.model, usage.provider, day)
    if output is None or flat is None or sent >= flat.below:
        return call_price(usage, day)
    read, write = usage.cache_read_tokens or 0, usage.cache_write_tokens or 0
    fresh = sent - read - write
    if min(fresh, read, write, output) < 0:
        return call_price(usage, day)
    return float(flat.of(fresh, read, write, output))


def dollars(value: float | None) -> Figure:
    """An amount by the list as a figure: what the person pays can differ, so estimated."""
    return NOT_KNOWN if value is None else Figure(round(value, 6), Basis.ESTIMATED)


@lru_cache(maxsize=64)
def _flat(model: str, provider: str | None, day: datetime) -> _Flat | None:
    """A model's prices on a day up to their first step; None where they are not by the token."""
    n, prices, below = _PROBE_TOKENS, [], inf
    for counts in (
        _counts(0, 0, 0, 0),
        _counts(n, 0, 0, 0),
        _counts(n, 0, n, 0),
        _counts(n, 0, 0, n),
        _counts(0, n, 0, 0),
    ):
        found = _found(counts, model, provider, day)
        if found is None:
            return None
        below = min((below, *map(_first_step, vars(found.model_price).values())))
        prices.append(found.total_price / n)
    by_the_call, *by_the_token = prices
    return None if by_the_call or below <= n else _Flat(below, *by_the_token)


def _first_step(price: object) -> float:
    """The size of a prompt at which a price changes."""
    if price is None or isinstance(price, Decimal):
        return inf
    return min((tier.start for tier in getattr(price, "tiers", ())), default=0)


def _counts(sent: int, output: int, read: int, write: int) -> dict[str, int]:
    return {
        "input_tokens": sent,
        "output_tokens": output,
        "cache_read_tokens": read,
        "cache_write_tokens": write,
    }


def _price(
    counts: dict[str, int], model: str, provider: str | None, day: datetime | None
) -> float | None:
    found = _found(counts, model, provider, day)
    return None if found is None else float(found.total_price)


def _found(
    counts: dict[str, int], model: str, provider: str | None, day: datetime | None
) -> genai_prices.types.PriceCalculation | None:
    import genai_prices

    name = None if provider is None else _PROVIDERS.get(provider.lower(), provider.lower())
    arguments: dict[str, Any] = {"provider_id": name, "genai_request_timestamp": day}
    try:
        return genai_prices.calc_price(genai_prices.Usage(**counts), model, **arguments)
    except (LookupError, ValueError):
        return None
