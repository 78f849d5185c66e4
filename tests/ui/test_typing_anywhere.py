"""What is typed where nothing takes it becomes part of the draft, and what was chosen leaves the keyboard there."""

from __future__ import annotations

from operator import attrgetter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from ui_scenes import is_idle, opened_sheet, play_scene, texts, until

from desktop_app.conversation.events import TurnStarted
from desktop_app.engine.protocol import Stop
from desktop_app.ui.bridge import CLOSING, EngineFailure
from desktop_app.ui.export_sheet import ExportSheet
from desktop_app.ui.model_picker import ModelPicker
from desktop_app.ui.widgets.buttons import Button


def type_letters(window, text: str) -> None:
    """Press the keys of the letters in whatever has the focus."""
    for letter in text:
        QTest.keyClicks(window.focusWidget(), letter)


@play_scene()
async def test_letters_after_a_click_on_a_message_are_written_and_edit_nothing(window, bridge):
    transcript = window.transcript
    QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton)
    assert transcript.hasFocus()
    type_letters(window, "hello, 2 eggs")
    assert window.composer.text() == "hello, 2 eggs"
    assert not transcript.editor.isVisible()


@play_scene()
async def test_letters_on_a_button_are_written_and_shortcuts_are_not(window, bridge):
    window.header.chip.setFocus()
    QTest.keyClick(window.header.chip, Qt.Key.Key_B, Qt.KeyboardModifier.MetaModifier)
    assert window.composer.text() == ""
    type_letters(window, "A b")
    assert window.composer.text() == "A b"


def begin_anew(window) -> None:
    """Press Ctrl+N, and write before the engine has answered."""
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    type_letters(window, "of the new one")


@pytest.mark.long
@play_scene()
async def test_letters_right_after_ctrl_n_are_of_the_new_conversation(window, bridge):
    before = window.chat.conversation
    window.transcript.setFocus()
    type_letters(window, "of the old one")
    begin_anew(window)
    await until(lambda: window.chat.conversation != before)
    assert window.composer.text() == "of the new one"
    window.chat.open(before)
    await until(lambda: window.chat.conversation == before)
    assert window.composer.text() == "of the old one"


@pytest.mark.long
@play_scene()
async def test_what_is_sent_right_after_ctrl_n_is_said_in_the_new_conversation(window, bridge):
    before = window.chat.conversation
    begin_anew(window)
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    await until(lambda: "of the new one" in texts(window) and is_idle(window))
    assert window.chat.conversation != before
    assert window.composer.text() == ""


@play_scene()
async def test_a_new_conversation_that_cannot_be_made_leaves_what_was_written_in_the_old_one(
    window, bridge, monkeypatch
):
    async def refuse(request: object) -> None:
        raise EngineFailure(CLOSING)

    before = window.chat.conversation
    type_letters(window, "of the old one")
    monkeypatch.setattr(bridge, "ask", refuse)
    begin_anew(window)
    await until(lambda: "of the old one" in window.composer.text())
    monkeypatch.undo()
    assert "of the new one" in window.composer.text()
    assert window.chat.conversation == before


@pytest.mark.parametrize("part", ["composer.field", "transcript", "sidebar.list", "header.chip", "panel.tabs"])
@pytest.mark.long
def test_escape_closes_the_editor_of_a_message_wherever_the_keyboard_is(play, part):
    async def scene(window, bridge):
        editor = window.transcript.editor
        window.recovery.edit_message()
        QTest.keyClicks(editor.field, "and more")
        attrgetter(part)(window).setFocus()
        assert not editor.isAncestorOf(window.focusWidget())
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
        assert not editor.isVisible()
        window.recovery.edit_message()
        assert editor.field.written().endswith("and more"), "what was typed is kept"

    play(scene)


@pytest.mark.parametrize("part", ["composer.field", "chat_pane.request.list", "sidebar.list", "panel.tabs"])
@pytest.mark.long
def test_escape_leads_back_from_the_x_ray_and_ends_the_walk_through_hits(play, part):
    async def scene(window, bridge):
        window.hit_bar.show_hit("tests", 1, 2)
        place = attrgetter(part)(window)
        (place if place.isVisible() else window.transcript).setFocus()
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
        assert not window.hit_bar.isVisible()
        window.request.show(True)
        place.setFocus()
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
        assert not window.chat_pane.is_request_shown
        assert window.transcript.hasFocus()

    play(scene)


@pytest.mark.long
@pytest.mark.parametrize("part", ["composer.field", "transcript"])
def test_escape_in_the_chat_stops_the_reply_and_leaves_the_editor(play, part):
    async def scene(window, bridge):
        window.recovery.edit_message()
        bridge.happened.emit(TurnStarted(window.chat.conversation))
        asked = []
        bridge.post = asked.append
        attrgetter(part)(window).setFocus()
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
        assert asked == [Stop(window.chat.conversation)]
        assert window.transcript.editor.isVisible()

    play(scene)


@play_scene()
async def test_a_sheet_keeps_what_is_typed_from_the_draft(window, bridge):
    window.export.open()
    sheet = await opened_sheet(window, ExportSheet)
    QTest.keyClicks(sheet.choose, "x")
    assert window.composer.text() == ""


@play_scene()
async def test_a_model_that_was_chosen_leaves_the_keyboard_in_the_draft(window, bridge):
    QTest.mouseClick(window.header.chip, Qt.MouseButton.LeftButton)
    await until(lambda: any(picker.isVisible() for picker in window.findChildren(ModelPicker)))
    (picker,) = window.findChildren(ModelPicker)
    QTest.keyClick(picker.field, Qt.Key.Key_Return)
    await until(window.toast.isVisible)
    assert window.focusWidget() is window.composer.field


def test_enter_presses_the_button_that_has_the_focus_once(qtbot):
    pressed, button = [], Button("Go")
    qtbot.addWidget(button)
    button.clicked.connect(lambda: pressed.append(1))
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
        QTest.keyClick(button, key)
    assert len(pressed) == 3
    held = QKeyEvent(QKeyEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "\r", True, 2)
    QApplication.sendEvent(button, held)
    assert len(pressed) == 3
