"""Snapshots without a backend: what is kept, and what is honestly not."""

from __future__ import annotations

import pytest
from context_bench import Bench, conversation
from sakur4_core.cache.coherence import Coherence
from sakur4_core.errors import NotFound
from sakur4_core.events import SNAPSHOT_SAVED


async def test_the_null_backend_is_named_and_claims_nothing(bench: Bench) -> None:
    coherence = Coherence(bench.workspace)
    assert (coherence.backend_name, coherence.degraded) == ("none", ())
    await bench.fill(conversation(1))
    snapshot = await coherence.snapshot("s1", 0)
    assert snapshot.bytes is None
    assert "no backend" in snapshot.detail
    assert await bench.events(SNAPSHOT_SAVED) == 1
    restored, detail = await coherence.restore(snapshot.snapshot_id)
    assert restored is False
    assert "no slot" in detail


async def test_unknown_ids_are_not_found(bench: Bench) -> None:
    with pytest.raises(NotFound):
        await bench.coherence.snapshot("nobody", None)
    with pytest.raises(NotFound):
        await bench.coherence.restore("sn_nothing")
