"""Secrets are found in whatever notation they stand; ordinary code is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from redaction_corpus import ORDINARY, ordinary_lines, planted, tokens
from sakur4_core.memory.redaction import redact
from sakur4_core.memory.redaction.shadow import lowered, shadow_of

PLANTED = planted()
ORDINARY_TEXT = st.lists(st.sampled_from(ORDINARY), max_size=6).map("\n".join)
MIXED = st.lists(
    st.one_of(
        st.text(max_size=20),
        st.sampled_from([plant.text for plant in PLANTED]),
        st.sampled_from(list(tokens().values())).map(lambda token: token[: len(token) // 2]),
        st.sampled_from(
            ["password=", 'token: "', "[redacted:token]", "<private>", "</private>", "://a:", "@"]
        ),
        st.sampled_from(
            ["-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----", "\\n", "'"]
        ),
    ),
    max_size=8,
).map("".join)


@pytest.mark.parametrize("kind", sorted({plant.kind for plant in PLANTED}))
def test_field_defect_13_no_part_of_a_planted_secret_is_left(kind: str) -> None:
    for plant in (plant for plant in PLANTED if plant.kind == kind):
        redacted = redact(plant.text)
        assert redacted.types, plant.text
        assert all(f"[redacted:{found}]" in redacted.text for found in redacted.types)
        for secret in plant.secrets:
            # Nor most of it: a secret is taken out whole.
            length = len(secret) * 2 // 3
            assert secret[:length] not in redacted.text
            assert secret[-length:] not in redacted.text


def test_the_corpus_is_as_large_as_it_must_be() -> None:
    assert len(PLANTED) >= 40
    assert len({plant.kind for plant in PLANTED}) >= 15


def test_ordinary_code_passes() -> None:
    lines = ordinary_lines()
    changed = [line for line in lines if redact(line).text != line]
    assert len(lines) >= 2_000
    assert len(changed) / len(lines) <= 0.01, changed


def test_names_types_and_stand_ins_are_no_secrets() -> None:
    assert [line for line in ORDINARY if redact(line).text != line] == []


def test_what_stands_around_a_secret_stays() -> None:
    token = tokens()["github-token"]
    redacted = redact(f'{{"a": 1, "password": "x9!kd02mfy", "b": "{token}"}}')
    assert redacted.text == (
        '{"a": 1, "password": "[redacted:password]", "b": "[redacted:github-token]"}'
    )
    assert redacted.types == ("password", "github-token")


def test_private_parts_may_nest_and_need_no_end() -> None:
    text = "a <private>b <private>c</private> d</private> e <private>f"
    assert redact(text).text == "a [redacted:private] e [redacted:private]"


@given(text=st.one_of(st.text(), MIXED))
@settings(max_examples=150, deadline=None)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redact(text)
    again = redact(once.text)
    assert again.text == once.text
    assert again.types == ()


@given(text=ORDINARY_TEXT)
@settings(deadline=None)
def test_a_text_without_secrets_is_left_as_it_is(text: str) -> None:
    assert redact(text).text == text


@given(text=st.one_of(st.text(), MIXED, st.text(st.sampled_from("İıSK\\u0022%3D&quot;n\x1b[1m"))))
@settings(deadline=None)
def test_a_shadow_is_as_long_as_its_text(text: str) -> None:
    shadow = shadow_of(text)
    assert len(lowered(shadow)) == len(shadow) == len(text)


@pytest.mark.parametrize(
    "unit",
    [
        *("token=", 'password="', "sk-", "eyJ-eyJ1", "cookie: a=b; ", "://a:b", "<private>"),
        *("\\", "ghp_a\n", "authorization: ", "curl -u ", 'password=\\"', "api_key: x "),
        *("-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----\n"),
        "Private-Lines: 3\nABCDEFGHIJKLMNOPQRSTUVWX1234567890\n",
    ],
)
def test_hostile_repetition_ends(unit: str) -> None:
    """A quadratic detector would run into the suite's time limit on a text of this size."""
    text = unit * (40_000 // len(unit))
    assert redact(redact(text).text).types == ()
