"""Words of nearly the same meaning, on a table made here and on the one that is shipped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.context.meanings import ALIKE, MIN_LIKENESS, Meanings, base_forms
from desktop_app.paths import WORD_MEANINGS

SIZE = 8  # bytes of a vector
WORDS = st.dictionaries(st.text("abcd", min_size=3, max_size=6), st.binary(min_size=SIZE, max_size=SIZE), min_size=1)


def table_of(vectors: dict[str, bytes]) -> bytes:
    names = "\n".join(vectors).encode()
    head = b"".join(number.to_bytes(4, "little") for number in (len(vectors), SIZE, len(names)))
    return head + names + b"".join(vectors.values())


@given(WORDS, st.data())
def test_a_word_is_most_like_itself_and_others_by_their_equal_signs(vectors: dict[str, bytes], data) -> None:
    word = data.draw(st.sampled_from(sorted(vectors)))
    (alike,) = Meanings(table_of(vectors)).alike([word])
    assert alike[word] == 1.0
    assert next(iter(alike)) == word
    assert len(alike) <= ALIKE + 1
    own = int.from_bytes(vectors[word], "big")
    for other, likeness in alike.items():
        equal = 8 * SIZE - (own ^ int.from_bytes(vectors[other], "big")).bit_count()
        assert likeness == pytest.approx((2 * equal - 8 * SIZE) / (8 * SIZE))
        assert likeness >= MIN_LIKENESS


@given(WORDS)
def test_the_group_of_several_words_has_others_near_all_of_them(vectors: dict[str, bytes]) -> None:
    table = Meanings(table_of(vectors))
    words = sorted(vectors)[:2]
    groups = table.alike(words)
    assert len(groups) == (3 if len(words) == 2 else 1)
    assert table.alike(words) == groups, "the second time from memory"
    if len(words) == 2:
        assert groups[-1].keys().isdisjoint(words)
        assert list(groups[-1].values()) == sorted(groups[-1].values(), reverse=True)
        twin = Meanings(table_of(vectors | {"twin": vectors[words[0]]})).alike([words[0], words[0]])
        assert next(iter(twin[-1].values())) == pytest.approx(2**0.5)


def test_a_word_that_the_table_lacks_is_only_itself() -> None:
    table = Meanings(table_of({"abc": bytes(SIZE)}))
    assert table.alike(["zebra"]) == ({"zebra": 1.0},)
    assert table.alike([]) == ()
    assert table.alike(["zebra", "abc"]) == ({"zebra": 1.0}, {"abc": 1.0})


@pytest.mark.parametrize(
    ("word", "base"), [("Refunded", "refund"), ("running", "run"), ("parties", "party"), ("moved", "move")]
)
def test_a_form_is_looked_up_by_its_word(word: str, base: str) -> None:
    assert base in base_forms(word)
    assert base_forms(word)[0] == word.lower()


@pytest.fixture(scope="module")
def shipped() -> Meanings:
    return Meanings(WORD_MEANINGS.read_bytes())


@pytest.mark.parametrize(
    ("word", "alike"),
    [("car", "vehicle"), ("doctor", "physician"), ("jogging", "running"), ("supper", "dinner"), ("begin", "start")],
)
def test_the_shipped_table_knows_words_of_the_same_meaning(shipped: Meanings, word: str, alike: str) -> None:
    assert alike in shipped.alike([word])[0]


def test_the_shipped_table_knows_what_two_words_mean_together(shipped: Meanings) -> None:
    assert "refund" in shipped.alike(["money", "back"])[-1]
