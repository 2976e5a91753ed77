"""Real transcripts of agents import with the counts that were made by hand beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sakur4_core.engine import Engine

SAMPLES = Path(__file__).parents[4] / "shared" / "samples"
CODEX = "codex/rollout-"

# What ../shared/samples/README.md states of each file.
STATED: dict[str, dict[str, Any]] = {
    "claude-code/tool-use.jsonl": {
        "prompts": 1,
        "tool_calls": 1,
        "tool_results": 1,
        "api_messages": 2,
        "input_tokens": 18,
        "cache_creation_tokens": 7_461,
        "cache_read_tokens": 32_612,
        "output_tokens": 484,
        "context_tokens": 20_330,
        "compactions": 0,
    },
    "claude-code/compaction.jsonl": {
        "prompts": 5,
        "input_tokens": 50,
        "cache_creation_tokens": 0,
        "cache_read_tokens": 0,
        "output_tokens": 25,
        "compactions": 1,
    },
    f"{CODEX}2026-08-01T18-07-03-019fbcca-9fd4-7d20-83dc-0762b2f839b3.jsonl": {
        "tool_calls": 3,
        "tool_results": 3,
        "context_tokens": 4_380,
    },
    f"{CODEX}2026-01-02T03-04-05-11111111-1111-4111-8111-111111111111.jsonl": {
        "prompts": 1,
        "tool_calls": 3,
        "tool_results": 3,
        "context_tokens": None,
        "unknown_types": 1,
    },
    "codex/synthetic-reemission-compaction.jsonl": {
        "prompts": 2,
        "tool_calls": 1,
        "api_messages": 3,
        "input_tokens": 455_000,
        "cache_read_tokens": 350_000,
        "output_tokens": 470,
        "context_tokens": 15_020,
        "compactions": 1,
    },
    "opencode/sqlite/opencode.db": {
        "tool_calls": 1,
        "tool_results": 1,
        "input_tokens": 10,
        "output_tokens": 20,
    },
    "opencode/storage": {
        "prompts": 1,
        "tool_calls": 1,
        "tool_results": 1,
        "context_tokens": None,
    },
}


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="../shared/samples is not beside the project")
@pytest.mark.parametrize("name", STATED)
async def test_a_sample_has_the_counts_stated_of_it_and_twice_changes_nothing(
    engine: Engine, name: str
) -> None:
    first = await engine.importer.run(SAMPLES / name)
    stated = STATED[name]
    assert {key: getattr(first.report, key) for key in stated} == stated
    assert first.report.skipped_lines == 0
    turns = await engine.episodes.page(limit=100)
    again = await engine.importer.run(SAMPLES / name)
    assert again.new_episodes == 0
    assert again.report == first.report
    assert await engine.episodes.page(limit=100) == turns
