"""What an answer says about itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sakur4_core.recall.budget import Fitted
from sakur4_core.recall.ranking import NEWEST
from sakur4_core.recall.request import Request
from sakur4_core.recall.turn_search import DENSE

BUILDING = "The index of turns is being built; turns were found by full-text search alone."


@dataclass(frozen=True, slots=True)
class Circumstances:
    """How an answer came about.

    Attributes:
        views: The views that were searched.
        indexed: Whether the index of turns was there.
        pending: Whether facts of code are not indexed for recall yet.
        repeated: How many hits were left out because they repeat a better one.
        fault: Why the wanted embedder did not run.
    """

    views: tuple[str, ...]
    indexed: bool
    pending: bool
    repeated: int
    fault: str | None


def notes(request: Request, fitted: Fitted, how: Circumstances) -> Iterator[str]:
    """One sentence each."""
    if NEWEST in how.views:
        yield "The query has no word to look for; these are the newest."
    elif not fitted.hits and not fitted.left_out:
        yield "Nothing stored matches."
    if how.repeated:
        yield f"{how.repeated} more say the same as a better hit."
    if fitted.excerpts:
        yield f"To fit {request.budget} tokens, {fitted.excerpts} were cut to excerpts."
    if fitted.left_out:
        yield f"{fitted.left_out} more did not fit {request.budget} tokens."
    unverified = sum(hit.unverified for hit in fitted.hits)
    if unverified:
        yield f"{unverified} rest on files that were not checked against the disk."
    if how.pending:
        yield "The code index is still being prepared for recall."
    if not how.indexed:
        yield BUILDING
    elif how.fault is not None:
        yield f"Found by words alone: {how.fault}"
    elif DENSE not in how.views and NEWEST not in how.views:
        yield "Found by words alone: the embedder is off or knows no word of the query."
