"""Code of a reply: folded when it is long, copied and saved as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QCoreApplication, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QFileDialog
from transcript_rows import row
from ui_scenes import actions, click, settle, tell, words

from desktop_app.conversation.events import MessageRecorded, ReplyStarted, TextDelta, TurnStarted
from desktop_app.conversation.message import Role, Text
from desktop_app.ui.transcript import text_flow
from desktop_app.ui.transcript.code_blocks import SHOWN_LINES, line_ends, longest_line
from desktop_app.ui.transcript.message_editor import MessageReader, save_code
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.transcript.segments import CODE_LINES
from desktop_app.ui.transcript.selection import position_at
from texts import SHOWN_AT_THE_END

CODE = "\n".join(f"value_{n} = {n}" for n in range(500))
REPLY = f"Here it is:\n\n```python\n{CODE}\n```\n\nAnd shorter:\n\n```\nx = 1\n```\n"


def painted_lines(view, key):
    layout = view.layout_of(view.transcript.row_of(key))
    return sum(flow.document.blockCount() for flow in layout.flows if flow.is_code)


@pytest.mark.row("U1", "code: folded, copied, saved")
def test_long_code_is_folded_and_unfolded_by_a_click(view, qtbot):
    view.transcript.open([row(0, Role.ASSISTANT, Text(REPLY))], ())
    settle(view, qtbot)
    folded = painted_lines(view, "m0")
    assert folded < 60
    click(view, qtbot, "m0", Action.FOLD)
    qtbot.waitUntil(lambda: painted_lines(view, "m0") == 501)
    click(view, qtbot, "m0", Action.FOLD)
    qtbot.waitUntil(lambda: painted_lines(view, "m0") == folded)


def test_the_head_of_long_code_stays_in_sight_and_copies(view, qtbot):
    long = "\n".join(f"value_{n} = {n}" for n in range(50))
    view.transcript.open([row(0, Role.ASSISTANT, Text(f"Here:\n\n```python\n{long}\n```\n\n" + "Text.\n\n" * 60))], ())
    view.go_to_start()
    settle(view, qtbot)
    layout = view.layout_of(0)
    (head,) = layout.code_heads
    (copy,) = [region for region in layout.hit_regions if region.action is Action.COPY_CODE]
    for scrolled in (200, 400):
        view.verticalScrollBar().setValue(round(view.heights.top(0) + head.box.top()) + scrolled)
        settle(view, qtbot)
        QGuiApplication.clipboard().setText("")
        at = QPoint(round(view.column_left + copy.box.center().x()), round(head.box.height() / 2))
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
        assert QGuiApplication.clipboard().text() == long
    view.verticalScrollBar().setValue(round(view.heights.top(0) + head.end) - 5)
    settle(view, qtbot)
    assert view.layout_of(0).shifted_head(head.end - 5)[1] == head.end - head.box.height() - head.box.top(), (
        "at its end"
    )
    assert view.layout_of(0).shifted_head(head.end + 5) is None


def test_folded_code_is_copied_as_a_whole(view, qtbot):
    view.transcript.open([row(0, Role.ASSISTANT, Text(REPLY))], ())
    settle(view, qtbot)
    click(view, qtbot, "m0", Action.COPY_CODE)
    assert QGuiApplication.clipboard().text() == CODE


@pytest.mark.parametrize(
    ("code", "copied"),
    [
        ("ls\n\n\n", "ls"),
        ("ls\x1b[201~\nmake", "ls[201~\nmake"),
        ("ls\x9b201~; make", "ls201~; make"),
        ("ls\x03\x15make\x7f", "lsmake"),
        ("\tif x:\n\t\tfoo(\u200d)", "\tif x:\n\t\tfoo(\u200d)"),
    ],
)
def test_what_is_copied_runs_nothing_when_it_is_pasted_into_a_terminal(view, qtbot, code, copied):
    view.transcript.open([row(0, Role.ASSISTANT, Text(f"```sh\n{code}\n```"))], ())
    settle(view, qtbot)
    click(view, qtbot, "m0", Action.COPY_CODE)
    assert QGuiApplication.clipboard().text() == copied
    view.copy("a\rmake\r\nb\x1b]0;t\x07", "")
    assert QGuiApplication.clipboard().text() == "amake\r\nb]0;t"


def test_code_that_was_seen_being_written_is_not_folded_under_the_readers_eyes(view, qtbot):
    tell(view.transcript, TurnStarted("c"), ReplyStarted("c", "m0", "Sonnet"), TextDelta("c", "m0", REPLY))
    qtbot.waitUntil(lambda: view.is_settled and painted_lines(view, "m0") == 501)
    tell(view.transcript, MessageRecorded("c", row(0, Role.ASSISTANT, Text(REPLY))))
    settle(view, qtbot)
    assert painted_lines(view, "m0") == 501


def test_found_text_in_folded_code_is_shown(view, qtbot):
    view.transcript.open([row(0, Role.ASSISTANT, Text(REPLY))], ())
    view.mark_text("value_499")
    assert view.show_occurrence("m0")
    qtbot.waitUntil(lambda: painted_lines(view, "m0") == 501)


def test_code_is_saved_under_the_name_that_is_chosen(view, qtbot, tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    view.transcript.open([row(0, Role.ASSISTANT, Text(REPLY))], ())
    settle(view, qtbot)
    said: list[str] = []
    view.copied.connect(said.append)
    click(view, qtbot, "m0", Action.SAVE_CODE)
    (dialog,) = view.window().findChildren(QFileDialog)
    assert dialog.selectedFiles() == [str(tmp_path / "code.py")]
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(said))
    assert (tmp_path / "code.py").read_text() == CODE + "\n"


def test_code_that_cannot_be_saved_says_why(tmp_path):
    (tmp_path / "folder").mkdir()
    assert "not saved" in save_code(tmp_path / "folder", "x")
    save_code(tmp_path / "a", "\ud800")
    assert (tmp_path / "a").exists()


LONG_LINE = "total = " + " + ".join(f"term_{n}" for n in range(60))
WIDE = f"```python\n{LONG_LINE}\nshort = 1\n```\n"


def code_flow(view):
    (flow,) = [flow for flow in view.layout_of(view.transcript.row_of("m0")).flows if flow.is_code]
    return flow


def lines_of_first(flow):
    return flow.document.begin().layout().lineCount()


def turn_wheel(view, by: QPoint, modifiers=Qt.KeyboardModifier.NoModifier):
    at = view.origin(0) + code_flow(view).box.center()
    where = QPointF(view.viewport().mapToGlobal(at.toPoint()))
    phase, button = Qt.ScrollPhase.NoScrollPhase, Qt.MouseButton.NoButton
    event = QWheelEvent(at, where, QPoint(), by, button, modifiers, phase, False)
    QCoreApplication.sendEvent(view.viewport(), event)


@pytest.fixture
def wide(view, qtbot):
    view.transcript.open([row(0, Role.ASSISTANT, Text(WIDE))], ())
    settle(view, qtbot)
    return view


def test_long_lines_are_wrapped_until_the_user_wants_them_whole(wide, qtbot):
    assert lines_of_first(code_flow(wide)) > 1
    click(wide, qtbot, "m0", Action.WRAP_CODE)
    qtbot.waitUntil(lambda: lines_of_first(code_flow(wide)) == 1)
    assert code_flow(wide).max_shift > 100
    click(wide, qtbot, "m0", Action.WRAP_CODE)
    qtbot.waitUntil(lambda: lines_of_first(code_flow(wide)) > 1)
    assert not code_flow(wide).max_shift


def test_code_with_short_lines_offers_no_choice(view, qtbot):
    view.transcript.open([row(0, Role.ASSISTANT, Text("```\nx = 1\n```"))], ())
    settle(view, qtbot)
    assert Action.WRAP_CODE not in actions(view, "m0")


def test_of_a_folded_block_only_what_is_shown_is_measured(view, qtbot, monkeypatch):
    measured = list[str]()
    monkeypatch.setattr(text_flow, "line_ends", lambda code: measured.append(code) or line_ends(code))
    view.transcript.open([row(0, Role.ASSISTANT, Text("```\n" + "a\n" * 5_000 + "```"))], ())
    settle(view, qtbot)
    assert set(measured) == {"\n".join("a" * SHOWN_LINES)}


@pytest.mark.parametrize("is_shifted", [False, True])
def test_the_wheel_scrolls_whole_lines_sideways_to_their_end(wide, qtbot, is_shifted):
    click(wide, qtbot, "m0", Action.WRAP_CODE)
    settle(wide, qtbot)
    shift = Qt.KeyboardModifier.ShiftModifier if is_shifted else Qt.KeyboardModifier.NoModifier
    back, on = (QPoint(0, 240), QPoint(0, -240)) if is_shifted else (QPoint(240, 0), QPoint(-240, 0))
    before = position_at(wide.layout_of(0), code_flow(wide).box.topLeft() + QPointF(200, 6))
    turn_wheel(wide, on, shift)
    assert code_flow(wide).shift == 120
    after = position_at(wide.layout_of(0), code_flow(wide).box.topLeft() + QPointF(200, 6))
    assert after > before
    for _ in range(100):
        turn_wheel(wide, on, shift)
    end = position_at(wide.layout_of(0), code_flow(wide).box.topRight() + QPointF(-2, 6))
    assert end == (0, len(LONG_LINE))
    for _ in range(100):
        turn_wheel(wide, back, shift)
    assert code_flow(wide).shift == 0


@given(st.lists(st.tuples(st.sampled_from(["", "\n"]), st.text("ab\n", max_size=6)), min_size=1))
def test_the_longest_line_is_found_through_all_pieces(pieces):
    text = pieces[0][1] + "".join(joint + piece for joint, piece in pieces[1:])
    line, length = longest_line((joint, line_ends(piece)) for joint, piece in pieces)
    assert length == max(map(len, text.split("\n")))
    assert any(one.startswith(line) and len(one) == length for one in text.split("\n"))


def test_a_message_of_very_many_pieces_is_shown_as_far_as_a_reader_goes_and_opened_whole(view, qtbot, monkeypatch):
    monkeypatch.setattr(text_flow, "MAX_SEGMENTS", 3)
    text = "\n\n".join(f"# Part {n}\n\n```\ncode {n}\n```" for n in range(9))
    tell(view.transcript, TurnStarted("c"), ReplyStarted("c", "m0", "Sonnet"), TextDelta("c", "m0", text))
    qtbot.waitUntil(lambda: view.is_settled)
    shown = " ".join(words(view, "m0"))
    assert ("code 0" in shown, "code 8" in shown, SHOWN_AT_THE_END in shown) == (True, False, True)
    tell(view.transcript, MessageRecorded("c", row(0, Role.ASSISTANT, Text(text))))
    settle(view, qtbot)
    shown = " ".join(words(view, "m0"))
    assert ("code 0" in shown, "code 8" in shown, SHOWN_AT_THE_END in shown) == (True, False, False)
    click(view, qtbot, "m0", Action.READ)
    (reader,) = view.window().findChildren(MessageReader)
    assert reader.text.written() == text
    reader.close()


def test_of_a_block_that_is_not_shown_to_its_end_all_is_copied_and_it_can_be_folded_again(view, qtbot, monkeypatch):
    monkeypatch.setattr(text_flow, "MAX_SEGMENTS", 3)
    view.transcript.open([row(0, Role.ASSISTANT, Text(REPLY))], ())
    settle(view, qtbot)
    click(view, qtbot, "m0", Action.FOLD)
    qtbot.waitUntil(lambda: Action.READ in actions(view, "m0"))
    click(view, qtbot, "m0", Action.COPY_CODE)
    assert QGuiApplication.clipboard().text() == CODE
    assert painted_lines(view, "m0") == 2 * CODE_LINES
    click(view, qtbot, "m0", Action.FOLD)
    qtbot.waitUntil(lambda: painted_lines(view, "m0") < 60)
