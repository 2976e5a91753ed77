"""What became of the prompt cache at one call, what likely broke it, and what that cost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from sakur4_core.cache.prefix import Shared
from sakur4_core.clock import parse_stamp
from sakur4_core.context.money import Rates
from sakur4_core.models import NOT_KNOWN, Basis, CacheState, Figure, Usage, Verdict

# Lifetimes of a cache entry as Anthropic documents them: the default, and the longer one that
# a caller can ask for. Other providers keep entries for as long or longer.
LIFETIMES: Final = (
    (timedelta(hours=1), "the cache entry expired: more than an hour passed"),
    (timedelta(minutes=5), "the cache entry expired: more than 5 minutes passed"),
)
# A prefix counts as kept when at least this share of the previous prompt was read from cache.
KEPT_SHARE: Final = 0.8
RESTORED: Final = "snapshot.restored"

_MOVED: Final = (
    ("window.compacted", "compaction"),
    ("plan.enforced", "an eviction plan took effect"),
    ("plan.undone", "an eviction plan was undone"),
    ("fold.closed", "a fold was closed"),
    ("fold.reopened", "a fold was reopened"),
)
_PARTED: Final = {
    "system_prompt": "the system prompt changed",
    "tool_schemas": "the tool schemas changed",
    "pinned_anchors": "the pinned anchors changed",
    "fold_summaries": "the fold summaries changed",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a verdict is reached from, beside the report itself.

    Attributes:
        previous: The report before it in the session, or None.
        moved: Kinds of events since then that change a prefix.
        shared: What the prompt repeats of the one before it, where that is known.
        predicted: Tokens that the cache holds, by prediction; None where none is made.
        rates: The model's prices, or None.
    """

    previous: Usage | None = None
    moved: tuple[str, ...] = ()
    shared: Shared | None = None
    predicted: int | None = None
    rates: Rates | None = None


def verdict_of(usage: Usage, evidence: Evidence) -> CacheState:
    """Read the verdict off one report; what was measured goes before what was predicted."""
    measured = usage.cache_read_tokens is not None
    read = usage.cache_read_tokens if measured else evidence.predicted
    if read is None:
        return CacheState(Verdict.UNKNOWN, Basis.UNKNOWN, cause="not reported")
    basis = Basis.MEASURED if measured else Basis.PREDICTED
    share = read / usage.sent_tokens if usage.sent_tokens else 0.0
    reused = Figure(round(share, 4), basis)
    previous = evidence.previous
    if read and RESTORED in evidence.moved:
        return CacheState(Verdict.WARM_RESTORED, basis, reused)
    if previous is None:
        return CacheState(Verdict.PARTIAL_REUSE if read else Verdict.COLD, basis, reused)
    if read >= KEPT_SHARE * _prompt(previous):
        return CacheState(Verdict.PARTIAL_REUSE, basis, reused)
    verdict = Verdict.PARTIAL_REUSE if read else Verdict.FULL_RE_PREFILL
    price = _price(usage, previous, read, evidence.rates)
    return CacheState(verdict, basis, reused, _cause(usage, previous, evidence), price)


def _prompt(usage: Usage) -> int:
    """The last prompt of a call; one with several rounds sends more than its context in all."""
    return min(usage.context_tokens, usage.sent_tokens)


def _price(usage: Usage, previous: Usage, read: int, rates: Rates | None) -> Figure:
    """What the tokens cost that a kept prefix would have read from cache, beyond that read."""
    if rates is None:
        return NOT_KNOWN
    lost = max(0, min(_prompt(previous), usage.sent_tokens) - read)
    return Figure(round(lost * (rates.cache_write - rates.cached_read), 6), Basis.ESTIMATED)


def _cause(usage: Usage, previous: Usage, evidence: Evidence) -> str:
    """The likeliest reason that the prefix broke, the best evidence first."""
    for kind, words in _MOVED:
        if kind in evidence.moved:
            return words
    if usage.model and previous.model and usage.model != previous.model:
        return "the model was switched"
    if evidence.shared is not None and evidence.shared.parted in _PARTED:
        return _PARTED[evidence.shared.parted]
    idle = parse_stamp(usage.created_at) - parse_stamp(previous.created_at)
    for lifetime, words in LIFETIMES:
        if idle > lifetime:
            return words
    return "the prompt's beginning changed"
