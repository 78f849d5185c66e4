"""The composer: real keys into a real field."""

from __future__ import annotations

from time import perf_counter

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QApplication
from ui_scenes import show_widget

from desktop_app.ui.composer.composer import MAX_LINES, Composer
from desktop_app.ui.widgets.long_text import PIECE
from slowness import slowness


@pytest.fixture
def composer(qtbot):
    made = show_widget(Composer(), qtbot, 600, 120)
    made.take_focus()
    return made


def paste(composer: Composer, text: str, html: str = "") -> None:
    content = QMimeData()
    content.setText(text)
    if html:
        content.setHtml(html)
    composer.field.insertFromMimeData(content)


def test_enter_sends_what_was_typed_and_leaves_clearing_to_the_sender(composer, qtbot):
    assert not composer.button.isEnabled()
    for blank in ("", "   ", "\n\n"):
        composer.set_text(blank)
        with qtbot.assertNotEmitted(composer.send_requested):
            qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    composer.clear()
    qtbot.keyClicks(composer.field, "one")
    qtbot.keyClick(composer.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(composer.field, "two")
    composer.set_draft_tokens(1_204)
    assert composer.note.text() == "draft 1,204 tokens"
    with qtbot.waitSignal(composer.send_requested) as sent:
        qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert sent.args == [composer.text(), ()] == ["one\ntwo", ()]
    composer.clear()
    assert composer.text() == composer.note.text() == ""
    with qtbot.waitSignal(composer.field.queued_wanted):
        qtbot.keyClick(composer.field, Qt.Key.Key_Up)


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
    assert "Ctrl+Enter" in composer.note.text()
    with qtbot.waitSignal(composer.send_requested) as queued:
        qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    with qtbot.waitSignal(composer.send_now_requested) as at_once:
        qtbot.keyClick(composer.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert queued.args == at_once.args == ["next", ()]
    with qtbot.assertNotEmitted(composer.field.queued_wanted):
        qtbot.keyClick(composer.field, Qt.Key.Key_Up)
    with qtbot.waitSignal(composer.stop_requested):
        qtbot.mouseClick(composer.button, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(composer.field.escape_pressed):
        qtbot.keyClick(composer.field, Qt.Key.Key_Escape)
    composer.set_running(False)
    assert composer.text() == "next"
    with qtbot.waitSignal(composer.send_requested) as sent:
        qtbot.mouseClick(composer.button, Qt.MouseButton.LeftButton)
    assert sent.args == ["next", ()]


def test_fast_typing_is_told_seldom_and_whole(composer, qtbot):
    told: list[str] = []
    composer.draft_changed.connect(lambda draft: told.append(draft.text))
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


@pytest.mark.parametrize("text", ["x" * 1_000_000, "語 " * 150_000], ids=["no spaces", "not ASCII"])
def test_a_megabyte_can_be_pasted_and_typed_into(composer, qtbot, text):
    started = perf_counter()
    paste(composer, text)
    QApplication.processEvents()
    qtbot.keyClicks(composer.field, "!")
    assert perf_counter() - started < 2.0 * slowness()  # Qt's own way took 100 s for the second of these
    assert composer.text() == text + "!"


def test_long_lines_keep_exactly_their_newlines_and_no_formatting(composer, qtbot):
    text = "😀" * PIECE + "\n" + "b" * (3 * PIECE) + "\n\nend\u00a0here"
    paste(composer, text, "<b>in bold</b>")
    assert composer.text() == text
    qtbot.keyClick(composer.field, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    paste(composer, "one\ntwo\n")
    composer.field.selectAll()
    assert composer.field.createMimeDataFromSelection().text() == composer.text() == "one\ntwo\n" + text
    paste(composer, "a" * (2 * PIECE))
    qtbot.keyClick(composer.field, Qt.Key.Key_Left)
    paste(composer, "1\n2\n3")
    qtbot.keyClick(composer.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert composer.text() == "a" * (2 * PIECE - 1) + "1\n2\n3\na"


def test_alt_with_a_letter_is_a_command_and_types_nothing(composer, qtbot):
    qtbot.keyClick(composer.field, Qt.Key.Key_A, Qt.KeyboardModifier.AltModifier)
    assert composer.text() == ""
    typed = QKeyEvent(QKeyEvent.Type.KeyPress, Qt.Key.Key_A, Qt.KeyboardModifier.AltModifier, "\u00e5")
    QApplication.sendEvent(composer.field, typed)  # what Option makes of the key on a Mac
    qtbot.keyClicks(composer.field, "bA")
    assert composer.text() == "\u00e5bA"


@pytest.mark.parametrize(
    ("draft", "quote", "after"),
    [
        ("", "a", "> a\n\n"),
        ("Hm.", "a\n\nb", "Hm.\n\n> a\n>\n> b\n\n"),
        ("Hm.\n", "a", "Hm.\n\n> a\n\n"),
        ("", "```\nx = 1\n```", "> ```\n> x = 1\n> ```\n\n"),
        ("", "> once\n", "> > once\n\n"),
    ],
)
def test_a_quote_is_a_paragraph_of_its_own(composer, draft: str, quote: str, after: str) -> None:
    composer.set_text(draft)
    composer.quote(quote)
    assert composer.text() == after
    assert composer.field.textCursor().atEnd()
