"""The outline of a conversation: questions, headings and operations, in their order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec.structs import replace

from builders import message
from desktop_app.conversation.conversation_outline import MAX_TEXT, headings_of, outline_of
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.message_rows import OperationRow

PIECES = (
    "# One",
    "## Two *words*",
    "Set\n===",
    "Three\n---",
    "```\n# no\n```",
    "> # in a quote",
    "words",
    "",
    "#no",
    "- # item",
)


def roles(*texts: str) -> list[Message]:
    """Return messages of the user and the model in turn."""
    return [message(Role.ASSISTANT if n % 2 else Role.USER, text, id=f"m{n}") for n, text in enumerate(texts)]


def test_questions_and_headings_are_in_order() -> None:
    messages = roles("Where to?", "# Harbour\n\nThere.\n\n## North\n\nor\n\n# Harbour", "And\n  then?", "Home.")
    lines = [(line.kind, line.text, line.index, line.level, line.place) for line in outline_of(messages)]
    assert lines == [
        ("question", "Where to?", 0, 0, 0),
        ("heading", "Harbour", 1, 1, 0),
        ("heading", "North", 1, 2, 0),
        ("heading", "Harbour", 1, 1, 1),
        ("question", "And then?", 2, 0, 0),
    ]


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("## Two *words* and `code`", [(2, "Two words and code")]),
        ("[A link](https://example.org) first\n===", [(1, "A link first")]),
        ("```\n# not this\n```", []),
        ("    # nor this", []),
        ("#nor this", []),
        ("> ### in a quote", [(3, "in a quote")]),
        ("1. # in a list", [(1, "in a list")]),
        ("- # in a list", [(1, "in a list")]),
        ("#", []),
        ("Text\n\n---\n\nText", []),
        ("#\ttab", [(1, "tab")]),
    ],
)
def test_headings_are_those_of_commonmark(text: str, headings: list[tuple[int, str]]) -> None:
    assert [(level, words) for level, words, _ in headings_of(text)] == headings


@given(st.lists(st.sampled_from(PIECES)).map("\n\n".join))
def test_as_many_headings_as_in_the_html_and_each_at_its_place(text: str) -> None:
    headings = headings_of(text)
    html = MarkdownIt("commonmark").render(text)
    assert [level for level, _, _ in headings] == [int(part[0]) for part in html.split("<h")[1:] if part[0].isdigit()]
    for _, words, place in headings:
        assert text.count(words) > place or "*" in text, "there is one more occurrence than before it"


def test_a_long_question_is_cut_and_system_prompts_are_left_out() -> None:
    first, second = message(Role.SYSTEM, "Be brief."), message(Role.USER, "why " * 1_000)
    (line,) = outline_of([first, second])
    assert line.index == 1
    assert len(line.text) <= MAX_TEXT
    assert line.text.startswith("why why")


def test_the_rest_of_a_stopped_reply_has_its_own_headings_and_no_question() -> None:
    question, reply = roles("Go on?", "# First")
    rest = replace(message(Role.ASSISTANT, "# Second"), continues=reply.id)
    assert [line.text for line in outline_of([question, reply, rest])] == ["Go on?", "First", "Second"]


def test_versions_are_counted_where_branches_part() -> None:
    messages = roles("One", "Yes.", "Two")
    lines = outline_of(messages, (), {"m1": 2, "m2": 3})
    assert [(line.kind, line.text, line.versions) for line in lines] == [
        ("question", "One", 1),
        ("reply", "Yes.", 2),
        ("question", "Two", 3),
    ]


def test_operations_follow_the_message_that_they_ended_at() -> None:
    messages = roles("One", "Yes.", "Two")
    done = OperationRow("c1", "compaction", 2.0, None, after_message_id="m1")
    rows = [done, replace(done, id="c2", is_undone=True), replace(done, id="c3", is_elsewhere=True)]
    lines = outline_of(messages, rows)
    assert [(line.kind, line.operation_id, line.index) for line in lines] == [
        ("question", "", 0),
        ("operation", "c1", 1),
        ("question", "", 2),
    ]
