"""Texts that are made to hold the window. How long each one does is measured by `tests/bench/measure_bombs.py`."""

from __future__ import annotations

import pytest
from transcript_rows import row
from ui_scenes import settle, words

from bombs import TEXTS
from desktop_app.conversation.message import Role, Text
from desktop_app.ui.transcript.growing_text import GrowingText, segments_of
from desktop_app.ui.transcript.segments import CodeSegment, ProseSegment


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "name", ["quotes, each line deeper", "carriage returns", "links within links", "lists on one line"]
)
def test_it_is_shown_before_long(view, qtbot, name):
    """Each took over a minute, or ended the program."""
    view.transcript.open([row(0, Role.ASSISTANT, Text(TEXTS[name][:60_000])), row(1)], ())
    settle(view, qtbot)
    assert "message 1" in "\n".join(words(view, "m1"))


@pytest.mark.parametrize(
    "text",
    [">" * 25 + " deep", "- " * 30 + "item", "  " * 60 + "- item", "1. - " * 15 + "item", "```\n" + "> " * 40 + "a"],
)
def test_what_is_nested_deeper_than_anyone_writes_is_shown_as_it_was_written(text: str) -> None:
    [shown] = segments_of(text)
    assert isinstance(shown, CodeSegment)
    assert shown.text == text


@pytest.mark.parametrize("text", ["- " * 40, "* * * " * 20, "> > > quoted", "    - item\n" * 3, "-" * 80])
def test_what_people_write_is_not(text: str) -> None:
    assert not any(isinstance(segment, CodeSegment) and text == segment.text for segment in segments_of(text))


def test_lines_end_however_they_are_ended() -> None:
    [shown] = segments_of("one\r\ntwo\rthree\n")
    assert isinstance(shown, ProseSegment)
    assert shown.text == "one\ntwo\nthree"


@pytest.mark.parametrize("sign", ["word ", "x", "*a b* ", "- a ", "<b>", "#", ">"])
def test_a_paragraph_of_one_long_line_is_read_in_stretches(sign: str) -> None:
    text, stretches = "Begin " + sign * (120_000 // len(sign)) + "\n\nEnd", 0

    def has_time() -> bool:
        nonlocal stretches
        stretches += 1
        return True

    segments, left = GrowingText().segments_of(text, has_time)
    assert left == 0
    assert stretches > 5
    assert max(len(segment.text) for segment in segments) < 20_000
    joined = "".join(
        (" " if segment.goes_on == "paragraph" else "") + segment.text
        for segment in segments[:-1]
        if isinstance(segment, ProseSegment)
    )
    assert joined.rstrip() == text.partition("\n")[0].rstrip()
