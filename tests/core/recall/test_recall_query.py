"""Queries, understood: words, names, phrases, paths, and no syntax."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sakur4_core.recall.query import MAX_TERMS, parse
from sakur4_core.words import name_parts, search_text


def expressions(text: str) -> list[str]:
    return [term.expression for term in parse(text).terms]


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("parseHTTPReply", ("parse", "HTTP", "Reply")),
        ("checkUser2Name", ("check", "User2", "Name")),
        ("utf8", ("utf8",)),
        ("URL", ("URL",)),
    ],
)
def test_humps_part_a_name(name: str, parts: tuple[str, ...]) -> None:
    assert name_parts(name) == parts


def test_indexed_text_keeps_the_text_and_adds_the_parts_of_names() -> None:
    assert search_text("call checkUser twice: checkUser") == (
        "call checkUser twice: checkUser\ncheck User"
    )
    assert search_text("plain words_here") == "plain words_here"
    assert search_text("名前x") == " 名  前 x"


def test_stop_words_are_left_out_and_words_are_distinct() -> None:
    assert expressions("What is the retry limit of the retry?") == ['"retry"', '"limit"']


def test_a_query_of_stop_words_has_no_terms() -> None:
    assert parse("what was that about?").terms == ()
    assert parse("  \n ").terms == ()


def test_a_name_is_looked_for_by_its_parts_and_as_phrases_in_either_spelling() -> None:
    query = parse("where is check_user called")
    assert query.names == ("check_user",)
    assert [term.expression for term in query.terms] == [
        '"check"', '"user"', '"called"', '"check user"', '"checkuser"',
    ]  # fmt: skip
    assert '"check user"' in expressions("checkUser fails")


def test_a_lone_name_may_be_half_typed() -> None:
    assert '"hand" *' in expressions("login_hand")


def test_quoted_words_are_a_phrase() -> None:
    assert '"connection pool exhausted"' in expressions('error "connection pool exhausted"')


def test_paths_are_known() -> None:
    assert parse("open src/auth.py and docs\\a.md").paths == ("src/auth.py", "docs/a.md")


def test_scripts_without_spaces_are_looked_for_in_pairs() -> None:
    assert expressions("接続失敗") == ['"接 続"', '"続 失"', '"失 敗"']


def test_a_document_as_a_query_is_bounded() -> None:
    assert len(parse(" ".join(f"word{n}" for n in range(50_000))).terms) == MAX_TERMS


@pytest.fixture(scope="module")
def index() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5 (text, tokenize = 'porter unicode61')")
    db.execute("INSERT INTO t VALUES ('anything at all')")
    return db


OPERATORS = st.sampled_from(
    ["AND", "OR", "NOT", "NEAR(", ")", '"', "*", "^", ":", "-", "{", "}", "text:", "+", "\0", "'"]
)


@given(st.lists(st.one_of(st.text(), OPERATORS)).map(" ".join))
def test_nothing_of_the_query_language_leaks(index: sqlite3.Connection, text: str) -> None:
    for term in parse(text).terms:
        index.execute("SELECT 1 FROM t WHERE t MATCH ?", (term.expression,)).fetchall()
