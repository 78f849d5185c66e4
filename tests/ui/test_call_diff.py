"""The lines that an edit changes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transcript_rows import chat, result, row
from ui_scenes import tell

from desktop_app.conversation.events import MessageRecorded, ReplyStarted, TurnStarted
from desktop_app.conversation.message import Role, ToolCall
from desktop_app.ui.transcript.call_diff import MAX_BEGUN, ChangedLines, changes_in_call
from desktop_app.ui.transcript.row_painter import Fill, RowLayout, TextLine
from desktop_app.ui.transcript.row_text import arguments_summary

LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=6), max_size=30)


def edit(old: str, new: str, name: str = "edit") -> ToolCall:
    return ToolCall("c", name, json.dumps({"path": "a.py", "old_text": old, "new_text": new}))


def text_of(changes: ChangedLines | None) -> str:
    return "\n".join(changes.begun) if changes else ""


def test_of_a_long_text_only_the_beginning_is_made():
    content = json.dumps({"path": "a", "content": "a\n" * 2_500_000 + "end"})
    changes = changes_in_call(ToolCall("c", "write_file", content))
    assert changes == ChangedLines(("+a",) * MAX_BEGUN, 2_500_001, 2_500_001, 0)
    changed = changes_in_call(edit("a\r\n" * 100_000, "b\r" * 100_000))
    assert changed == ChangedLines(("-a",) * MAX_BEGUN, 200_000, 100_000, 100_000)
    assert changed is not None
    assert changed.size == "+100000 −100000"
    assert text_of(changes_in_call(edit("a\n" * 500, "b\x0bc"))) == "-a\n" * 500 + "+b\n+c"


def test_removed_and_added_lines_with_what_is_around_them():
    old = "\n".join(f"line {n}" for n in range(20))
    new = old.replace("line 3\n", "LINE 3\n").replace("line 17", "line 17\nmore")
    assert text_of(changes_in_call(edit(old, new))) == (
        " line 1\n line 2\n-line 3\n+LINE 3\n line 4\n line 5\n …\n line 16\n line 17\n+more\n line 18\n line 19"
    )


@given(LINES, LINES)
def test_the_lines_before_and_after_can_be_told_from_it(old, new):
    said = text_of(changes_in_call(edit("\n".join(old), "\n".join(new)))).split("\n")
    assert {line[1:] for line in said if line[:1] == "-"} <= {*old, ""}
    assert {line[1:] for line in said if line[:1] == "+"} <= {*new, ""}
    assert set(old) - set(new) - {""} <= {line[1:] for line in said if line[:1] == "-"}


@pytest.mark.parametrize(
    "arguments", ["", "[1]", "{", '{"old_text": 3, "new_text": "x"}', '{"path": "a"}', "[" * 9_000]
)
def test_what_is_no_edit_has_none(arguments):
    assert changes_in_call(ToolCall("c", "edit", arguments)) is None


@pytest.mark.parametrize("names", [("old_string", "new_string"), ("oldText", "newText"), ("old", "new")])
def test_other_programs_name_their_arguments_otherwise(names):
    arguments = dict(zip(names, ("one", "two"), strict=True))
    assert text_of(changes_in_call(ToolCall("c", "edit", json.dumps(arguments)))) == "-one\n+two"


def test_a_whole_file_is_added_and_other_tools_contents_are_none_of_it():
    content = json.dumps({"path": "a", "content": "one\ntwo\n"})
    assert text_of(changes_in_call(ToolCall("c", "files__write_file", content))) == "+one\n+two"
    assert changes_in_call(ToolCall("c", "save_memory", content)) is None


def test_a_card_shows_the_change_in_colours_without_being_unfolded(view, qtbot):
    layout = card_of(view, qtbot, edit("one\ntwo", "one\nthree\nfour"))
    assert [flow.document.toPlainText() for flow in layout.flows] == [" one\n-two\n+three\n+four", "done"]
    removed, added, more = stripes_of(layout)
    assert removed.fill != added.fill == more.fill
    assert (removed.box.bottom(), added.box.bottom()) == (added.box.top(), more.box.top()), "no gap between the lines"
    assert removed.box.top() >= layout.flows[0].box.top() + removed.box.height() / 2, "the first line is unchanged"
    assert more.box.bottom() <= layout.flows[0].box.bottom() + 1


def test_the_head_of_a_card_counts_the_lines_and_leaves_them_to_the_diff(view, qtbot):
    assert arguments_summary(edit("one\ntwo", "one\nthree\nfour")) == "a.py +2 −1"
    content = json.dumps({"path": "a.py", "content": "one\ntwo\n", "mode": "new"})
    assert arguments_summary(ToolCall("c", "write", content)) == "a.py mode=new +2"
    assert "content=" in arguments_summary(ToolCall("c", "save_memory", content)), "which is shown nowhere else"


def test_what_is_offered_on_a_card_covers_nothing_of_its_head(view, qtbot):
    long = json.dumps({"command": "echo " + "a long command " * 40})
    layout = card_of(view, qtbot, ToolCall("c", "bash", long))
    offered = [region.box for region in layout.hit_regions if region.is_on_hover]
    words = next(drawn for drawn in layout.drawn if isinstance(drawn, TextLine) and drawn.text.startswith("echo"))
    assert offered
    assert not any(box.intersects(words.box) for box in offered)


def test_a_long_change_is_shown_whole_by_a_click_on_what_is_left(view, qtbot):
    whole = ToolCall("c", "write", json.dumps({"path": "a", "content": "line\n" * 30}))
    layout = card_of(view, qtbot, whole)
    (left,) = (region for region in layout.hit_regions if region.words and "18" in region.words.text)
    view.perform(left.action, left.argument)
    assert len(stripes_of(view.layout_of(view.transcript.row_of("m3")))) == 30


def test_a_card_that_waits_ends_with_its_change(view, qtbot):
    view.transcript.open(chat(2), ())
    called = MessageRecorded("v", row(2, Role.ASSISTANT, edit("one", "two")))
    tell(view.transcript, TurnStarted("v"), ReplyStarted("v", "m2", "Sonnet"), called)
    qtbot.waitUntil(lambda: view.is_settled)
    layout = view.layout_of(view.transcript.rowCount() - 1)
    assert stripes_of(layout)
    assert not [drawn for drawn in layout.drawn if isinstance(drawn, Fill) and drawn.box.top() >= layout.height - 1]


def card_of(view, qtbot, call: ToolCall) -> RowLayout:
    view.transcript.open([*chat(2), row(2, Role.ASSISTANT, call), result(3, call.name)], ())
    qtbot.waitUntil(lambda: view.is_settled)
    return view.layout_of(view.transcript.row_of("m3"))


def stripes_of(layout: RowLayout) -> list[Fill]:
    """The grounds of the lines of a diff: the only boxes of the card that are seen through."""
    return [drawn for drawn in layout.drawn if isinstance(drawn, Fill) and drawn.fill and drawn.fill.alphaF() < 1]
