"""What reads like a lasting rule, and what does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sakur4_core.memory.constraints import detect
from sakur4_core.models import AnchorKind

SAFETY = AnchorKind.SAFETY_CONSTRAINT
TASK = AnchorKind.TASK_CONTRACT
FIX = AnchorKind.USER_CORRECTION

RULES = [
    ("Never edit the generated migrations.", SAFETY),
    ("Please never push directly to main.", SAFETY),
    ("You must never log customer e-mail addresses.", SAFETY),
    ("Don't touch anything under vendor/.", SAFETY),
    ("Do not commit without running the tests.", SAFETY),
    ("please don’t use any new dependency here", SAFETY),
    ("Network access is not allowed in tests.", SAFETY),
    ("The public API must not change.", SAFETY),
    ("Force pushes are forbidden on this branch.", SAFETY),
    ("Under no circumstances delete the audit table.", SAFETY),
    ("Always run `make lint` before you commit.", TASK),
    ("All endpoints must return JSON.", TASK),
    ("Every public function must have a docstring.", TASK),
    ("From now on, answer in German.", TASK),
    ("In this project we use pnpm, not npm.", TASK),
    ("Only touch files under src/billing.", TASK),
    ("Use only the standard library.", TASK),
    ("Make sure that every query is parameterised.", TASK),
    ("The handler should only accept POST.", TASK),
    ("No, the limit is seven.", FIX),
    ("Actually the config lives in settings.toml.", FIX),
    ("That's wrong, the port should be 8080.", FIX),
]

NO_RULES = [
    "Why does it never finish?",
    "Can you make sure the tests pass?",
    "Should we always retry?",
    "If the cache must be rebuilt, tell me.",
    "It never worked on my machine.",
    "The build fails with exit code 1.",
    "Please fix the login bug.",
    "I don't know what happened here.",
    "Don't worry about the colours.",
    "No problem, thanks a lot.",
    "Add a test for the empty list.",
    "There must have been a race.",
    "Look at src/auth.py and explain it.",
    "I was never told about this.",
    "Run the tests again.",
    "That is not the file I meant, sorry",
    "> Never edit this file.",
    "```\nnever do this\nalways do that\n```",
]


@pytest.mark.parametrize(("text", "kind"), RULES)
def test_a_rule_is_found_with_its_kind(text: str, kind: AnchorKind) -> None:
    found = detect(text)
    assert [(one.sentence, one.kind) for one in found] == [(text, kind)]
    assert 0 < found[0].confidence < 1
    assert found[0].rule


@pytest.mark.parametrize("text", NO_RULES)
def test_ordinary_talk_is_no_rule(text: str) -> None:
    assert detect(text) == ()


def test_rules_are_found_sentence_by_sentence() -> None:
    text = (
        "The orders page is slow. Never cache prices. Can you look at it?\n\n"
        "- always use integers for money\n- the header is fine\n"
    )
    assert [one.sentence for one in detect(text)] == [
        "Never cache prices.",
        "always use integers for money",
    ]


def test_words_are_matched_whole() -> None:
    assert detect("The mustard is nevertheless alwaysbroken.") == ()


@given(st.text(max_size=2_000))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for one in detect(text):
        assert one.sentence in text
