"""The composer: real keys into a real field."""

from __future__ import annotations

from time import perf_counter

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QApplication

from desktop_app.ui.composer.composer import MAX_LINES, Composer
from desktop_app.ui.composer.draft_field import PIECE
from slowness import slowness


@pytest.fixture
def composer(qtbot):
    made = Composer()
    made.resize(600, 120)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    made.take_focus()
    return made


def paste(composer: Composer, text: str, html: str = "") -> None:
    content = QMimeData()
    content.setText(text)
    if html:
        content.setHtml(html)
    composer.field.insertFromMimeData(content)


def test_enter_sends_what_was_typed_and_leaves_clearing_to_the_sender(composer, qtbot):
    qtbot.keyClicks(composer.field, "Hello there")
    with qtbot.waitSignal(composer.send_requested) as sent:
        qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert sent.args == ["Hello there"]
    assert composer.text() == "Hello there"
    composer.clear()
    assert composer.text() == ""


def test_shift_enter_starts_a_line(composer, qtbot):
    qtbot.keyClicks(composer.field, "one")
    qtbot.keyClick(composer.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(composer.field, "two")
    assert composer.text() == "one\ntwo"


@pytest.mark.parametrize("blank", ["", "   ", "\n\n"])
def test_nothing_is_not_sent(composer, qtbot, blank):
    composer.set_text(blank)
    with qtbot.assertNotEmitted(composer.send_requested):
        qtbot.keyClick(composer.field, Qt.Key.Key_Return)


def test_enter_chooses_a_word_while_an_input_method_composes(composer, qtbot):
    composer.set_text("は")
    QApplication.sendEvent(composer.field, QInputMethodEvent("にほ", []))
    with qtbot.assertNotEmitted(composer.send_requested):
        qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    chosen = QInputMethodEvent()
    chosen.setCommitString("日本")
    QApplication.sendEvent(composer.field, chosen)
    with qtbot.waitSignal(composer.send_requested) as sent:
        qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert sent.args[0].split() == ["は", "日本"]


def test_while_a_reply_is_written_the_button_stops_it_and_one_types_on(composer, qtbot):
    composer.set_running(True)
    qtbot.keyClicks(composer.field, "next")
    assert composer.button.text() == "Stop"
    with qtbot.assertNotEmitted(composer.send_requested):
        qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert "Stop" in composer.note.text()
    with qtbot.waitSignal(composer.stop_requested):
        qtbot.mouseClick(composer.button, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(composer.escape_pressed):
        qtbot.keyClick(composer.field, Qt.Key.Key_Escape)
    composer.set_running(False)
    assert composer.text() == "next"
    with qtbot.waitSignal(composer.send_requested) as sent:
        qtbot.mouseClick(composer.button, Qt.MouseButton.LeftButton)
    assert sent.args == ["next"]


def test_fast_typing_is_told_seldom_and_whole(composer, qtbot):
    told: list[str] = []
    composer.draft_changed.connect(told.append)
    qtbot.keyClicks(composer.field, "twenty quick letters")
    qtbot.waitUntil(lambda: bool(told) and told[-1] == "twenty quick letters")
    assert len(told) < 10


def test_the_field_grows_to_ten_lines_and_no_further(composer):
    composer.set_text("one")
    one = composer.field.height()
    composer.set_text("one\ntwo\nthree")
    three = composer.field.height()
    composer.set_text("\n".join(["line"] * MAX_LINES))
    ten = composer.field.height()
    composer.set_text("\n".join(["line"] * 40))
    assert one < three < ten == composer.field.height()
    composer.clear()
    assert composer.field.height() == one


def test_pasted_formatting_is_left_behind(composer):
    paste(composer, "plain words", "<b>plain</b> <i>words</i>")
    assert composer.text() == "plain words"
    assert not composer.field.document().toHtml().count("font-weight:700")


@pytest.mark.parametrize("text", ["x" * 1_000_000, "語 " * 150_000], ids=["no spaces", "not ASCII"])
def test_a_megabyte_can_be_pasted_and_typed_into(composer, qtbot, text):
    started = perf_counter()
    paste(composer, text)
    QApplication.processEvents()
    qtbot.keyClicks(composer.field, "!")
    assert perf_counter() - started < 2.0 * slowness()  # Qt's own way took 100 s for the second of these
    assert composer.text() == text + "!"


def test_long_lines_keep_exactly_their_newlines(composer, qtbot):
    text = "😀" * PIECE + "\n" + "b" * (3 * PIECE) + "\n\nend\u00a0here"
    paste(composer, text)
    assert composer.text() == text
    qtbot.keyClick(composer.field, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    paste(composer, "one\ntwo\n")
    assert composer.text() == "one\ntwo\n" + text
    composer.field.selectAll()
    assert composer.field.createMimeDataFromSelection().text() == "one\ntwo\n" + text


def test_lines_pasted_into_a_long_line_stay_lines(composer, qtbot):
    paste(composer, "a" * (2 * PIECE))
    qtbot.keyClick(composer.field, Qt.Key.Key_Left)
    paste(composer, "1\n2\n3")
    assert composer.text() == "a" * (2 * PIECE - 1) + "1\n2\n3a"
    qtbot.keyClick(composer.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert composer.text() == "a" * (2 * PIECE - 1) + "1\n2\n3\na"


def test_the_draft_says_what_it_costs(composer, qtbot):
    assert composer.note.text() == ""
    assert not composer.button.isEnabled()
    qtbot.keyClicks(composer.field, "hi")
    composer.set_draft_tokens(1)
    assert composer.note.text() == "draft 1 token"
    composer.set_draft_tokens(1_204)
    assert composer.note.text() == "draft 1,204 tokens"


def test_alt_with_a_letter_is_a_command_and_types_nothing(composer, qtbot):
    qtbot.keyClick(composer.field, Qt.Key.Key_A, Qt.KeyboardModifier.AltModifier)
    assert composer.text() == ""
    typed = QKeyEvent(QKeyEvent.Type.KeyPress, Qt.Key.Key_A, Qt.KeyboardModifier.AltModifier, "\u00e5")
    QApplication.sendEvent(composer.field, typed)  # what Option makes of the key on a Mac
    qtbot.keyClicks(composer.field, "bA")
    assert composer.text() == "\u00e5bA"
