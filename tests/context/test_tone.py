from __future__ import annotations

import pytest

from desktop_app.context.extractive.sentence_kind import (
    Sentence,
    Voice,
    chance_to_matter,
    is_announcing,
    is_chatter,
    is_request,
    weight_of,
)


def weight(text: str, voice: Voice, *speakers: str) -> float:
    return weight_of(Sentence(text), voice, speakers)


@pytest.mark.parametrize(
    ("text", "voice"),
    [
        ("Excellent!", Voice.MODEL),
        ("Certainly!", Voice.MODEL),
        ("I apologize for the confusion.", Voice.MODEL),
        ("Would you like me to update the file?", Voice.MODEL),
        ("Wow, Caroline!", Voice.PERSON),
        ("That's awesome, so glad you felt accepted.", Voice.PERSON),
        ("Super stoked!", Voice.PERSON),
        ("What do you mean?", Voice.PERSON),
        ("Thanks!", Voice.USER),
        ("ok", Voice.USER),
    ],
)
def test_who_only_greets_agrees_or_asks_back_tells_nothing(text: str, voice: Voice) -> None:
    assert is_chatter(Sentence(text), voice)


@pytest.mark.parametrize(
    ("text", "voice"),
    [
        ("It builds successfully.", Voice.MODEL),
        ("Thanks to the cache, the request takes 3 ms instead of 200 ms on the same machine.", Voice.MODEL),
        ("Wow, last weekend we went camping!", Voice.PERSON),
        ("Yeah, I painted that lake sunrise when I was sixteen, in the summer house.", Voice.PERSON),
        ("can we label every version?", Voice.USER),
        ("ok, use port 5433", Voice.USER),
        ("you broke it", Voice.USER),
    ],
)
def test_what_tells_something_is_kept(text: str, voice: Voice) -> None:
    assert not is_chatter(Sentence(text), voice)


@pytest.mark.parametrize(
    ("more", "less", "voice"),
    [
        ("My name is Frank.", "The weather is fine.", Voice.USER),
        ("Never touch the vendor folder.", "The vendor folder is large.", Voice.USER),
        ("Fixed the cache key in `text.ts`.", "Let me check the cache key.", Voice.MODEL),
        ("The fix is in place now.", "Let me check how the theme selector works:", Voice.MODEL),
        ("Removed the legend from the chart of releases.", "You can look at the chart of releases.", Voice.MODEL),
        ("我昨天去了北京。", "今年的花很好看。", Voice.USER),
    ],
)
def test_what_was_done_weighs_more_than_what_is_only_said(more: str, less: str, voice: Voice) -> None:
    assert weight(more, voice) > weight(less, voice)


def chance(text: str, *speakers: str, fresh: int = 5) -> float:
    return chance_to_matter([Sentence(text)], fresh, speakers)


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("I went there yesterday.", "It was really nice there."),
        ("I adopted a dog.", "You have a lovely dog."),
        ("She loved the sea in Lisbon.", "She loved the sea in winter."),
        ('We read "the old house" there.', "We read the old house there."),
        ("我昨天去了那里。", "花很好看。"),
    ],
)
def test_names_times_and_own_deeds_are_asked_for(more: str, less: str) -> None:
    assert 0 < chance(less) < chance(more) < 1


def test_so_is_what_was_never_said_before() -> None:
    assert chance("It rained.", fresh=0) < chance("It rained.", fresh=9)


def test_the_name_of_the_other_is_no_news() -> None:
    assert chance("Then I saw Melanie there.") > chance("Then I saw Melanie there.", "Melanie")
    assert chance("Then I saw Mel there.") > chance("Then I saw Mel there.", "Melanie")


def test_an_annotation_in_brackets_is_not_heard() -> None:
    said = Sentence("I made this! [photo: a photo of a Bowl in Paris]")
    assert said.plain == "I made this! "
    assert weight("Look at it. [photo: I was in Paris]", Voice.USER) == weight("Look at it.", Voice.USER)


def test_announcements_and_requests_are_known() -> None:
    assert is_announcing("Let me check the file.")
    assert is_announcing("Here is the change:")
    assert not is_announcing("The file is checked.")
    assert is_request("Could you draft a letter for me?")
    assert is_request("I'd like to book a flight to New York.")
    assert not is_request("Any other advice?"), "it does not say for what"
    assert not is_request("The flight to New York is booked already.")
