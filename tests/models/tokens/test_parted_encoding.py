"""o200k is loaded in parts; texts have the same tokens in a part and in all."""

from __future__ import annotations

import logging
from functools import cache

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.context.counting.tokens import Overhead
from desktop_app.models.tokens.encoding import (
    OUTSIDE_PART,
    CountingMethod,
    FamilyTokenizer,
    PartedEncoding,
    TokenizerMissing,
    count_with,
    encoding_of,
    read_part,
    read_tiktoken_file,
)
from desktop_app.models.tokens.tokenizers import O200K, load_published, o200k
from desktop_app.paths import O200K_PART

WORDS = ("the", " parser", "Übergröße", "café", "naïve — “so”", "→ │ ✓ 🙂👍🏽", "1.250,75 €", "\n\n\t", "Žluťoučký kůň")
inside = st.text(st.characters(codec="utf-8").filter(lambda character: not OUTSIDE_PART.match(character)), max_size=40)


@cache
def everything() -> tiktoken.Encoding:
    return load_published(O200K)


def load_part() -> tiktoken.Encoding:
    return encoding_of(read_part(O200K_PART.read_bytes()), O200K.pattern)


@cache
def part() -> tiktoken.Encoding:
    return load_part()


def test_the_part_holds_tokens_of_the_vocabulary_at_their_ranks() -> None:
    ranks = read_tiktoken_file(O200K.file.read())
    tokens = read_part(O200K_PART.read_bytes())
    assert tokens.items() <= ranks.items()
    assert len(tokens) < 0.75 * len(ranks)


def test_the_part_holds_every_token_of_its_characters() -> None:
    tokens = read_part(O200K_PART.read_bytes())
    for token in read_tiktoken_file(O200K.file.read()):
        text = token.decode(errors="replace")
        if "\ufffd" not in text and not OUTSIDE_PART.search(text):
            assert token in tokens


@given(st.lists(st.sampled_from(WORDS) | inside).map("".join))
def test_a_text_of_its_characters_has_the_same_tokens_in_the_part(text: str) -> None:
    assert part().encode_ordinary(text) == everything().encode_ordinary(text)


def test_each_character_of_the_part_has_the_same_tokens() -> None:
    codes = (*range(0x250), *range(0x2000, 0x27C0), 0xFE0F, *range(0x1F300, 0x1FB00))
    for character in map(chr, codes):
        assert not OUTSIDE_PART.match(character)
        assert part().encode_ordinary(f"a {character}{character}") == everything().encode_ordinary(
            f"a {character}{character}"
        )


@given(st.lists(st.one_of(inside, st.text(max_size=30), st.sampled_from(["", "漢字", "привет", "\ud800", None]))))
def test_any_texts_have_the_same_tokens_whatever_was_loaded_or_released_before(texts: list[str | None]) -> None:
    parted = PartedEncoding(part, everything)
    for text in texts:
        if text is None:
            parted.release()
        else:
            tokens = parted.encode_ordinary(text)
            assert tokens == everything().encode_ordinary(text)
            parted.release()
            for token in tokens:
                assert parted.decode_single_token_bytes(token) == everything().decode_single_token_bytes(token)


def test_all_is_loaded_only_for_a_text_that_needs_it() -> None:
    loaded = list[str]()

    def load(name: str, encoding: tiktoken.Encoding) -> tiktoken.Encoding:
        loaded.append(name)
        return encoding

    parted = PartedEncoding(lambda: load("part", part()), lambda: load("all", everything()))
    assert not loaded
    for text in ("plain", "Größe — “so” 🙂", "漢字", "plain again"):
        parted.encode_ordinary(text)
    assert loaded == ["part", "all"]


def test_a_vocabulary_that_goes_away_after_its_part_was_loaded_is_replaced(caplog: pytest.LogCaptureFixture) -> None:
    def gone() -> tiktoken.Encoding:
        raise TokenizerMissing("the file is gone")

    parted = PartedEncoding(part, gone)
    tokenizer = FamilyTokenizer(Overhead(), [CountingMethod("o200k", True, lambda: count_with(parted))])
    assert tokenizer.count("plain text") == 2
    with caplog.at_level(logging.WARNING):
        assert tokenizer.count("漢字") == 2
    assert "o200k cannot be used: the file is gone" in caplog.text
    assert not tokenizer.is_exact


def test_o200k_loads_nothing_until_a_text_comes() -> None:
    o200k().release()
    assert o200k().encode_ordinary("hello") == everything().encode_ordinary("hello")
