"""Units of a text: whole sentences of prose, whole lines of everything else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sakur4_core.consolidate.sentences import MOST_CHARS, split

PIECES = [
    *("a", "B", "1", ".", "!", "?", "…", "`", "```", "~~~", '"', "'", "(", ")", " ", "\n", "\r"),
    *(
        "\t",
        "- ",
        "# ",
        "e.g. ",
        "No. ",
        "。",
        "！",
        "日本",
        "é",
        "🙂",
        "\x00",
        "\x1b[0m",
        "\u2028",
    ),
    *("def f(x):", "src/a.py", "1.2.3", "The cat sat on the mat and", "x" * 120, "word " * 30),
]
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.lists(st.sampled_from(PIECES), max_size=60).map("".join),
)


def texts(source: str) -> list[str]:
    return [sentence.text for sentence in split(source)]


@pytest.mark.parametrize(
    "sentence",
    [
        "The handler is in src/auth.py.",
        "Version 1.2.3 of pkg.sub.mod needs 3.5 GB.",
        "See https://example.org/a.b?c=1.",
        "Some tools, e.g. Ruff and i.e. Mypy, ran.",
        "Ask Dr. Brandt or J. R. Novak about it.",
        "Compare no. 5 with fig. 2 and vs. The others.",
        "Use `a. B. c` and ``x ` y. Z`` here.",
        "Wait... then go on… slowly.",
        "It stores ids, names, etc. and nothing more.",
        "The U.S. Office pays.",
        "It takes 0.5 s. at most.",
        "Is it `what? No`?",
    ],
)
def test_what_holds_a_full_stop_within_stays_whole(sentence: str) -> None:
    assert texts(f"Before it. {sentence} After it.") == ["Before it.", sentence, "After it."]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", []),
        (" \n\t\r\n ", []),
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("it broke. then it worked.", ["it broke.", "then it worked."]),
        ("I said no. Then we left.", ["I said no.", "Then we left."]),
        ("Files, tests etc. Then more.", ["Files, tests etc.", "Then more."]),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ("It is **bold.** Next one.", ["It is **bold.**", "Next one."]),
        ("今日は晴れ。明日は雨！See it. 次へ", ["今日は晴れ。", "明日は雨！", "See it.", "次へ"]),
        ("「はい。」次。", ["「はい。」", "次。"]),
        ("# Plan\n- do this\n- do that", ["# Plan", "- do this", "- do that"]),
        ("1. Read it. Then run.\n2. Stop", ["1. Read it.", "Then run.", "2. Stop"]),
        ("```py\nx = 'a. B'\ny = 1\n```\nEnd.", ["```py", "x = 'a. B'", "y = 1", "```", "End."]),
        ("~~~\nOne two three four. Five.\n```", ["~~~", "One two three four. Five.", "```"]),
        ("a.py:3:See it. And this.\r\nb.py:4:x", ["a.py:3:See it. And this.", "b.py:4:x"]),
        ("    12\tSee it all. And this.", ["12\tSee it all. And this."]),
        ("  0%\r 50%\r100%\rdone", ["0%", "50%", "100%", "done"]),
    ],
)
def test_units(source: str, expected: list[str]) -> None:
    assert texts(source) == expected


def test_prose_that_is_wrapped_goes_on_in_the_next_line() -> None:
    first = "The nightly export of the ledger has been moved and starts at\n02:15 UTC."
    second = "Everything else that the service does is left as it was, and\nnobody minds."
    assert texts(f"{first} {second}\n\nBye.") == [first, second, "Bye."]


def test_short_lines_and_lists_end_where_they_end() -> None:
    long = "- a point about something that takes quite a lot of words to say"
    assert texts(f"{long}\n- another\nfine\nyes") == [long, "- another", "fine", "yes"]


def test_a_long_sentence_is_cut_at_a_clause_and_unbroken_text_is_left_out() -> None:
    clause = "this part of it says little but goes on for a good while;"
    source = " ".join([clause] * 12)
    found = texts(source)
    assert len(found) > 1
    assert all(text.endswith(";") for text in found)
    assert "".join(found).replace(" ", "") == source.replace(" ", "")
    assert texts(f"Before.\n{'x' * 500}\n{'word ' * 200}\nAfter.") == ["Before.", "After."]


def test_a_line_of_code_is_never_cut() -> None:
    line = "    return [" + ", ".join(f"'a. B{number}'" for number in range(20)) + "]"
    assert texts(line) == [line.strip()]
    assert texts(line * 4) == []


@settings(deadline=None)
@given(TEXTS)
def test_sentences_are_verbatim_in_order_and_of_bounded_length(source: str) -> None:
    at = 0
    for sentence in split(source):
        assert sentence.text == source[sentence.start : sentence.end]
        assert sentence.text == sentence.text.strip() != ""
        assert at <= sentence.start < sentence.end
        assert len(sentence.text) <= MOST_CHARS
        at = sentence.end


@settings(deadline=None)
@given(TEXTS)
def test_only_what_is_too_long_is_left_out(source: str) -> None:
    at = 0
    for start, end in [*((one.start, one.end) for one in split(source)), (len(source),) * 2]:
        gap = source[at:start].strip()
        assert not gap or len(gap) > MOST_CHARS
        at = end


HOSTILE = [
    *(
        "a",
        ".",
        "`",
        '"',
        "'",
        ". ",
        "`.`",
        '."',
        "``a`. ",
        ". A",
        "a, ",
        "e.g. ",
        "。",
        "\n",
        "\r",
    ),
    *("```\n", "~~~\n", "the,\n", "- ", "(", "_", "a_", "a1.", "word ", "word. ", " ", "1:", '…"'),
    *("The line is wrapped at about sixty columns and goes on and\r", "a" * 56 + " b c\n"),
]


@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.timeout(20)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    source = (unit * 200_000)[:200_000]
    assert all(len(sentence.text) <= MOST_CHARS for sentence in split(source))
