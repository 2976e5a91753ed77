"""What a recall may see, as a mask over an index's turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sakur4_core.recall.turn_index import ROLES, TurnIndex
from sakur4_core.store.recall import Scope

if TYPE_CHECKING:
    from sakur4_core.recall.bm25 import Mask


def mask_of(index: TurnIndex, scope: Scope, seqs: Any) -> Mask | None:
    """Which turns are in scope; None for all.

    ``seqs`` are the places that pass what only the store knows (tiers, times), None for all.
    """
    import numpy as np

    turns = index.turns
    mask = np.ones(turns.size, dtype=bool)
    if scope.session_id is not None:
        mask &= turns["session"] == _number(index.sessions.find(scope.session_id))
    if scope.roles is not None:
        mask &= np.isin(turns["role"], [ROLES.index(role) for role in scope.roles])
    if scope.tools is not None:
        mask &= np.isin(turns["tool"], [_number(index.tools.find(name)) for name in scope.tools])
    if seqs is not None:
        mask &= np.isin(turns["seq"], np.array(seqs, dtype=np.int64))
    return None if mask.all() else mask


def _number(number: int | None) -> int:
    """The number of a name, or one that no row has."""
    return -1 if number is None else number
