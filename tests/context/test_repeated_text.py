"""What a model says once more when it goes on, and what only looks like it."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from desktop_app.context.text_cuts import LOOK_BACK, MAX_BEGINNING, OverlapTrimmer
from slowness import slowness


def shown(before: str, *pieces: str) -> str:
    """What is shown of a continuation."""
    trimmer = OverlapTrimmer(before)
    return "".join(map(trimmer.push, pieces)) + trimmer.end()


STORY = "Once upon a time a quick brown fox lived beside the river. It jumped over every lazy dog that it could f"


@pytest.mark.parametrize(
    ("continuation", "rest"),
    [
        ("ind, and slept.", "ind, and slept."),
        ("could find, and slept.", "ind, and slept."),
        (" could find, and slept.", "ind, and slept."),
        ("It jumped over every lazy dog that it could find, and slept.", "ind, and slept."),
        (STORY + "ind, and slept.", "ind, and slept."),
        (
            "…that it could find, and slept. The dogs slept, too.",
            "…that it could find, and slept. The dogs slept, too.",
        ),
        ("…over every lazy dog that it could find, and slept.", "ind, and slept."),
        ("\n\nIt jumped over every lazy dog that it could find, and slept.", "ind, and slept."),
        ("So he jumped over every lazy dog that it could find, and slept.", "ind, and slept."),
        ("it jumped over every lazy dog that it could find, and slept.", "ind, and slept."),
        ("And then it went home, since it had jumped enough.", "And then it went home, since it had jumped enough."),
        ("", ""),
    ],
)
def test_what_is_repeated_of_a_sentence_is_trimmed(continuation: str, rest: str) -> None:
    assert shown(STORY, continuation) == rest


@pytest.mark.parametrize(
    ("before", "continuation", "rest"),
    [
        ("That is unbeliev", "unbelievable.", "able."),
        ("That is unbeliev", "able.", "able."),
        ("self.fo", "fo = 1", "fo = 1"),
        ("self.foo_b", "foo_bar = 1", "ar = 1"),
        ("It cost 100", "100 euros", "100 euros"),
        ("the quick brown ", "fox", "fox"),
        ("the quick brown ", " fox", "fox"),
        ("the quick brown ", "quick brown fox", "fox"),
        ("I said that ", "that is right", "that is right"),
        ("def f():\n    ", "    return 1", "    return 1"),
        ("我们应该先检查账单的总额", "检查账单的总额,然后再付款", ",然后再付款"),
        ("明日までにテスト", "テストを直します", "テストを直します"),
        ("Es kostet 12 Euro und der Preis wird 2025 erhö", "Preis wird 2025 erhöht", "ht"),
        ("A family 👨‍👩‍👧 went to the 🏖️ beach and pl", "went to the 🏖️ beach and played", "ayed"),
        ("1. Apples are red.\n2. Bananas are yel", "2. Bananas are yellow.", "low."),
        ("```python\nfor row in table:\n    total += row.pri", "    total += row.price\n", "ce\n"),
    ],
)
def test_words_lines_scripts(before: str, continuation: str, rest: str) -> None:
    assert shown(before, continuation) == rest


@pytest.mark.parametrize(
    ("before", "continuation"),
    [
        ("if a:\n  {\n    {\n    }\n", "    }\n  }\n"),
        ("<ul>\n  <li>a</li>\n  </ul>\n</div>\n", "</div>\n</div>\n"),
        ("0, 0, 0, 0, 0, 0, 0, 0,\n", "0, 0, 0, 0, 0, 0, 0, 0,\n"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", "| 1 | 2 |\n"),
        ("end if\nend if\n", "end if\nend if\n"),
        ("We sing: la la la la la la ", "la la la la and stop"),
        ("All work and no play.\nAll work and no play.\n", "All work and no play.\nNo end."),
        ("x = ", "x + 1"),
        ("----------------", "----------------\n"),
        ("", "Hello there, friend of mine"),
        ("He said: no. ", "No, never."),
    ],
)
def test_what_goes_on_as_it_began_is_left_alone(before: str, continuation: str) -> None:
    assert shown(before, continuation) == continuation


WORDS = st.lists(
    st.text("abcdefghijklmnopqrstuvwxyzäßжλ语", min_size=4, max_size=9), min_size=12, max_size=60, unique=True
)


@st.composite
def restarts(draw: st.DrawFn) -> tuple[str, str, str]:
    """A text, how far of it was said, and what of it is said after that: from some characters back on."""
    text = " ".join(draw(WORDS))
    cut = draw(st.integers(40, len(text)))
    back = draw(st.integers(20, cut))
    return text, text[:cut], text[cut - back :]


@given(restarts())
def test_whoever_begins_some_characters_back_is_understood(case: tuple[str, str, str]) -> None:
    text, before, continuation = case
    assert before + shown(before, continuation) == text


@given(st.text("ab }\n😀é", max_size=60), st.text("ab }\n😀é", max_size=120), st.data())
@example("{" * 30, "", None)
@example("a ", "   ", None)
def test_it_is_the_same_however_the_stream_is_cut(before: str, continuation: str, data: st.DataObject | None) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(continuation)), max_size=9))) if data else []
    pieces = [continuation[a:b] for a, b in zip([0, *cuts], [*cuts, len(continuation)], strict=True)]
    whole = shown(before, continuation)
    assert shown(before, *pieces) == shown(before, *continuation) == whole
    assert continuation.endswith(whole), "what remains is the end of what came"


@given(WORDS, WORDS)
def test_without_an_overlap_nothing_changes(said: list[str], more: list[str]) -> None:
    before, continuation = " ".join(said), " ".join(word for word in more if word not in said)
    assert shown(before, continuation) == continuation


def test_little_is_held_back_and_only_at_the_beginning() -> None:
    trimmer = OverlapTrimmer(STORY * 40)
    arrived = 0
    for letter in "This is what comes next in the story, and it has nothing to do with what came before.":
        arrived += 1
        if trimmer.push(letter):
            break
    assert arrived <= MAX_BEGINNING + 8
    assert trimmer.push("more") == "more"


def test_who_is_cut_short_while_saying_it_again_has_said_nothing_new() -> None:
    for begun, rest in (("It jumped over ev", ""), ("Then it slept", "Then it slept")):
        trimmer = OverlapTrimmer(STORY)
        assert trimmer.push(begun) + trimmer.cut() == rest
        assert trimmer.cut() == ""


@pytest.mark.slow
def test_looking_back_is_bounded_and_quick() -> None:
    before = "".join(f"line {n} of a long reply\n" for n in range(9_000))
    started = time.process_time()
    assert shown(before, *before[-LOOK_BACK:], "and on") == "and on"
    further = before[-LOOK_BACK - 100 :]
    assert shown(before, further, "and on") == f"{further}and on", "it is not looked for so far back"
    assert time.process_time() - started < 0.5 * slowness()
