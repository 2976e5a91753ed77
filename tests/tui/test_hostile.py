"""Text of others: shown, never obeyed, and never in the way of what stands beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from sakur4_core import events as e
from sakur4_core import models as m

from sakur4_tui.cells import fit_text, fold, visible, words

from .conftest import screen_text, settle, until
from .scene import ANCHORS, ITEMS, MAP, PLAN, PROPOSALS, SESSION, SESSIONS, STALE, FakeEngine, at

HOSTILE = (
    "[/nope] [bold red]x[/] [@click=app.quit]y[/]",
    "\x1b]0;title\x07\x1b[2J\x1b[31mred",
    "\n\t\r\x9b31m c1 \ud800 \u202e reversed \u2066 isolate",
    "漢字かな交じり文 " * 8,
    "👩‍👩‍👧‍👦 ❤️ 🏳️‍🌈 e\u0301\u0301 \u200b zero",
    "x" * 10_000,
    "",
)


@given(st.text(st.characters(codec=None), max_size=80))
def test_visible_lets_nothing_through_that_acts(text: str) -> None:
    shown = visible(text)
    assert all(character.isprintable() or character in "\u200c\u200d" for character in shown)
    assert "\x1b" not in shown
    assert "\n" not in shown


@given(st.text(max_size=60), st.integers(0, 40))
def test_a_fitted_text_has_the_width_asked_for(text: str, width: int) -> None:
    assert cell_len(fit_text(visible(text), width)) == width


@given(st.text(max_size=400), st.integers(4, 60))
def test_folded_lines_fit_and_lose_nothing_printable(text: str, width: int) -> None:
    lines = list(fold(text, width))
    assert all(cell_len(line) <= width for line in lines)
    kept = "".join("".join(lines).split())
    for character in text:
        if character.isalnum():
            assert character in kept


@given(st.text(max_size=400), st.integers(10, 60))
def test_wrapped_words_keep_their_bound(text: str, width: int) -> None:
    assert len(words(text, width, 3)) <= 3


def poison(fake: FakeEngine, text: str) -> FakeEngine:
    """The scene with ``text`` wherever others can put one."""
    stale = replace(STALE.entries[0].stale_anchors[0], name=text, location=text,
                    value_at_write=text, value_now=text, reason=text)  # fmt: skip
    items = tuple(replace(item, preview=text, tool_name=text, kept=text) for item in ITEMS)
    fake.known |= {
        "sessions": (replace(SESSIONS[0], harness=text, branch=text, title=text, model=text),
                     SESSIONS[1]),
        "staleness": replace(
            STALE, entries=(replace(STALE.entries[0], content=text, stale_anchors=(stale,)),)
        ),
        "anchors": tuple(replace(anchor, content=text) for anchor in ANCHORS),
        "repo_map": replace(MAP, text=f"{text}\n{MAP.text}",
                            files=(m.RankedFile(text, 1.0), *MAP.files)),
        "plan": replace(PLAN, items=items, notes=(text,)),
        "events": (
            e.Event(1, e.EPISODE_COMMITTED, at("10:42:07"), text, SESSION, text,
                    {"seq": text, "role": text, "tool": text, "tokens": text, "preview": text}),
            e.Event(2, text or "none", text, text, SESSION, text, {text: 1, "query": text}),
        ),
    }  # fmt: skip
    fake.proposals.waiting = (
        replace(PROPOSALS[0], asked_by=text, plan=replace(PLAN, items=items)),
        replace(PROPOSALS[1], asked_by=text, payload={"content": text, "kind": text}),
    )
    return fake


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_every_screen_stands_hostile_text(
    open_app: Any, fake: FakeEngine, text: str
) -> None:
    app = open_app(poison(fake, text))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        shown = screen_text(app)
        assert "cannot be drawn" not in shown
        assert app.main.facts.failures == {}
        check_grid(shown, 120)
        for key in ("enter", "escape", "down", "enter", "escape", "s"):
            await pilot.press(key)
            check_grid(screen_text(app), 120)
        assert "cannot be drawn" not in screen_text(app)


async def test_markup_is_shown_as_it_is(open_app: Any, fake: FakeEngine) -> None:
    app = open_app(poison(fake, HOSTILE[0]))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await until(pilot, lambda: "[/nope]" in screen_text(app))


def check_grid(shown: str, width: int) -> None:
    """Every line fills the terminal exactly and carries no control character."""
    for line in shown.splitlines():
        assert cell_len(line) == width, line
        assert all(character.isprintable() or character in "\u200c\u200d" for character in line)
