"""Commands that move a memory: export, import, backup."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sakur4_tui.cli.output import Output, visible
from sakur4_tui.cli.place import engine_command

if TYPE_CHECKING:
    from sakur4_core.engine import Engine


@click.command("export")
@click.argument("file", type=click.Path(path_type=Path))
@engine_command
async def export(engine: Engine, output: Output, file: Path) -> None:
    """Write the whole memory to FILE: JSON Lines, lossless and chained."""
    done = await engine.export(file)
    output.show(done, f"{done.rows} rows, {done.episodes} turns, in {visible(done.path)}.")


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@engine_command
async def take_over(engine: Engine, output: Output, file: Path) -> None:
    """Take over a memory that `export` wrote; twice changes nothing."""
    done = await engine.take_over(file)
    output.show(
        done, f"{done.rows} rows, {done.episodes} turns taken over; {done.known} known before."
    )


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@engine_command
async def backup(engine: Engine, output: Output, file: Path) -> None:
    """Copy the store to FILE while it is in use."""
    await engine.backup(file)
    output.show({"path": str(file)}, f"The store is copied to {visible(str(file))}.")


COMMANDS = (export, take_over, backup)
