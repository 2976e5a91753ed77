"""Commands that move a memory: export, import, backup."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sakur4_tui.cli.output import Output, visible
from sakur4_tui.cli.place import engine_command

if TYPE_CHECKING:
    from sakur4_core.engine import Engine
    from sakur4_core.harness.tally import ImportReport


@click.command("export")
@click.argument("file", type=click.Path(path_type=Path))
@engine_command
async def export(engine: Engine, output: Output, file: Path) -> None:
    """Write the whole memory to FILE: JSON Lines, lossless and chained."""
    done = await engine.export(file)
    output.show(done, f"{done.rows} rows, {done.episodes} turns, in {visible(done.path)}.")


@click.command("import")
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--format",
    "kind",
    type=click.Choice(["auto", "claude-code", "codex", "opencode", "sakur4"]),
    default="auto",
    show_default=True,
    help="What the file is.",
)
@engine_command
async def take_over(engine: Engine, output: Output, path: Path, kind: str) -> None:
    """Import past sessions, or what `export` wrote; twice changes nothing.

    PATH is a transcript of Claude Code, Codex or opencode, a folder with any number of them, or
    a memory that `export` wrote.
    """
    from sakur4_core.harness.sources import Format, is_export

    if kind == Format.SAKUR4 or (kind == "auto" and is_export(path)):
        moved = await engine.take_over(path)
        output.show(
            moved,
            f"{moved.rows} rows, {moved.episodes} turns taken over; {moved.known} known before.",
        )
        return
    told = _Telling(output)
    wanted = None if kind == "auto" else Format(kind)
    done = await engine.importer.run(path, wanted, told.progress)
    output.tell(f"{done.new_episodes} turns were new.")
    output.show(done.report, _summary(done.report))


class _Telling:
    """Says how far an import is: each file once it is read, large ones on the way."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._next = 0
        self._file: Path | None = None

    def progress(self, file: Path, done: int, size: int) -> None:
        """Told after each piece of a file."""
        if file != self._file:
            self._file, self._next = file, 0
        if done >= self._next and size:
            self._next = done + max(size // 10, 4_000_000)
            self._output.tell(f"{visible(file.name)}: {min(100, 100 * done // size)} %")


def _summary(report: ImportReport) -> str:
    lines = [
        f"{report.sessions} sessions, {report.episodes} turns, {report.prompts} prompts,"
        f" {report.tool_calls} tool calls, {report.compactions} compactions.",
        f"{report.api_messages} API messages: {report.input_tokens:,} tokens in,"
        f" {report.cache_read_tokens:,} read from cache, {report.output_tokens:,} out.",
    ]
    if report.skipped_lines:
        first = report.skipped[0]
        where = f"{visible(first.file)}, " if first.file else ""
        lines.append(
            f"{report.skipped_lines} lines could not be read;"
            f" the first: {where}line {first.line}: {visible(first.reason)}."
        )
    if report.unknown_types:
        names = ", ".join(visible(name) for name in list(report.unknown)[:5])
        lines.append(
            f"{report.unknown_types} unknown types of lines were kept as they are: {names}."
        )
    if report.pending_bytes:
        lines.append(f"{report.pending_bytes:,} bytes at the end are no whole line yet.")
    return "\n".join(lines)


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@engine_command
async def backup(engine: Engine, output: Output, file: Path) -> None:
    """Copy the store to FILE while it is in use."""
    await engine.backup(file)
    output.show({"path": str(file)}, f"The store is copied to {visible(str(file))}.")


COMMANDS = (export, take_over, backup)
