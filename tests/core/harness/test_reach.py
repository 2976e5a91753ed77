"""How far decisions reach: what puts a plan in effect, and what a compaction left of the rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sakur4_core.errors import NotFound
from sakur4_core.harness.reach import HOOKED
from sakur4_core.memory.anchors import render

from .claude_writer import SESSION, Writer, project_folder
from .test_tail import drain, following

RULE = "Never edit the generated migrations “by hand”."
HOOKS = (
    '{"hooks": {"SessionStart": [{"hooks": [{"type": "command",'
    ' "command": "/opt/bin/sakur4-tui hook claude-code SessionStart"}]}]}}'
)


async def test_rules_that_a_compaction_took_away_are_named_until_a_hook_brings_them_back(
    project: Path, private_home: Path
) -> None:
    writer = Writer(project)
    file = project_folder(private_home, project) / f"{SESSION}.jsonl"
    async with following(project, private_home) as (engine, follower):
        anchor = await engine.pin(RULE, kind="safety_constraint")

        async def missing() -> tuple[str, ...] | None:
            file.write_bytes(b"".join(writer.lines))
            await drain(follower)
            return (await engine.reach(SESSION)).missing

        writer.says("Fix the retry policy.")
        assert await missing() == (anchor.anchor_id,)
        writer.says(f"And remember: {RULE}")
        writer.answers("I will.", 1_000)
        assert await missing() == ()
        writer.compacts("The user wants the retry policy fixed.", 150_000)
        writer.answers("Going on.", 900)
        assert await missing() == (anchor.anchor_id,)
        writer.told_by_hook(render(await engine.anchors()))
        writer.answers("Noted.", 1_000)
        assert await missing() == ()
        reach = await engine.reach(SESSION)
        assert (reach.compactions, reach.enforced, reach.effect) == (1, False, "advised only")
        # What a hook of ours told is no rule that a person stated.
        assert await engine.proposals.pending() == ()


async def test_what_puts_a_plan_in_effect_depends_on_the_harness(
    project: Path, open_engine: Callable[..., Any], private_home: Path
) -> None:
    async with open_engine() as engine:
        for name in ("claude-code", "codex", "opencode", "somebody"):
            await engine.sessions.open(name, harness=name)
        said = {}
        for hooked in (False, True):
            if hooked:
                (project / ".claude").mkdir()
                (project / ".claude" / "settings.local.json").write_text(HOOKS)
            for name in ("claude-code", "codex", "opencode", "somebody"):
                said[name, hooked] = await engine.reach(name)
        assert {name for (name, _), reach in said.items() if reach.enforced} == {"claude-code"}
        assert said["claude-code", True].how == HOOKED
        assert "connect claude-code --hooks --write" in said["claude-code", False].sentence
        assert all(reach.missing is None for reach in said.values())
        with pytest.raises(NotFound):
            await engine.reach("nobody")
