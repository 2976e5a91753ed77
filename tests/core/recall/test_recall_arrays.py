"""The arrays behind recall: stems, postings, vectors, saved views, dates and traits."""

from __future__ import annotations

import sqlite3
import stat
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sakur4_core.recall.dates import Named, named_dates, stamped_minute
from sakur4_core.recall.meanings import lesson
from sakur4_core.recall.postings import COUNT_BITS, MOST, Postings
from sakur4_core.recall.saved_view import read_view, write_view
from sakur4_core.recall.stemming import stem
from sakur4_core.recall.terms import document_terms, name_terms
from sakur4_core.recall.traits import traits
from sakur4_core.recall.vectors import Vectors

WORDS = st.text(alphabet="abcdeghilnorstuvy", min_size=3, max_size=16)
DOCUMENTS = st.lists(st.dictionaries(WORDS, st.integers(1, 300), max_size=6), max_size=12)


@pytest.fixture(scope="module")
def fts() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = 'porter')")
    db.execute("CREATE VIRTUAL TABLE v USING fts5vocab (t, 'instance')")
    return db


@given(WORDS)
@example("byye")
@example("ies")
@example("eed")
def test_a_word_has_the_stem_that_the_full_text_index_gives_it(
    fts: sqlite3.Connection, word: str
) -> None:
    fts.execute("DELETE FROM t")
    fts.execute("INSERT INTO t VALUES (?)", (word,))
    assert fts.execute("SELECT term FROM v").fetchone()[0] == stem(word)


def test_field_defect_01_a_name_is_found_by_its_words_however_it_is_written() -> None:
    camel, snake = name_terms("checkUserNames"), name_terms("check_user_names")
    assert {"check", "user", "name", "_check_user_names"} <= set(camel) & set(snake)
    counts, words = document_terms("see src/auth.py for 接続失敗")
    assert ".src.auth" in counts
    assert {"接続", "続失", "失敗"} <= set(counts)
    assert words == 6


@given(DOCUMENTS, st.integers(0, 12))
def test_postings_are_the_same_before_and_after_a_merge(
    documents: list[dict[str, int]], merged_at: int
) -> None:
    postings = Postings.empty()
    for place, counts in enumerate(documents):
        if place == merged_at:
            postings = postings.merged()
        postings.add(place, counts)
    for state in (postings, postings.merged()):
        for term in {term for counts in documents for term in counts}:
            expected = [
                (place << COUNT_BITS) | min(counts[term], MOST)
                for place, counts in enumerate(documents)
                if term in counts
            ]
            assert state.of(term).tolist() == expected
            assert term in state.beginning(term[:2], 1_000)
        assert len(state.of("absent_")) == 0


def test_the_nearest_of_many_vectors_are_found_by_their_signs() -> None:
    made = np.random.default_rng(3).normal(size=(30_000, 256)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    vectors = Vectors(256)
    vectors.append(made[:20_500])
    vectors = Vectors(256, vectors.saved())
    vectors.append(made[20_500:])
    query = made[25_000] + 0.02
    rows, cosines = vectors.nearness(query, None)
    exact = np.argsort(-(made @ query))[:50]
    assert rows[np.argmax(cosines)] == 25_000
    assert len(set(exact.tolist()) & set(rows.tolist())) >= 40
    mask = np.zeros(30_000, dtype=bool)
    mask[[5, 29_999]] = True
    assert vectors.nearness(query, mask)[0].tolist() == [5, 29_999]


def test_a_view_is_read_as_written_by_its_owner_alone(tmp_path: Path) -> None:
    arrays = {"a": np.arange(7, dtype=np.int64), "none": np.zeros((0, 4), np.int8)}
    write_view(tmp_path / "views" / "x", {"k": "v"}, arrays)
    found = read_view(tmp_path / "views" / "x")
    assert found is not None
    assert found[0]["k"] == "v"
    assert found[1]["a"].tolist() == list(range(7))
    assert found[1]["none"].shape == (0, 4)
    assert stat.S_IMODE((tmp_path / "views" / "x").stat().st_mode) == 0o600


@given(st.data())
def test_a_damaged_view_is_not_read(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    file = tmp_path_factory.mktemp("view") / "x"
    write_view(file, {}, {"a": np.arange(64, dtype=np.int64)})
    whole = bytearray(file.read_bytes())
    if data.draw(st.booleans()):
        whole = whole[: data.draw(st.integers(0, len(whole) - 1))]
    else:
        # The last bytes are numbers; the padding between head and body means nothing.
        whole[-data.draw(st.integers(1, 512))] ^= 0xFF
    file.write_bytes(bytes(whole))
    assert read_view(file) is None


def test_weights_are_learned_from_a_number_of_turns_that_the_store_alone_decides() -> None:
    assert [lesson(turns) for turns in (0, 1, 3, 4, 588, 5_882)] == [0, 1, 1, 4, 256, 4_096]


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("What happened on 8 May, 2023?", [Named(2023, 5, 8)]),
        ("in June", [Named(None, 6, None)]),
        ("on July 5th", [Named(None, 7, 5)]),
        ("2023-05-08", [Named(2023, 5, 8)]),
        ("December 2022 or 2021", [Named(2022, 12, None), Named(2021, None, None)]),
        ("may I go, or march on?", []),
    ],
)
def test_the_dates_of_a_question(text: str, dates: list[Named]) -> None:
    assert list(named_dates(text)) == dates


def test_traits_of_a_turn() -> None:
    at = "2026-01-02T10:00:00+00:00"
    spoken = traits("[2023-05-08T13:56] Ada: are you there? [image: a dog]", at)
    assert (spoken.speaker, spoken.dated, spoken.asks) == ("ada", True, True)
    assert spoken.minute == stamped_minute("[2023-05-08T13:56] x")
    plain = traits("I was there in 2023 with them.", at)
    assert (plain.speaker, plain.dated, plain.asks) == ("", False, False)


@given(st.text())
def test_any_text_has_terms_and_traits(text: str) -> None:
    counts, words = document_terms(text)
    assert isinstance(counts, Counter)
    assert words >= 0
    traits(text, "2026-01-02T10:00:00+00:00")
    named_dates(text)
