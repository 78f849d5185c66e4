from __future__ import annotations

import pytest

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
