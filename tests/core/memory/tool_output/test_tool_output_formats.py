"""Formats that fill a text as a whole, and what stands around an output."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sakur4_core.memory.tool_output import parse
from sakur4_core.memory.tool_output.finding import Findings, Parsed
from sakur4_core.memory.tool_output.json_reader import MAX_DEPTH, MAX_ITEMS, NotJson, walk


def values(text: str) -> dict[str, str]:
    parsed = parse(text)
    assert parsed is not None
    return {finding.name: finding.value for finding in parsed.findings}


def seen(text: str) -> Parsed:
    parsed = parse(text)
    assert parsed is not None
    return parsed


def test_field_defect_09_json_keeps_types_with_their_values() -> None:
    """FIELD_DEFECTS 9: a JSON fact keeps a type without its value."""
    text = '{"a": "x", "b": 1.50, "c": [true, null], "d": {}, "e f": {"g": []}}'
    assert values(text) == {
        "$.a": 'string "x"',
        "$.b": "number 1.50",
        "$.c[0]": "boolean true",
        "$.c[1]": "null null",
        "$.c.length": "number 2",
        "$.d": "object {}",
        '$["e f"].g.length': "number 0",
    }


def test_json_numbers_are_kept_as_written() -> None:
    huge = "9" * 6_000
    assert values("[1e999, -0.10]")["$[0]"] == "number 1e999"
    assert values(f'{{"n": {huge}}}')["$.n"].startswith("number 9999")


def test_json_arrays_and_values_are_bounded() -> None:
    parsed = seen(json.dumps({"list": list(range(1000)), "text": "x" * 10_000}))
    names = {finding.name: finding.value for finding in parsed.findings}
    assert f"$.list[{MAX_ITEMS - 1}]" in names
    assert f"$.list[{MAX_ITEMS}]" not in names
    assert names["$.list.length"] == "number 1000"
    assert len(names["$.text"]) == 500
    assert names["$.text"].endswith("…")


def test_deep_json_is_read_without_recursion() -> None:
    parsed = seen('{"a": 1, "deep": ' + "[" * 20_000 + "]" * 20_000 + "}")
    assert parsed.summary == f"JSON, 2 keys, {1 + MAX_DEPTH} fields"


def test_json_beyond_the_bound_says_what_was_read() -> None:
    parsed = seen(json.dumps([{"id": number, "name": "n" * 50} for number in range(20_000)]))
    assert parsed.parser == "json"
    assert "array of at least " in parsed.summary
    assert "; read 400,000 of 1," in parsed.summary


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
        ),
        max_leaves=20,
    ),
    st.sampled_from([None, 2]),
)
def test_json_agrees_with_the_standard_library(value: Any, indent: int | None) -> None:
    text = json.dumps({"root": value}, indent=indent)
    parsed = seen(text)
    assert parsed.parser == "json"
    assert f"{len({'root': value})} key," in parsed.summary


@given(st.text(alphabet='{}[]",:0123456789.-+eEtrufalsn\\ \n', max_size=40))
def test_only_json_is_claimed_as_json(text: str) -> None:
    try:
        walk(text, "$", Findings())
    except NotJson:
        return
    assert isinstance(json.loads(text), dict | list)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[1, 2",
        "[1 2]",
        '{"a" 1}',
        "[1,]",
        '{"a": 1,}',
        "{1: 2}",
        "[01]",
        "[INFO] ready",
        "{a}",
        '["\\x"]',
        "[1] see above",
        '"text"',
        "12",
        "[}",
        '{"a"}',
        "]",
    ],
)
def test_what_is_not_quite_json_is_none(text: str) -> None:
    assert parse(text) is None


def test_json_lines() -> None:
    text = '{"level": "info", "n": 1}\n{"level": "error", "n": 2}\n'
    assert seen(text).parser == "jsonl"
    assert values(text)["$[1].level"] == 'string "error"'
    assert values(text)["$.length"] == "number 2"
    assert parse('{"a": 1}\n{"a": }\n') is None


def test_a_result_wrapped_in_one_fence_is_read() -> None:
    assert seen('```json\n{"a": 1}\n```').parser == "json"


@pytest.mark.parametrize(
    ("text", "parser", "columns"),
    [
        (
            "id\tname\n1\tAnn\n2\tBob\n",
            "tsv",
            {"id": "integer, 2 values", "name": "text, 2 values"},
        ),
        ("a;b\n1,5;x\n2,5;y\n3;z\n", None, {}),
        (
            "name;count\nx;1\ny;2\n",
            "csv",
            {"name": "text, 2 values", "count": "integer, 2 values"},
        ),
        ("first,last,mail\na,b,c\nd,e,f\n", "csv", {"mail": "text, 2 values"}),
        (
            "day,at,x\n2026-01-02,2026-01-02T10:00:00Z,1e5\n,,\n",
            "csv",
            {"day": "date, 2 values, 1 empty"},
        ),
        # Not tables: no header, rows of unequal length, enumerations, sums of hashes.
        ("1,2\n3,4\n5,6\n", None, {}),
        ("id,name\n1,Ann\n2\n", None, {}),
        ("apples, pears\noranges, plums\nfigs, dates\n", None, {}),
        ("alice,admin\nbob,user\ncarol,user\n", None, {}),
        ("4.0K\t./src\n8.0K\t./docs\n12K\t.\n", None, {}),
        ("b8a27dd\tAda\n6fee4fb\tBob\n5f554aa\tAda\n", None, {}),
    ],
)
def test_tables(text: str, parser: str | None, columns: dict[str, str]) -> None:
    parsed = parse(text)
    if parser is None:
        assert parsed is None or parsed.parser not in ("csv", "tsv")
        return
    assert parsed is not None
    assert parsed.parser == parser
    found = {finding.name: finding.value for finding in parsed.findings}
    assert columns.items() <= found.items()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Exit code 1\nsomething failed", "1"),
        ("done\nexit code: 0", "0"),
        ("exit status 2", "2"),
        ("[exit code: 137]", "137"),
        ("Process exited with code 3", "3"),
        ("Command failed with exit code 127.", "127"),
        ("Process finished with exit code -1073741819", "-1073741819"),
        ("<exit_code>4</exit_code>", "4"),
        ("make[1]: *** [Makefile:7: test] Error 2\nmake: *** [all] Error 2", "2"),
        ("error: recipe\nRecipe `test` failed on line 12 with exit code 101", "101"),
        ("Exit code: 1\n\nExit code: 2", "2"),
    ],
)
def test_exit_codes(text: str, code: str) -> None:
    assert values(text)["exit_code"] == code


@pytest.mark.parametrize(
    "text",
    [
        "The exit code is 1 when a test fails.",
        "exit codes: 0 and 1",
        "code 1",
        "status: 200",
        "Returns 3",
        "exit code: one",
        "Error 2",
        "exit\n1",
    ],
)
def test_sentences_about_exit_codes_are_none(text: str) -> None:
    assert parse(text) is None


def test_an_exit_code_in_the_middle_of_a_text_is_not_its_own() -> None:
    text = "\n".join(["word"] * 10 + ["exit code: 1"] + ["word"] * 10)
    assert parse(text) is None


def test_headers_as_curl_and_wget_show_them() -> None:
    verbose = (
        "> GET / HTTP/1.1\n> Host: a\n>\n< HTTP/1.1 404 Not Found\n< Content-Type: text/html\n<\n"
    )
    assert seen(verbose).summary == "HTTP 404 Not Found, 1 header"
    wget = "  HTTP/1.1 200 OK\n  Server: nginx\n  Content-Length: 3\n"
    assert values(wget)["server"] == "nginx"
    assert parse("HTTP/1.1 200 OK") is None
    assert parse("HTTP/1.1 200 OK means that the request has succeeded.") is None


def test_a_removed_line_of_dashes_is_no_file_header() -> None:
    text = "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- old comment\n+++ new comment\n x\n"
    parsed = seen(text)
    assert [finding.name for finding in parsed.findings] == ["q.sql:1"]
    assert parsed.summary == "diff, 1 file, 1 added and 1 removed lines"


def test_plain_diffs_of_several_files() -> None:
    one = "--- {0}\t2026-01-01\n+++ {0}\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n"
    parsed = seen(
        one.format("a.py") + one.format("b.py") + "--- /dev/null\n+++ c.py\n@@ -0,0 +1 @@\n+c\n"
    )
    assert [finding.name for finding in parsed.findings] == [
        "a.py:1",
        "b.py:1",
        "c.py:new",
        "c.py:1",
    ]


def test_a_progress_line_counts_in_its_last_state() -> None:
    assert seen("10%\r50%\rexit code: 7\r\n").summary == "exit code 7"
