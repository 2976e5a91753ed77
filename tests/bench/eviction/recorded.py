"""What real agents said and saw: the demo's recorded session, and transcripts of any harness."""

from __future__ import annotations

import asyncio
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

from sakur4_core.engine import Engine
from sakur4_core.models import Episode, Role
from sakur4_core.paths import Home

DEMO = Path(__file__).parents[3] / "fixtures" / "demo" / "session.jsonl"
# Shorter outputs and remarks tell nothing that would be told of another thing.
DEMO_OUTPUT_CHARS = 400
OUTPUT_CHARS = 120
REMARK_CHARS = 20
# Harnesses cut outputs at about this length before a model sees them.
OUTPUT_CHARS_AT_MOST = 30_000


@dataclass(frozen=True, slots=True)
class Recorded:
    """Tool outputs, each with its tool, and remarks of agents."""

    outputs: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]

    def __add__(self, other: Recorded) -> Recorded:
        return Recorded(self.outputs + other.outputs, self.remarks + other.remarks)


def demo() -> Recorded:
    """The demo's recorded session."""
    steps = [json.loads(line) for line in DEMO.read_text("utf-8").splitlines()]
    turns = [s["arguments"] for s in steps if s.get("tool") == "memory_commit_episode"]
    return Recorded(
        tuple(
            (turn["tool_name"], turn["content"])
            for turn in turns
            if turn["role"] == "tool" and len(turn["content"]) > DEMO_OUTPUT_CHARS
        ),
        tuple(turn["content"].split("\n\n")[0] for turn in turns if turn["role"] == "assistant"),
    )


def imported(path: Path) -> Recorded:
    """The transcripts at ``path``, as the importer reads them; equal texts once.

    Raises:
        InvalidInput: There is no transcript.
    """
    with tempfile.TemporaryDirectory() as folder:
        episodes = asyncio.run(_import(path, Path(folder)))
    outputs, remarks = {}, {}
    for episode in episodes:
        text = episode.content.strip()
        if episode.role is Role.TOOL and len(text) >= OUTPUT_CHARS:
            outputs[episode.tool_name or "tool", text[:OUTPUT_CHARS_AT_MOST]] = True
        elif episode.role is Role.ASSISTANT and episode.tool_call_id is None:
            remark = text.split("\n\n")[0]
            if len(remark) >= REMARK_CHARS:
                remarks[remark] = True
    return Recorded(tuple(outputs), tuple(remarks))


async def _import(path: Path, folder: Path) -> list[Episode]:
    """Every episode that an import of ``path`` makes, oldest first."""
    root = folder / "project"
    root.mkdir()
    episodes: list[Episode] = []
    async with Engine.open(root, home=Home(folder / "home", folder / "home")) as engine:
        await engine.importer.run(path)
        before = None
        while page := await engine.episodes.page(before=before, limit=200):
            episodes += page
            before = page[-1].seq
    return episodes[::-1]
