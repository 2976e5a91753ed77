"""The renderer: each tier's text, and what a mask keeps."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sakur4_core.context.tiers import MASK_MIN_CHARS, Label, mask, render, stub
from sakur4_core.models import Role, Tier

LABEL = Label(88, Role.TOOL, "Bash")


def output(lines: int = 200) -> str:
    body = [f"step {index} is fine and says nothing of interest" for index in range(lines)]
    body[90] = "tests/test_auth.py:41: AssertionError: expired"
    body[91] = "wrote build/report/summary.html"
    body[120] = "command exited with code 2"
    return "\n".join(body)


def test_live_is_verbatim_and_archived_is_nothing() -> None:
    text = " as it is \n\n[/x]\t"
    assert render(Tier.LIVE, LABEL, text) == text
    assert render(Tier.ARCHIVED, LABEL, text) == ""
    assert render(Tier.DROPPED, LABEL, text) == ""


def test_a_mask_keeps_head_tail_errors_paths_and_exit_code() -> None:
    masked = mask(LABEL, output())
    assert masked.text.startswith("step 0 is fine")
    assert masked.text.endswith("step 199 is fine and says nothing of interest")
    assert "AssertionError: expired" in masked.text
    assert "build/report/summary.html" in masked.text
    assert "exit code 2" in masked.text
    assert "188 lines of #88 Bash left out · recall(#88)" in masked.text
    assert masked.kept == "head and tail, 1 error line, 1 path, exit code 2"
    assert len(masked.text) < len(output()) / 4


def test_a_small_text_is_not_masked() -> None:
    text = "x" * (MASK_MIN_CHARS - 1)
    assert mask(LABEL, text).text == text


def test_a_reference_is_one_line_that_names_the_way_back() -> None:
    content = "src/schema.sql\n" + "create table t (id integer);\n" * 40
    assert render(Tier.REFERENCED, Label(88, Role.TOOL, "Read"), content) == (
        "[#88 Read src/schema.sql · recall(#88)]"
    )


def test_field_defect_23_a_stub_longer_than_its_turn_is_never_used() -> None:
    assert stub(LABEL, "ok") == "ok"


@given(st.text(max_size=2_000), st.text(max_size=20))
@settings(max_examples=50, deadline=None)
def test_no_tier_is_longer_than_the_turn(content: str, tool: str) -> None:
    label = Label(1, Role.TOOL, tool)
    lengths = [len(render(tier, label, content)) for tier in (Tier.LIVE, Tier.MASKED)]
    assert lengths[1] <= lengths[0]
    assert len(render(Tier.REFERENCED, label, content)) <= len(content)


@given(st.text(min_size=200, max_size=400), st.text(max_size=40))
@settings(max_examples=50, deadline=None)
def test_text_of_others_cannot_break_out_of_a_stub(content: str, tool: str) -> None:
    line = stub(Label(5, Role.TOOL, tool), content)
    if line != content:
        assert line.count("[") == line.count("]") == 1
        assert len(line.splitlines()) == 1
        assert "\x1b" not in line


@pytest.mark.parametrize("unit", ["a", "a/", "./", "exit ", "../", "error", "a.b-"])
def test_no_text_makes_a_mask_slow(unit: str) -> None:
    """A pattern that backtracks would run into the suite's time limit here."""
    text = unit * (400_000 // len(unit)) + "\n" + (unit * (150 // len(unit)) + "\n") * 2_000
    mask(LABEL, text)
    stub(LABEL, text)
