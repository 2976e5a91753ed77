"""Benches that a test opens are closed with it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from context_bench import Bench, Benches


@pytest.fixture
async def benches(tmp_path: Path) -> AsyncIterator[Benches]:
    opened = Benches(tmp_path)
    yield opened
    await opened.close()


@pytest.fixture
async def bench(benches: Benches) -> Bench:
    """A bench whose window is small, so that little text fills it."""
    return await benches.open(window=20_000, reserve_output=1_000)
