"""Words with ß and with ss are the same word for each search."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.conversation.words import MAX_SHARP, either_spelling, spellings_of


@pytest.mark.parametrize(
    ("text", "spellings"),
    [
        ("plain", {"plain"}),
        ("Strasse", {"Strasse", "Straße"}),
        ("Straße", {"Strasse", "Straße"}),
        ("Massstab", {"Massstab", "Maßstab"}),
    ],
)
def test_both_spellings_are_looked_for(text: str, spellings: set[str]) -> None:
    assert set(spellings_of(text)) == spellings


@given(st.text(st.sampled_from("asßẞS ."), max_size=20))
def test_a_spelling_is_among_those_of_each_other_one(text: str) -> None:
    found = spellings_of(text)
    assert len(found) <= 2**MAX_SHARP
    for spelling in found:
        assert spelling.casefold() == text.casefold()
        assert re.fullmatch(either_spelling(text), spelling, re.IGNORECASE)
