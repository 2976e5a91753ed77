"""Tools of the code index: map, symbols, impact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field
from sakur4_core import models as m

from sakur4_tui.mcp.registry import Reply, tool

if TYPE_CHECKING:
    from sakur4_tui.mcp.call import Call

Name = Annotated[str, Field(min_length=1, max_length=500)]


@dataclass(frozen=True, slots=True)
class MapAnswer:
    """The map and what it covers."""

    map: str
    tokens_used: int
    shown: tuple[str, ...]
    indexed_at: str | None
    coverage: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SymbolFound:
    """One definition. ``lines`` are the first and the last, 1-based."""

    qualified_name: str
    kind: str
    signature: str
    file: str
    lines: tuple[int, ...]
    hash: str
    source: str
    verified: bool


@dataclass(frozen=True, slots=True)
class SymbolsFound:
    """What is known by a name."""

    found: bool
    symbols: tuple[SymbolFound, ...]
    candidates: tuple[str, ...]
    note: str


@tool(core=True, reads=True)
async def code_get_repo_map(
    call: Call,
    token_budget: Annotated[int, Field(ge=1, le=200_000)],
    query: Annotated[str, Field(max_length=10_000)] | None = None,
    focus_paths: list[str] | None = None,
    names_only: bool = False,
) -> Reply[MapAnswer]:
    """The repository's most relevant files and signatures within a token budget. Read it
    before opening files."""
    found = await call.engine.repo_map(
        token_budget, focus=focus_paths or (), query=query, names_only=names_only
    )
    data = MapAnswer(found.text, found.tokens, found.shown, found.indexed_at, found.coverage)
    return Reply(data, found.text)


@tool(core=True, reads=True)
async def code_query_symbol(call: Call, name: Name) -> Reply[SymbolsFound]:
    """Where a function, class or constant is defined, with its source checked on disk."""
    answer = await call.engine.symbol(name)
    data = SymbolsFound(
        answer.found,
        tuple(
            SymbolFound(
                s.qualified_name,
                s.kind,
                s.signature,
                s.file,
                (s.line_start, s.line_end),
                s.hash,
                s.source,
                s.verified,
            )
            for s in answer.symbols
        ),
        answer.candidates,
        answer.note,
    )
    return Reply(data, _symbols_text(name, data))


def _symbols_text(name: str, data: SymbolsFound) -> str:
    blocks = [
        f"{s.kind} {s.qualified_name} {s.file}:{s.lines[0]}-{s.lines[1]}"
        f"{'' if s.verified else ' [unverified]'}\n{s.source}"
        for s in data.symbols
    ]
    if not data.found:
        near = f" Near names: {', '.join(data.candidates)}." if data.candidates else ""
        blocks.append(f"No symbol {name!r} is indexed.{near}")
    return "\n\n".join((*blocks, data.note) if data.note else blocks)


@tool(reads=True)
async def code_impact_of_change(
    call: Call, name: Name, depth: Annotated[int, Field(ge=1, le=20)] = 4
) -> Reply[m.Impact]:
    """Who calls a symbol, directly and through others. Ask before you change a signature."""
    found = await call.engine.impact(name, depth)
    return Reply(found, found.rendered or found.note)
