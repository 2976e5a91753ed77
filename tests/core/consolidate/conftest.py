"""A store with turns and summaries, and the consolidator over it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sakur4_core.clock import FakeClock, SequentialIds
from sakur4_core.context.tokens import LocalCounter
from sakur4_core.paths import Home, identify, place_store
from sakur4_core.settings import DreamSettings, Settings
from sakur4_core.store.database import Database
from sakur4_core.workspace import Workspace


@pytest.fixture
async def workspace(project: Path, home: Home, clock: FakeClock) -> AsyncIterator[Workspace]:
    found = identify(project, home)
    place = place_store(found, home, None)
    database = await Database.open(place.file, clock)
    settings = Settings(dream=DreamSettings(quiet_s=90, poll_s=0.01))
    yield Workspace(found, place, settings, database, clock, SequentialIds(), LocalCounter(), home)
    await database.close()
