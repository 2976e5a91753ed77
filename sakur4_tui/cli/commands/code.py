"""Commands that read the code: index, map, symbol, impact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sakur4_tui.cli.output import Output, quoted, table, visible
from sakur4_tui.cli.place import engine_command

if TYPE_CHECKING:
    from sakur4_core.engine import Engine


@click.command("index")
@click.option("--full", is_flag=True, help="Parse every file again, changed or not.")
@engine_command
async def index(engine: Engine, output: Output, full: bool) -> None:
    """Bring the code index up to date with the disk."""
    output.tell(f"Indexing {visible(str(engine.project.root))}.")
    report = await engine.index(full=full)
    skipped = ", ".join(f"{count} {status}" for status, count in sorted(report.skipped.items()))
    output.show(
        report,
        f"{report.files} files: {report.parsed} parsed, {report.unchanged} unchanged, "
        f"{report.removed} removed; not parsed: {skipped or 'none'}.\n"
        f"{report.facts} facts, {report.edges} edges, {report.elapsed_ms:.0f} ms.",
    )


@click.command("map")
@click.option("--budget", type=click.IntRange(1, 1_000_000), metavar="TOKENS")
@click.option("--focus", multiple=True, metavar="PATH", help="Rank what hangs on PATH higher.")
@click.option("--query", metavar="TEXT", help="Rank what TEXT speaks of higher.")
@click.option("--names-only", is_flag=True, help="Names without signatures.")
@engine_command
async def repo_map(
    engine: Engine,
    output: Output,
    budget: int | None,
    focus: tuple[str, ...],
    query: str | None,
    names_only: bool,
) -> None:
    """The repository's most central definitions within a token budget."""
    await engine.index()
    found = await engine.repo_map(
        budget or engine.settings.cortex.map_budget,
        focus=focus,
        query=query,
        names_only=names_only,
    )
    lines = (visible(line.expandtabs(4)) for line in found.text.splitlines())
    output.show(found, "\n".join(lines))
    output.tell(f"{found.tokens} of {found.budget} tokens, {len(found.shown)} files shown.")


@click.command("symbol")
@click.argument("name")
@engine_command
async def symbol(engine: Engine, output: Output, name: str) -> int:
    """The definitions known by NAME, as they stand on disk."""
    await engine.index()
    answer = await engine.symbol(name)
    parts = [
        f"{hit.kind} {visible(hit.qualified_name)}  "
        f"{visible(hit.file)}:{hit.line_start}-{hit.line_end}"
        f"{'' if hit.verified else '  ? not verified'}\n{quoted(hit.source, limit=60)}"
        for hit in answer.symbols
    ]
    if not answer.found:
        near = ", ".join(map(visible, answer.candidates))
        parts = [f"Nothing is known by {visible(name)}." + (f" Near: {near}." if near else "")]
    output.show(answer, "\n\n".join(parts))
    return 0 if answer.found else 1


@click.command("impact")
@click.argument("name")
@click.option("--depth", type=click.IntRange(1, 20), default=4, show_default=True)
@engine_command
async def impact(engine: Engine, output: Output, name: str, depth: int) -> int:
    """Who is reached by a change to NAME."""
    await engine.index()
    found = await engine.impact(name, depth)
    if not found.found:
        near = ", ".join(map(visible, found.candidates))
        text = f"Nothing is known by {visible(name)}." + (f" Near: {near}." if near else "")
    elif not found.callers:
        text = f"No caller of {visible(found.symbol)} is known; {found.unresolved} unresolved."
    else:
        rows = [
            (
                caller.depth,
                visible(caller.qualified_name),
                f"{visible(caller.file)}:{caller.line}",
                caller.kind,
                caller.confidence,
                {True: "! stale", False: "fresh", None: "? not checked"}[caller.stale],
            )
            for caller in found.callers
        ]
        text = table(("depth", "caller", "place", "kind", "confidence", "seen"), rows)
    output.show(found, text)
    return 0 if found.found else 1


COMMANDS = (index, repo_map, symbol, impact)
