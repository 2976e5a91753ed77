"""Which project, store and settings a command works on, and the engine opened there."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import click

from sakur4_tui.cli.output import Output

if TYPE_CHECKING:
    from sakur4_core.engine import Engine

P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Place:
    """What ``--project`` and ``--store`` name; the working directory where they do not."""

    project: Path = Path()
    store: str | None = None


def place_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--project`` and ``--store``; the root's own are the defaults."""

    @click.option("--project", "project", type=click.Path(path_type=Path), metavar="DIR")
    @click.option("--store", "store", metavar="FILE")
    @click.pass_context
    @functools.wraps(command)
    def wrapped(
        context: click.Context, /, project: Path | None, store: str | None, **others: Any
    ) -> Any:
        place = context.find_object(Place) or Place()
        if project is not None:
            place = replace(place, project=project)
        if store is not None:
            place = replace(place, store=store)
        return command(place, **others)

    return wrapped


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--json``."""

    @click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
    @functools.wraps(command)
    def wrapped(*place: Any, as_json: bool, **others: Any) -> Any:
        return command(*place, Output(as_json), **others)

    return wrapped


def engine_command(
    work: Callable[Concatenate[Engine, Output, P], Awaitable[int | None]],
) -> Callable[..., Any]:
    """A command that works on an open engine; it returns the exit code, None for 0."""

    @place_options
    @output_options
    @functools.wraps(work)
    def command(place: Place, output: Output, /, *args: P.args, **kwargs: P.kwargs) -> None:
        import asyncio

        async def opened() -> int | None:
            from sakur4_core.engine import Engine

            async with Engine.open(place.project, store=place.store) as engine:
                return await work(engine, output, *args, **kwargs)

        code = asyncio.run(opened())
        if code:
            raise click.exceptions.Exit(code)

    return command


async def session_or_newest(engine: Engine, session_id: str | None) -> str:
    """The session named, or the one heard of last.

    Raises:
        NotFound: No such session, or none at all.
    """
    from sakur4_core.errors import NotFound

    if session_id is not None:
        return (await engine.sessions.get(session_id)).session_id
    newest = await engine.sessions.list(1)
    if not newest:
        raise NotFound(
            "This project has no session yet.",
            "Connect an agent, or add a turn with `sakur4-tui commit`.",
        )
    return newest[0].session_id
