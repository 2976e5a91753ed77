"""Call edges against 350 call sites labelled by hand, in five languages."""

from __future__ import annotations

from pathlib import Path

from call_sites import LANGUAGES, Score, compare, labelled, project_of
from cortex_store import stored_edges
from sakur4_core.engine import Engine
from sakur4_core.paths import Home


async def test_edges_are_right_and_most_calls_have_one(tmp_path: Path, home: Home) -> None:
    whole = Score()
    for language in LANGUAGES:
        root = project_of(language, tmp_path)
        async with Engine.open(root, store=":memory:", home=home) as engine:
            await engine.index()
            edges = await engine.workspace.database.read(stored_edges)
        score = compare(language, labelled(root), edges)
        assert score.sites >= 60, language
        assert score.precision >= 0.9, (language, score.wrong)
        whole.add(score)
    assert whole.sites >= 300
    assert whole.exact_precision >= 0.97, whole.wrong
    assert whole.precision >= 0.9, whole.wrong
    assert whole.recall >= 0.8, whole.missed
