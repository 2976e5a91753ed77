"""The local counter: official vocabulary, no network, no text that makes it slow or abort."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import sys
from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sakur4_core.context import tokens
from sakur4_core.context.tokens import LocalCounter, distinct, has_own_tokenizer, pieces
from sakur4_core.errors import ConfigError

COUNTER = LocalCounter()


def test_the_vocabulary_is_the_official_file_under_the_name_that_tiktoken_looks_for() -> None:
    folder = resources.files("sakur4_core.context") / "vocabulary"
    data = (folder / tokens.VOCABULARY_FILE).read_bytes()
    address = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
    assert hashlib.sha256(data).hexdigest() == tokens.VOCABULARY_SHA256
    assert hashlib.sha1(address.encode()).hexdigest() == tokens.VOCABULARY_FILE
    assert "MIT License" in (folder / "LICENSE").read_text()


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("hello world", 2), ("<|endoftext|>", 7), ("naïve 東京 🙂", 5)],
)
def test_known_counts(text: str, count: int) -> None:
    assert COUNTER.count(text) == count


def test_loading_needs_no_network_and_leaves_the_environment_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setenv(tokens.CACHE_VARIABLE, "/elsewhere")
    assert tokens._load().name == "o200k_base"
    assert os.environ[tokens.CACHE_VARIABLE] == "/elsewhere"
    monkeypatch.delenv(tokens.CACHE_VARIABLE)
    tokens._load()
    assert tokens.CACHE_VARIABLE not in os.environ


def test_a_damaged_vocabulary_is_refused_and_not_deleted(tmp_path) -> None:
    file = tmp_path / tokens.VOCABULARY_FILE
    file.write_bytes(b"aGk= 0\n")
    with pytest.raises(ConfigError, match="damaged"):
        tokens._check(file)
    assert file.exists()
    with pytest.raises(ConfigError, match="cannot be read"):
        tokens._check(tmp_path / "missing")


@pytest.mark.parametrize("unit", ["a", " ", "\n", "\t", ".", "é", "😀", "ab+/"])
def test_a_long_run_of_one_thing_is_counted(unit: str) -> None:
    """A million spaces abort tiktoken's own pattern engine."""
    length = 1_000_000 if unit == " " else 100_000
    text = unit * (length // len(unit)) + "x"
    assert 0 < COUNTER.count(text) <= len(text.encode())


def test_pieces_join_to_the_text_and_seams_change_no_count() -> None:
    line = "def check(limit: int) -> bool:  # 7\n    return limit > 0\n\n\n"
    text = line * 2_000
    parts = list(pieces(text))
    assert len(parts) > 2
    assert "".join(parts) == text
    encoding = COUNTER._loaded()
    assert COUNTER.count(text) == len(encoding.encode_ordinary(text))


@given(
    st.text(alphabet=st.sampled_from(list("ab1 \t\r\n/.-'😀é{")), max_size=60),
    st.text(alphabet=st.sampled_from(list("ab1 \t\r\n/.-'😀é{")), max_size=60),
    st.sampled_from("aZ09"),
)
@settings(max_examples=80, deadline=None)
def test_a_cut_before_a_letter_that_begins_a_line_changes_no_count(
    before: str, after: str, first: str
) -> None:
    left, right = before + "\n", first + after
    assert COUNTER.count(left + right) == COUNTER.count(left) + COUNTER.count(right)


async def test_measure_counts_the_same() -> None:
    fresh = LocalCounter()
    long = "the limit is seven\n" * 1_000
    assert await fresh.measure("hello world") == 2
    assert await fresh.measure(long) == COUNTER.count(long)
    await fresh.warm()


def test_a_lone_surrogate_does_not_fail() -> None:
    assert COUNTER.count("a\ud800b") > 0


@given(st.lists(st.sampled_from(["", "a", "b c", "  d", "\r", "é1", "x\n\n"]), max_size=12))
@settings(max_examples=80, deadline=None)
def test_equal_lines_are_counted_once_and_the_count_is_the_same(lines: list[str]) -> None:
    text = "\n".join(lines)
    groups = distinct(text)
    assert sum(times * COUNTER.count(part) for times, part in groups) == COUNTER.count(text)


def test_a_long_text_of_few_lines_is_counted_exactly() -> None:
    text = "".join(f"step {n % 7} of the run\n  is fine\n" for n in range(4_000))
    assert len(text) > tokens.PIECE_CHARS
    assert COUNTER.count(text) == len(COUNTER._loaded().encode_ordinary(text))


def test_whose_tokenizer_it_is() -> None:
    assert has_own_tokenizer("gpt-5-codex")
    assert has_own_tokenizer("openai/o3-mini")
    assert not has_own_tokenizer("claude-sonnet-4-5")
    assert not has_own_tokenizer(None)


def test_importing_the_parts_is_cheap() -> None:
    code = (
        "import sys; import sakur4_core.context.window, sakur4_core.cache.coherence;"
        "print([m for m in ('tiktoken', 'numpy', 'genai_prices', 'httpx') if m in sys.modules])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"
