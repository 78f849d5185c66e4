"""The lines that an edit changes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextDocument
from transcript_rows import chat, result, row

from desktop_app.conversation.message import Role, ToolCall
from desktop_app.ui.transcript.call_diff import changes_in_call

LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=6), max_size=30)


def edit(old: str, new: str, name: str = "edit") -> ToolCall:
    return ToolCall("c", name, json.dumps({"path": "a.py", "old_text": old, "new_text": new}))


def test_removed_and_added_lines_with_what_is_around_them():
    old = "\n".join(f"line {n}" for n in range(20))
    new = old.replace("line 3\n", "LINE 3\n").replace("line 17", "line 17\nmore")
    assert changes_in_call(edit(old, new)) == (
        " line 1\n line 2\n-line 3\n+LINE 3\n line 4\n line 5\n …\n line 16\n line 17\n+more\n line 18\n line 19"
    )


@given(LINES, LINES)
def test_the_lines_before_and_after_can_be_told_from_it(old, new):
    said = (changes_in_call(edit("\n".join(old), "\n".join(new))) or "").split("\n")
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
    assert changes_in_call(ToolCall("c", "edit", json.dumps(arguments))) == "-one\n+two"


def test_a_whole_file_is_added_and_other_tools_contents_are_none_of_it():
    content = json.dumps({"path": "a", "content": "one\ntwo\n"})
    assert changes_in_call(ToolCall("c", "files__write_file", content)) == "+one\n+two"
    assert changes_in_call(ToolCall("c", "save_memory", content)) is None


def test_a_card_shows_the_change_in_colours_without_being_unfolded(view, qtbot):
    calls = row(2, Role.ASSISTANT, edit("one\ntwo", "one\nthree"))
    view.transcript.open([*chat(2), calls, result(3, "edit")], ())
    qtbot.waitUntil(lambda: view.is_settled)
    documents = [flow.document for flow in view.layout_of(view.transcript.row_of("m3")).flows]
    assert [document.toPlainText() for document in documents] == [" one\n-two\n+three", "done"]
    removed, added = (ground_of(documents[0], number) for number in (1, 2))
    assert removed != added
    assert ground_of(documents[0], 0) not in (removed, added)


def ground_of(document: QTextDocument, number: int) -> str:
    return document.findBlockByNumber(number).blockFormat().background().color().name()
