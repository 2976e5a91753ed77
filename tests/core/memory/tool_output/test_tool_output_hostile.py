"""Whatever a tool prints, parsing ends, bounded, without an exception."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sakur4_core.memory.ledger import MAX_FACTS, extract
from sakur4_core.memory.tool_output import parse
from sakur4_core.memory.tool_output.finding import MAX_NAME, MAX_VALUE
from sakur4_core.memory.tool_output.output import MAX_LINE, SCAN_CHARS, read

SAMPLES = Path(__file__).parent / "samples"
WHOLE = [path.read_text(encoding="utf-8") for path in sorted(SAMPLES.iterdir())]
LINES = sorted({line for text in WHOLE for line in text.splitlines()})
MEGABYTE = 1_000_000

any_text = st.text(st.characters(), max_size=300)
# Lines of real outputs, shuffled and cut: near to what parsers look for, and wrong.
near_misses = st.lists(
    st.sampled_from(LINES)
    | any_text
    | st.sampled_from(LINES).map(lambda line: line[: len(line) // 2]),
    max_size=30,
).map("\n".join)


def check(text: str) -> None:
    extraction = extract(text, session_id="s", call="c")
    if len(text) < SCAN_CHARS:
        assert extraction == extract(text, session_id="s", call="c")
    assert "\n" not in extraction.summary
    assert len(extraction.facts) <= MAX_FACTS
    assert len({fact.fact_id for fact in extraction.facts}) == len(extraction.facts)
    for fact in extraction.facts:
        assert len(fact.qualified_name) <= MAX_NAME
        assert fact.value is not None
        assert len(fact.value) <= MAX_VALUE
        assert 0 <= (fact.line_start or 0) < 10**9
        f"{fact.qualified_name}{fact.value}{fact.file_path}".encode()
        assert "\0" not in f"{fact.qualified_name}{fact.value}{fact.file_path}"


@given(any_text)
def test_any_text(text: str) -> None:
    check(text)


@given(near_misses)
@settings(max_examples=200)
def test_lines_of_real_outputs_in_any_order(text: str) -> None:
    check(text)


@given(st.sampled_from(WHOLE), st.integers(0, 5_000), st.integers(0, 5_000))
@settings(max_examples=200)
def test_outputs_cut_anywhere(text: str, start: int, length: int) -> None:
    check(text[start : start + length])


@pytest.mark.parametrize(
    "unit",
    [
        "\n",
        " ",
        "a",
        "[",
        '{"a":',
        '"\\',
        "\x1b[",
        "\x1b]0;",
        "\r",
        "1,",
        "a,b\n1,2\n",
        "a::b PASSED (",
        "FAILED a::b[ - ",
        "a.py:1: error: x [a\n",
        "a.py:1: error: x" + " " * 1_900 + "\n",
        "/a.js\n  1:1  error  a" + " " * 1_900 + "\n",
        " a" + " " * 1_900 + "\n 1 file changed\n",
        "a.ts(1,1): error TS1: a\n",
        "# a\n./a.go:1:1: b\n",
        "--- a\n+++ b\n@@ -1,999999999 +1,999999999 @@\n+b\n",
        "diff --git a/a b/a\n",
        'Traceback (most recent call last):\n  File "a", line 1, in b\n',
        "Error: a\n    at b (c:1:1)\n",
        "    at ((((",
        "thread 'a' panicked at b:1:1:\n",
        "goroutine 1 [running]:\nmain.a()\n\ta.go:1 +0x1\n",
        "commit abcdef1\nAuthor: a\n\n    x\n",
        "```\n",
        "---- a stdout ----\nthread 'a' panicked at ",
        "HTTP/1.1 200 OK\nA: b\n",
        "exited with code ",
        "\ud800",
        "\0",
    ],
    ids=repr,
)
@pytest.mark.timeout(30)
def test_a_hostile_megabyte_ends(unit: str) -> None:
    check(unit * (MEGABYTE // len(unit)))


@pytest.mark.timeout(30)
def test_sixteen_megabytes_are_read_within_the_bound() -> None:
    closing = "=== 1 failed, 2 passed in 0.12s ==="
    text = "word " * (16 * MEGABYTE // 5) + "\n" + closing
    extraction = extract(text, session_id="s", call="c")
    assert extraction.parser == "pytest"
    assert extraction.summary == (
        f"pytest: 1 failed, 2 passed; read {SCAN_CHARS:,} of {len(text):,} characters"
    )


def test_a_line_that_the_gap_cuts_is_not_read() -> None:
    line = "src/a.c:1:1: error: nothing\n"
    output = read(line * (SCAN_CHARS // 10))
    assert {*output.lines} == {"", line.strip()}
    assert output.omitted > 0


def test_long_lines_are_cut_for_parsers_of_lines() -> None:
    assert len(read("x" * 10_000).lines[0]) == MAX_LINE
    assert read("x" * 10_000).document == "x" * 10_000


def test_numbers_too_large_for_the_store_are_no_lines() -> None:
    check("--- a\n+++ b\n@@ -1 +99999999999999999999 @@\n+x\n")
    check("a.c:99999999999999999999: error: x\n")


def test_escaped_surrogates_and_nul_in_json_are_storable() -> None:
    check(json.dumps({"a": "\ud800", "\0": "\0"}))
    assert parse('{"a": "\\ud800"}') is not None


def test_more_facts_than_are_kept_are_counted() -> None:
    text = "".join(f"src/a.c:{line}:1: error: wrong\n" for line in range(1, 2_001))
    extraction = extract(text, session_id="s", call="c")
    assert extraction.summary == "compiler: 2000 errors; kept 300 of 2,000 facts"


def test_failures_are_kept_before_what_passed() -> None:
    passed = "".join(f"t.py::test_{number} PASSED [ 50%]\n" for number in range(1_000))
    text = f"{passed}FAILED t.py::test_last - no\n1 failed, 1000 passed in 1.00s\n"
    names = [fact.qualified_name for fact in extract(text, session_id="s", call="c").facts]
    assert names[:2] == ["pytest", "t.py::test_last"]
