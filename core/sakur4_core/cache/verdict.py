"""What a usage report says of the prompt cache, and what likely broke it."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from sakur4_core.clock import parse_stamp
from sakur4_core.models import Basis, CacheState, Figure, Usage, Verdict

# Anthropic's default lifetime of a cache entry; other providers document the same or more.
CACHE_LIFETIME: Final = timedelta(minutes=5)
# A prefix counts as kept when at least this share of the previous prompt was read from cache.
KEPT_SHARE: Final = 0.8

_CAUSES: Final = (
    ("window.compacted", "compaction"),
    ("plan.enforced", "an eviction plan took effect"),
    ("plan.undone", "an eviction plan was undone"),
    ("fold.closed", "a fold was closed"),
)


def verdict_of(usage: Usage, previous: Usage | None, moved: tuple[str, ...]) -> CacheState:
    """Read the verdict off one report.

    Args:
        previous: The report before it in the session, or None.
        moved: Kinds of events since then that change a prefix.
    """
    read = usage.cache_read_tokens
    if read is None:
        return CacheState(Verdict.UNKNOWN, Basis.UNKNOWN, cause="not reported")
    share = read / usage.context_tokens if usage.context_tokens else 0.0
    reused = Figure(round(share, 4), Basis.MEASURED)
    if previous is None and read == 0:
        return CacheState(Verdict.COLD, Basis.MEASURED, reused)
    kept = previous is None or read >= KEPT_SHARE * previous.context_tokens
    if kept:
        return CacheState(Verdict.PARTIAL_REUSE, Basis.MEASURED, reused)
    verdict = Verdict.PARTIAL_REUSE if read else Verdict.FULL_RE_PREFILL
    return CacheState(verdict, Basis.MEASURED, reused, cause=_cause(usage, previous, moved))


def _cause(usage: Usage, previous: Usage | None, moved: tuple[str, ...]) -> str:
    """The likeliest reason that the prefix broke, the best evidence first."""
    for kind, words in _CAUSES:
        if kind in moved:
            return words
    if previous is not None:
        if usage.model and previous.model and usage.model != previous.model:
            return "the model was switched"
        if parse_stamp(usage.created_at) - parse_stamp(previous.created_at) > CACHE_LIFETIME:
            return "the cache entry expired"
    return "the prompt's beginning changed"
