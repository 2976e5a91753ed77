"""What a query is understood to ask for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sakur4_core.cortex.asking import MAX_NAMES, MAX_WORDS, Query, parts_of, stem, stems_of


def texts(query: Query) -> list[str]:
    return [word.text for word in query.words]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("encoding", "encoder"),
        ("closed", "closes"),
        ("propagate", "propagation"),
        ("registered", "register"),
        ("query", "queries"),
        ("running", "runs"),
    ],
)
def test_forms_of_a_word_are_one(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(("one", "other"), [("string", "strong"), ("user", "us"), ("cat", "cart")])
def test_other_words_are_not(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_a_name_falls_apart_and_stays_whole() -> None:
    assert parts_of("parseHTTPReply") == ["parse", "http", "reply", "parsehttpreply"]
    assert parts_of("check_user") == ["check", "user"]
    assert stems_of("Session.check_users") >= {stem("user"), stem("session")}


def test_words_said_again_and_said_first_weigh_more() -> None:
    query = Query.of("cookie session\n\nsession lock\nlock lock")
    weights = {word.text: word.weight for word in query.words}
    assert weights["session"] > weights["cookie"] == 1.0
    assert weights["lock"] > 0.5
    assert texts(query)[0] == "session"


def test_a_long_message_keeps_its_weightiest_words() -> None:
    filler = "\n".join(f"w{chr(97 + n // 26)}{chr(97 + n % 26)}xq" for n in range(400))
    query = Query.of(f"rename the scheduler\n{filler}\nscheduler")
    assert texts(query)[:2] == ["scheduler", "rename"]
    assert len(query.words) == MAX_WORDS and len(query.names) == MAX_NAMES


@given(st.text(max_size=400))
def test_any_text_is_read(text: str) -> None:
    query = Query.of(text)
    assert query == Query.of(text)
    assert all(word.weight > 0 and '"' not in word.text for word in query.words)
    assert len({word.stem for word in query.words}) == len(query.words)
