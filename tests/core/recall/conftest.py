"""The store that recall's tests run on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from recall_memory import Memory, open_memory
from sakur4_core.clock import FakeClock
from sakur4_core.paths import Home, identify


@pytest.fixture
async def memory(project: Path, home: Home, clock: FakeClock) -> AsyncIterator[Memory]:
    opened = await open_memory(identify(project, home), home, clock)
    yield opened
    await opened.recaller.close()
    await opened.workspace.database.close()
