"""Whatever text or number the engine is given, it answers or raises its own error tree.

Arguments of another type than the signature names are the type checker's affair, and that of
the edges (the MCP schemas, the command line), so they are not tried here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sakur4_core.clock import FakeClock, SequentialIds
from sakur4_core.engine import Engine
from sakur4_core.errors import Sakur4Error
from sakur4_core.paths import Home

TEXTS = st.one_of(
    st.sampled_from(
        [
            "",
            " ",
            "\0",
            "\ud800",
            "s",
            "a\nb",
            "'; DROP TABLE episode; --",
            "[/red]\x1b[2J",
            '"unclosed AND (NEAR',
            "*",
            "-" * 5_000,
            "../../etc/passwd",
            "/dev/null",
            "ep_000000000000000000000001",
            "fact_0",
            "user",
            "tool",
            "session",
            "project",
            "task_contract",
            "2026-01-02T10:00:00.000000Z",
            "9999-99-99",
        ]
    ),
    st.text(st.characters(), max_size=60),
    # Lone surrogates, which hypothesis leaves out of its texts.
    st.text(st.characters(categories=["Cs", "Ll"]), max_size=6),
)
NUMBERS = st.one_of(
    st.sampled_from([0, 1, -1, 8, 2**31, 2**63 - 1, 2**63, -(2**63) - 1, 10**30]),
    st.integers(),
)
PATHS = st.sampled_from(
    [
        Path(name)
        for name in ("\0", "x" * 5_000, "missing/file", ".", "/dev/full", "\ud800", "plain", "\n")
    ]
)
SHARES = st.one_of(st.none(), st.floats(), st.sampled_from([0.0, 1.0, -1.0, 1e308]))
MAYBE_TEXT = st.none() | TEXTS
MAYBE_NUMBER = st.none() | NUMBERS

CALLS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "commit_episode": {
        "role": TEXTS,
        "content": TEXTS,
        "session_id": TEXTS,
        "slot_id": MAYBE_NUMBER,
        "tool_name": MAYBE_TEXT,
        "tool_call_id": MAYBE_TEXT,
        "corrects": MAYBE_TEXT,
        "idempotency_key": MAYBE_TEXT,
        "origin": TEXTS,
    },
    "recall": {
        "query": TEXTS,
        "k": NUMBERS,
        "session_id": MAYBE_TEXT,
        "project": MAYBE_TEXT,
        "kinds": st.none() | st.lists(TEXTS, max_size=3),
        "budget_tokens": MAYBE_NUMBER,
    },
    "repo_map": {
        "budget": NUMBERS,
        "focus": st.lists(TEXTS, max_size=3),
        "query": MAYBE_TEXT,
        "names_only": st.booleans(),
    },
    "symbol": {"name": TEXTS},
    "impact": {"name": TEXTS, "depth": NUMBERS},
    "pin": {
        "content": TEXTS,
        "kind": TEXTS,
        "scope": TEXTS,
        "session_id": MAYBE_TEXT,
        "pinned_by": TEXTS,
        "expires_at": MAYBE_TEXT,
    },
    "unpin": {"anchor_id": TEXTS, "by": TEXTS},
    "redact": {"episode": st.one_of(TEXTS, NUMBERS), "reason": TEXTS, "by": TEXTS},
    "render_item": {"episode_id": TEXTS, "tier": TEXTS},
    "anchors": {"session_id": MAYBE_TEXT},
    "put_summary": {
        "content": TEXTS,
        "anchors": st.lists(st.tuples(TEXTS, TEXTS), max_size=3),
        "session_id": MAYBE_TEXT,
    },
    "staleness": {"limit": NUMBERS},
    "fold": {"description": TEXTS, "goal": TEXTS, "session_id": TEXTS},
    "unfold": {"fold_id": TEXTS, "result_summary": TEXTS},
    "recall_fold": {"fold_id": TEXTS},
    "record_usage": {
        "session_id": TEXTS,
        "prompt_tokens": NUMBERS,
        "completion_tokens": MAYBE_NUMBER,
        "cache_read_tokens": MAYBE_NUMBER,
        "cache_write_tokens": MAYBE_NUMBER,
        "provider": MAYBE_TEXT,
        "model": MAYBE_TEXT,
        "message_id": MAYBE_TEXT,
    },
    "receipt": {"session_id": TEXTS},
    "reach": {"session_id": TEXTS},
    "receipts": {"session_id": TEXTS, "limit": NUMBERS},
    "tiers": {"session_id": TEXTS},
    "preview_plan": {
        "session_id": TEXTS,
        "target": SHARES,
        "without": st.lists(TEXTS, max_size=3),
    },
    "plan_eviction": {"session_id": TEXTS, "target": SHARES, "asked_by": TEXTS},
    "snapshot": {"session_id": TEXTS, "slot_id": MAYBE_NUMBER},
    "restore": {"snapshot_id": TEXTS},
    "recent_events": {"limit": NUMBERS},
    "export": {"target": PATHS},
    "take_over": {"source": PATHS},
    "backup": {"target": PATHS},
    "sessions.open": {
        "session_id": TEXTS,
        "harness": TEXTS,
        "parent_session": MAYBE_TEXT,
        "slot_id": MAYBE_NUMBER,
        "model": MAYBE_TEXT,
        "branch": MAYBE_TEXT,
        "title": MAYBE_TEXT,
    },
    "sessions.get": {"session_id": TEXTS},
    "sessions.list": {"limit": NUMBERS},
    "episodes.get": {"episode": TEXTS | NUMBERS},
    "episodes.page": {
        "session_id": MAYBE_TEXT,
        "role": MAYBE_TEXT,
        "tool_name": MAYBE_TEXT,
        "tier": MAYBE_TEXT,
        "text": MAYBE_TEXT,
        "before": MAYBE_NUMBER,
        "limit": NUMBERS,
    },
    "episodes.count": {"session_id": MAYBE_TEXT, "text": MAYBE_TEXT},
    "proposals.get": {"proposal_id": TEXTS},
    "proposals.approve": {"proposal_id": TEXTS, "items": st.none() | st.lists(TEXTS, max_size=3)},
    "proposals.reject": {"proposal_id": TEXTS, "reason": TEXTS},
    "proposals.undo": {"proposal_id": TEXTS},
}
# No argument of theirs is open.
NOT_TRIED = {"index", "dream", "verify", "status", "unknown_lines"}


class Bed:
    """An engine on a loop of its own, so that many examples share it."""

    def __init__(self, project: Path, home: Home) -> None:
        self._loop = asyncio.new_event_loop()
        self._context = Engine.open(project, home=home, clock=FakeClock(), ids=SequentialIds())
        self.engine = self._loop.run_until_complete(self._context.__aenter__())
        for content in ("Never delete the log of check_user.", "The limit is seven."):
            self._loop.run_until_complete(
                self.engine.commit_episode("user", content, session_id="s")
            )

    def call(self, name: str, arguments: dict[str, Any]) -> None:
        """Call a method; swallow what belongs to the error tree."""
        method: Any = self.engine
        for part in name.split("."):
            method = getattr(method, part)
        try:
            self._loop.run_until_complete(method(**arguments))
        except Sakur4Error as error:
            assert str(error)

    def healthy(self) -> bool:
        """Whether the store is none the worse."""
        verified = self._loop.run_until_complete(self.engine.verify())
        return verified.ok and not self.engine.workspace.database.degraded

    def close(self) -> None:
        self._loop.run_until_complete(self._context.__aexit__(None, None, None))
        self._loop.close()


@pytest.fixture
def bed(
    project: Path, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Bed]:
    monkeypatch.chdir(tmp_path)
    opened = Bed(project, home)
    yield opened
    opened.close()


@pytest.mark.parametrize("name", CALLS)
@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_only_the_engines_own_errors_leave_it(bed: Bed, name: str, data: st.DataObject) -> None:
    arguments = data.draw(st.fixed_dictionaries(CALLS[name]))
    bed.call(name, arguments)
    assert bed.healthy()


def test_every_public_coroutine_of_the_engine_is_tried() -> None:
    public = {
        name
        for name, member in vars(Engine).items()
        if asyncio.iscoroutinefunction(member) and not name.startswith("_")
    }
    assert public - NOT_TRIED <= set(CALLS)
