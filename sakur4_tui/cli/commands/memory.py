"""Commands on what is remembered: recall, commit, sessions, staleness, dream, verify."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from sakur4_tui.cli.output import Output, first_line, pairs, quoted, table, visible
from sakur4_tui.cli.place import engine_command

if TYPE_CHECKING:
    from sakur4_core.engine import Engine

FOUND_A_PROBLEM = 3


@click.command("recall")
@click.argument("query", nargs=-1, required=True)
@click.option("-k", type=click.IntRange(1, 200), default=8, show_default=True, help="Hits.")
@click.option("--session", "session_id", metavar="ID", help="Only this session's turns.")
@click.option("--from", "other", metavar="PROJECT", help="Read another project's memory.")
@click.option(
    "--kind", "kinds", multiple=True, metavar="KIND", help="episode, summary or fact; repeatable."
)
@click.option("--budget", type=click.IntRange(1, 1_000_000), metavar="TOKENS")
@engine_command
async def recall(
    engine: Engine,
    output: Output,
    query: tuple[str, ...],
    k: int,
    session_id: str | None,
    other: str | None,
    kinds: tuple[str, ...],
    budget: int | None,
) -> None:
    """The best evidence for QUERY, best first."""
    found = await engine.recall(
        " ".join(query),
        k=k,
        session_id=session_id,
        project=other,
        kinds=kinds or None,
        budget_tokens=budget,
    )
    parts = [
        f"{hit.score:.3f}  {hit.kind} {visible(hit.id)}  {hit.tokens} tokens"
        f"{'  ! stale' if hit.stale else '  ? unverified' if hit.unverified else ''}\n"
        f"{quoted(hit.text, limit=12)}"
        for hit in found.hits
    ]
    output.show(found, "\n\n".join(parts) or "Nothing was found.")
    views = ", ".join(found.views)
    output.tell(
        f"{len(found.hits)} hits, {found.tokens} tokens, {found.elapsed_ms:.0f} ms: {views}."
    )
    for note in found.notes:
        output.tell(visible(note))


@click.command("commit")
@click.argument("role", type=click.Choice(["user", "assistant", "system", "tool"]))
@click.argument("content", required=False)
@click.option("--session", "session_id", required=True, metavar="ID")
@click.option("--tool-name", metavar="NAME")
@click.option("--tool-call-id", metavar="ID")
@click.option("--slot", "slot_id", type=int)
@click.option("--corrects", metavar="EPISODE", help="The turn that this one puts right.")
@click.option("--key", "idempotency_key", help="A repeated key stores nothing twice.")
@engine_command
async def commit(
    engine: Engine,
    output: Output,
    role: str,
    content: str | None,
    session_id: str,
    tool_name: str | None,
    tool_call_id: str | None,
    slot_id: int | None,
    corrects: str | None,
    idempotency_key: str | None,
) -> None:
    """Append one turn; without CONTENT it is read from standard input."""
    text = content
    if text is None:
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    done = await engine.commit_episode(
        role,
        text,
        session_id=session_id,
        slot_id=slot_id,
        tool_name=tool_name,
        tool_call_id=tool_call_id,
        corrects=corrects,
        idempotency_key=idempotency_key,
    )
    state = "stored before" if done.duplicate else "stored"
    lines = [
        f"#{done.seq} {done.episode_id} {state}: {done.token_count} tokens, "
        f"{done.facts_extracted} facts ({done.parser})."
    ]
    if done.redactions:
        lines.append(f"Redacted: {', '.join(done.redactions)}.")
    if done.anchor_proposal:
        lines.append(f"▲ A rule waits for a decision: {done.anchor_proposal}.")
    output.show(done, "\n".join(lines))


@click.command("sessions")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@engine_command
async def sessions(engine: Engine, output: Output, limit: int) -> None:
    """The sessions of this project, the one heard of last first."""
    found = await engine.sessions.list(limit)
    rows = [
        (
            visible(session.session_id),
            visible(session.harness),
            visible(session.model or "?"),
            visible(session.branch or "?"),
            (session.last_seen_at or session.created_at)[:19].replace("T", " "),
            first_line(session.title or "", 40),
        )
        for session in found
    ]
    head = ("session", "harness", "model", "branch", "last heard of (UTC)", "title")
    output.show(found, table(head, rows) if rows else "No session yet.")


@click.command("staleness")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@engine_command
async def staleness(engine: Engine, output: Output, limit: int) -> None:
    """The summaries that code or transcript have outlived."""
    found = await engine.staleness(limit=limit)
    parts = [f"{found.stale_count} of {found.total} summaries are stale ({found.stale_rate:.0%})."]
    for entry in found.entries:
        reasons = [
            f"  ! {visible(anchor.name)}  {visible(anchor.location)}  {visible(anchor.reason)}\n"
            f"    was  {first_line(anchor.value_at_write)}\n"
            f"    now  {first_line(anchor.value_now or '') or '(gone)'}"
            for anchor in entry.stale_anchors
        ]
        parts.append("\n".join([visible(entry.atlas_id), quoted(entry.content), *reasons]))
    output.show(found, "\n\n".join(parts))


@click.command("dream")
@click.option("--force", is_flag=True, help="Do not wait for the project to be quiet.")
@engine_command
async def dream(engine: Engine, output: Output, force: bool) -> None:
    """Run one consolidation pass now."""
    report = await engine.dream(force=force)
    if not report.ran:
        output.show(report, f"Did not run: {report.reason}")
        return
    done = ("promoted", "regenerated", "embedded", "archived", "pruned")
    skipped = [(f"skipped: {why}", count) for why, count in sorted(report.skipped.items())]
    output.show(report, pairs([*((name, getattr(report, name)) for name in done), *skipped]))


@click.command("verify")
@engine_command
async def verify(engine: Engine, output: Output) -> int:
    """Walk the transcript's chain; exit 3 where it is broken."""
    found = await engine.verify()
    where = "" if found.broken_seq is None else f" First bad turn: #{found.broken_seq}."
    state = "The chain holds" if found.ok else "The chain is broken"
    detail = f" {visible(found.detail)}" if found.detail else ""
    output.show(found, f"{state} over {found.episodes} turns.{where}{detail}")
    return 0 if found.ok else FOUND_A_PROBLEM


COMMANDS = (recall, commit, sessions, staleness, dream, verify)
