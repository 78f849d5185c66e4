from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.context.text_cuts import ends_of, head_of, tail_of
from slowness import slowness

WHOLE = ["👩‍👩‍👧‍👦", "e\u0301", "🇩🇪", "\ud83d\ude00", "👍🏽", "न्", "\r\n", "❤\ufe0f"]


@pytest.mark.parametrize("unit", WHOLE)
def test_what_is_seen_as_one_character_is_not_parted(unit: str) -> None:
    text = unit * 30
    for most in range(40):
        for end in (head_of(text, most), tail_of(text, most)):
            assert end == unit * (len(end) // len(unit))
            assert most - len(unit) < len(end) <= most


def test_a_cut_moves_to_the_end_of_a_line_that_is_near() -> None:
    text = "first line\nsecond line\nthird line"
    assert head_of(text, 14) == "first line\nsec"
    assert head_of(text, 14, 5) == "first line\n"
    assert head_of(text, 19, 5) == "first line\nsecond l", "no line ends near"
    assert tail_of(text, 14) == "ine\nthird line"
    assert tail_of(text, 14, 5) == "third line"
    assert tail_of(text, 10, 5) == "third line", "a line begins there already"
    assert head_of(text, 99, 5) == tail_of(text, 99, 5) == text


@pytest.mark.slow
def test_a_heap_of_accents_is_cut_for_there_is_no_end_of_it() -> None:
    text = "e" + "\u0301" * 1_000_000
    started = time.process_time()
    assert len(head_of(text, 500_000)) == len(tail_of(text, 500_000)) == 500_000
    assert time.process_time() - started < 0.5 * slowness()


@given(st.text(st.characters() | st.sampled_from("\n\n\ud83d\ude00\u200d🇩🇪")), st.integers(0, 60), st.integers(0, 9))
def test_head_and_tail_are_ends_of_the_text_and_no_longer_than_asked(text: str, most: int, slack: int) -> None:
    head, tail, ends = head_of(text, most, slack), tail_of(text, most, slack), ends_of(text, most)
    assert text.startswith(head)
    assert text.endswith(tail)
    assert max(len(head), len(tail), len(ends)) <= most
    if len(text) <= most:
        assert head == tail == ends == text
