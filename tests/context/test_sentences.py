from __future__ import annotations

import pytest

from desktop_app.context.extractive.passages import (
    Sentence,
    Voice,
    chance_to_matter,
    is_announcing,
    is_chatter,
    is_request,
    weight_of,
)


@pytest.mark.parametrize(
    ("text", "voice", "is_empty"),
    [
        ("Certainly!", Voice.MODEL, True),
        ("I apologize for the confusion.", Voice.MODEL, True),
        ("Would you like me to update the file?", Voice.MODEL, True),
        ("That's awesome, so happy for you!", Voice.PERSON, True),
        ("What do you mean?", Voice.PERSON, True),
        ("Thanks!", Voice.USER, True),
        ("谢谢你！", Voice.USER, True),
        ("Thanks to the cache, the request takes 3 ms instead of 200 ms on the same machine.", Voice.MODEL, False),
        ("Wow, last weekend we went camping!", Voice.PERSON, False),
        ("can we label every version?", Voice.USER, False),
        ("ok, use port 5433", Voice.USER, False),
    ],
)
def test_who_only_greets_agrees_or_asks_back_tells_nothing(text: str, voice: Voice, is_empty: bool) -> None:
    assert is_chatter(Sentence(text), voice) is is_empty


@pytest.mark.parametrize(
    ("more", "less", "voice"),
    [
        ("My name is Frank.", "The weather is fine.", Voice.USER),
        ("Never touch the vendor folder.", "Let me look at the vendor folder.", Voice.USER),
        ("NOTE: the vendor folder is large.", "The vendor folder is large.", Voice.USER),
        ("Fixed the cache key in `text.ts`.", "Let me check the cache key.", Voice.MODEL),
        ("我昨天去了北京。", "祝你今天开心！", Voice.USER),
    ],
)
def test_what_was_done_or_is_wanted_weighs_more_than_what_is_only_said(more: str, less: str, voice: Voice) -> None:
    assert weight_of(Sentence(more), voice) > weight_of(Sentence(less), voice)


def chance(text: str, *speakers: str, new_words: int = 5) -> float:
    return chance_to_matter([Sentence(text)], new_words, speakers)


def test_among_people_names_quotations_and_what_is_new_are_asked_for() -> None:
    assert chance("Then I saw Melanie there.") > chance("Then I saw Melanie there.", "Melanie")
    assert chance("Then I saw Mel there.") > chance("Then I saw Mel there.", "Melanie")
    assert chance('We read "the old house" there.') > chance("We read the old house there.")
    assert chance("It rained.", new_words=0) < chance("It rained.", new_words=9)


def test_an_annotation_in_brackets_is_not_heard() -> None:
    shown, plain = Sentence("Look at it. [photo: I was in Paris]"), Sentence("Look at it. ")
    assert shown.plain == plain.plain
    assert weight_of(shown, Voice.USER) == weight_of(plain, Voice.USER)


def test_announcements_and_requests_are_known() -> None:
    assert is_announcing("Let me check the file.")
    assert is_announcing("Here is the change:")
    assert not is_announcing("The file is checked and has four rows.")
    assert is_request("Could you draft a letter for me?")
    assert is_request("I'd like to book a flight to New York.")
    assert not is_request("Any other advice?"), "it does not say for what"
