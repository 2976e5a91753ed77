"""Which project's engine a program opens, known before anything heavy is loaded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sakur4_core.clock import Clock, SystemClock

if TYPE_CHECKING:
    from sakur4_core.engine import Engine
    from sakur4_core.paths import Home
    from sakur4_core.settings import Settings

Kind = Literal["tui", "serve", "embedded", "cli"]


@dataclass(frozen=True, slots=True)
class Opening:
    """A project, its store and settings, and as what the process opens them.

    Attributes:
        store: A store file instead of the project's own, or ``:memory:``.
    """

    root: Path
    store: str | None
    settings: Settings
    home: Home
    kind: Kind
    clock: Clock = field(default_factory=SystemClock)

    @asynccontextmanager
    async def engine(self) -> AsyncIterator[Engine]:
        """The engine, loaded off the loop: it brings parsers and the tokenizer along.

        Raises:
            Sakur4Error: The project or its store cannot be used.
        """

        def load() -> type[Engine]:
            from sakur4_core.engine import Engine

            return Engine

        engine_type = await asyncio.to_thread(load)
        async with engine_type.open(
            self.root,
            store=self.store,
            settings=self.settings,
            kind=self.kind,
            home=self.home,
            clock=self.clock,
        ) as engine:
            yield engine


def prepare(
    project: Path, store: str | None, kind: Kind, flags: Mapping[str, Any] | None = None
) -> Opening:
    """Find the project and read its settings, with ``{"section.key": value}`` on top.

    Raises:
        ConfigError: The project is no directory, or a setting does not fit.
    """
    from sakur4_core.paths import Home, find_root
    from sakur4_core.settings import load_settings

    home = Home.resolve()
    root = find_root(project)
    settings = load_settings(user_file=home.settings_file, project_root=root, flags=flags)
    return Opening(root, store, settings, home, kind)
