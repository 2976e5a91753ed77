"""Money, from the price list that genai-prices ships; nothing is fetched.

A model or a provider that the list does not know has no price, never a price of 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from sakur4_core.models import NOT_KNOWN, Basis, Figure, Usage

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


def call_price(usage: Usage, day: datetime | None) -> float | None:
    """What one call cost in USD by the list, or None where that cannot be said."""
    if usage.model is None or usage.completion_tokens is None:
        return None
    counts = {
        "input_tokens": usage.context_tokens,
        "output_tokens": usage.completion_tokens,
        "cache_read_tokens": usage.cache_read_tokens or 0,
        "cache_write_tokens": usage.cache_write_tokens or 0,
    }
    return _price(counts, usage.model, usage.provider, day)


def dollars(value: float | None) -> Figure:
    """An amount by the list as a figure: what the person pays can differ, so estimated."""
    return NOT_KNOWN if value is None else Figure(round(value, 6), Basis.ESTIMATED)


def _price(
    counts: dict[str, int], model: str, provider: str | None, day: datetime | None
) -> float | None:
    import genai_prices

    name = None if provider is None else _PROVIDERS.get(provider.lower(), provider.lower())
    arguments: dict[str, Any] = {"provider_id": name, "genai_request_timestamp": day}
    try:
        found = genai_prices.calc_price(genai_prices.Usage(**counts), model, **arguments)
    except (LookupError, ValueError):
        return None
    return float(found.total_price)
