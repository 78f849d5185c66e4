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
from desktop_app.context.ledger.prose import MAX_SENTENCE, Paragraph, is_prose, paragraphs, sentences, without_stamp


def test_sentences_of_a_paragraph() -> None:
    text = "It works. Does it? Yes! See v1.2 of config.py, i.e. the new one. 我们必须测试。现在开始。"
    assert sentences(text) == [
        "It works.",
        "Does it?",
        "Yes!",
        "See v1.2 of config.py, i.e. the new one.",
        "我们必须测试。",
        "现在开始。",
    ]


def test_list_points_lose_their_marks_and_headings_are_left_out() -> None:
    assert sentences("/undo\n/clear\n/ask why is it slow?") == ["why is it slow?"], "commands are no speech"
    text = "## What changed\n\n- first point\n2. second point\n* third\n\n**Summary**:\n\nDone so far."
    assert sentences(text) == ["first point", "second point", "third", "Done so far."]
    assert paragraphs("- a point\nno point") == [Paragraph("a point", True), Paragraph("no point", False)]


def test_a_hard_wrapped_paragraph_is_put_together_again() -> None:
    wrapped = (
        "Always start by trying to replicate the bug that the issue\n   discusses, before you change any code at all.\n"
    )
    assert sentences(wrapped) == [
        "Always start by trying to replicate the bug that the issue discusses, before you change any code at all."
    ]


def test_code_between_fences_is_not_speech() -> None:
    assert sentences("Try this:\n```py\nprint('never')\n```\nIt must print. ") == ["It must print."]
    assert sentences("```\nnever closed\nmust not be read") == []
    assert sentences("a" * (MAX_SENTENCE + 1)) == [], "data without an end is no sentence"


@pytest.mark.parametrize(
    "line",
    [
        "249:        *Bits A",
        "12: import os",
        "@@ -1,4 +1,4 @@",
        "+    return 3",
        "<<<<<<< SEARCH",
        "$ make test",
        "bash-$",
        "user@host:~/x$ ls",
        '  File "a.py", line 3, in f',
        "    at foo (a.js:3:4)",
        "2024-05-01 12:00:01,123 started",
        "[12:00:01] started",
        "ERROR: it broke",
        "| a | b |",
        "-----",
        "<div class='x'>",
        "[File: a.py (3 lines total)]",
        "(no output)",
        "import { a } from 'b';",
        "if (a == b) {",
        "return foo(bar);",
    ],
)
def test_what_was_pasted_is_not_speech(line: str) -> None:
    assert not is_prose(line)


@pytest.mark.parametrize(
    "line",
    [
        "please look at foo() in a.py and fix it",
        "If it didn't, issue another command to fix it.",
        "the x = y case is the one that I mean here",
        "return it to me when you are done",
        "for me it works",
        "我们使用 a=b 的写法，不要改",
        "- a list point that says something",
        "10:30 we meet",
    ],
)
def test_what_somebody_said_is_speech(line: str) -> None:
    assert is_prose(line)


def test_in_a_short_message_odd_lines_are_the_speakers_own() -> None:
    assert sentences("green diff is #b5bd68\nred diff = #283228") == ["green diff is #b5bd68", "red diff = #283228"]
    pasted = "\n".join(f"value_{n} = compute({n})" for n in range(60))
    assert sentences(f"why is this slow?\n{pasted}\nplease help me") == ["why is this slow?", "please help me"]


@pytest.mark.parametrize(
    ("text", "day", "rest"),
    [
        ("[1:56 pm on 8 May, 2023] Hey Mel!", "8 May, 2023", "Hey Mel!"),
        ("[2023-04-27] Hello.", "2023-04-27", "Hello."),
        ("[2023-04-27T10:00:00Z] Hello.", "2023-04-27", "Hello."),
        ("[12:09 am on 13 September, 2023] Hi", "13 September, 2023", "Hi"),
        ("[photo: a dog] Look!", "", "[photo: a dog] Look!"),
        ("no stamp", "", "no stamp"),
    ],
)
def test_a_stamp_is_told_from_what_was_said(text: str, day: str, rest: str) -> None:
    assert without_stamp(text) == (day, rest)


def test_a_table_of_columns_is_no_speech_and_one_gap_is() -> None:
    assert not is_prose("  % Total    % Received % Xferd  Average Speed   Time    Time", is_short=True)
    assert not is_prose("NAME      READY   STATUS    RESTARTS", is_short=True)
    assert is_prose("Wait     what is that?", is_short=True)


#


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
