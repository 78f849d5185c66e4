"""What is typed where nothing takes it becomes part of the draft, and what was chosen leaves the keyboard there."""

from __future__ import annotations

import asyncio
from operator import attrgetter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget
from shiboken6 import isValid
from ui_scenes import is_idle, opened_sheet, optimize, play_scene, send, texts, until

from desktop_app.conversation.events import TurnStarted
from desktop_app.conversation.setup import Project
from desktop_app.engine.protocol import Stop
from desktop_app.ui.bridge import CLOSING, EngineFailure
from desktop_app.ui.importing.export_sheet import ExportSheet
from desktop_app.ui.model_picker import ModelPicker
from desktop_app.ui.widgets.buttons import Button


def type_letters(window, text: str) -> None:
    """Press the keys of the letters in whatever has the focus."""
    for letter in text:
        QTest.keyClicks(window.focusWidget(), letter)


@play_scene()
async def test_letters_after_a_click_on_a_message_are_written_and_edit_nothing(window, bridge):
    transcript = window.ui.transcript
    QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton)
    assert transcript.hasFocus()
    type_letters(window, "hello, 2 eggs")
    assert window.ui.composer.text() == "hello, 2 eggs"
    assert not transcript.editor.isVisible()


@play_scene()
async def test_letters_on_a_button_are_written_and_shortcuts_are_not(window, bridge):
    window.ui.header.chip.setFocus()
    QTest.keyClick(window.ui.header.chip, Qt.Key.Key_B, Qt.KeyboardModifier.MetaModifier)
    assert window.ui.composer.text() == ""
    type_letters(window, "A b")
    assert window.ui.composer.text() == "A b"


def begin_anew(window) -> None:
    """Press Ctrl+N, and write before the engine has answered."""
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    type_letters(window, "of the new one")


@pytest.mark.long
@play_scene()
async def test_letters_right_after_ctrl_n_are_of_the_new_conversation(window, bridge):
    before = window.chat.conversation
    window.ui.transcript.setFocus()
    type_letters(window, "of the old one")
    begin_anew(window)
    await until(lambda: window.chat.conversation != before)
    assert window.ui.composer.text() == "of the new one"
    window.chat.open(before)
    await until(lambda: window.chat.conversation == before)
    assert window.ui.composer.text() == "of the old one"


@pytest.mark.long
@play_scene()
async def test_what_is_sent_right_after_ctrl_n_is_said_in_the_new_conversation(window, bridge):
    before = window.chat.conversation
    begin_anew(window)
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    await until(lambda: "of the new one" in texts(window) and not window.ui.composer.text() and is_idle(window))
    assert window.chat.conversation != before


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
    await until(lambda: "of the old one" in window.ui.composer.text())
    monkeypatch.undo()
    assert "of the new one" in window.ui.composer.text()
    assert window.chat.conversation == before


@pytest.mark.parametrize("part", ["composer.field", "transcript", "sidebar.list", "header.chip", "panel.tabs"])
@pytest.mark.long
def test_escape_closes_the_editor_of_a_message_wherever_the_keyboard_is(play, part):
    async def scene(window, bridge):
        editor = window.ui.transcript.editor
        window.recovery.edit_message()
        QTest.keyClicks(editor.field, "and more")
        attrgetter(part)(window.ui).setFocus()
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
        window.ui.hit_bar.show_hit("tests", 1, 2)
        place = attrgetter(part)(window.ui)
        (place if place.isVisible() else window.ui.transcript).setFocus()
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
        assert not window.ui.hit_bar.isVisible()
        window.request.show(True)
        place.setFocus()
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
        assert not window.ui.chat_pane.is_request_shown
        assert window.ui.transcript.hasFocus()

    play(scene)


@pytest.mark.long
@pytest.mark.parametrize("part", ["composer.field", "transcript"])
def test_escape_in_the_chat_stops_the_reply_and_leaves_the_editor(play, part):
    async def scene(window, bridge):
        window.recovery.edit_message()
        bridge.happened.emit(TurnStarted(window.chat.conversation))
        asked = []
        bridge.post = asked.append
        attrgetter(part)(window.ui).setFocus()
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
        assert asked == [Stop(window.chat.conversation)]
        assert window.ui.transcript.editor.isVisible()

    play(scene)


@play_scene()
async def test_a_sheet_keeps_what_is_typed_from_the_draft(window, bridge):
    window.export.open()
    sheet = await opened_sheet(window, ExportSheet)
    QTest.keyClicks(sheet.choose, "x")
    assert window.ui.composer.text() == ""


@pytest.mark.long
@play_scene()
async def test_a_model_that_was_chosen_leaves_the_keyboard_in_the_draft(window, bridge):
    QTest.mouseClick(window.ui.header.chip, Qt.MouseButton.LeftButton)
    await until(lambda: any(picker.isVisible() for picker in window.findChildren(ModelPicker)))
    (picker,) = window.findChildren(ModelPicker)
    QTest.keyClicks(picker.field, "small")
    QTest.keyClick(picker.field, Qt.Key.Key_Return)
    await until(window.ui.toast.isVisible)
    assert window.focusWidget() is window.ui.composer.field


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


def takes_text(widget: QWidget) -> bool:
    """Return whether a widget is a field in which a person would expect to write."""
    if isinstance(widget, QLineEdit | QPlainTextEdit | QTextEdit):
        return not widget.isReadOnly()
    return False


def places_of_the_keyboard(window: QWidget) -> list[QWidget]:
    """Return the widgets in sight to which a click or Tab brings the keyboard, but for the fields."""
    found = [one for one in window.findChildren(QWidget) if one.isVisible() and one.isEnabled()]
    return [one for one in found if one.focusPolicy() and one.focusProxy() is None and not takes_text(one)]


def show_project(window) -> None:
    window.ui.chat_pane.show_project(Project("p", "A project"))
    window.ui.chat_pane.setCurrentWidget(window.ui.chat_pane.project)


def show_archived(window) -> None:
    compaction = next(row for row in window.ui.transcript_model.operations if row.kind == "compaction")
    window.ui.panel.open_archived(compaction.id)


SCREENS = {
    "chat": lambda window: None,
    "history": lambda window: window.ui.panel.show_tab("history"),
    "archived messages": show_archived,
    "pins": lambda window: window.ui.panel.show_tab("pins"),
    "memory": lambda window: window.ui.panel.show_tab("memory"),
    "x-ray": lambda window: window.request.show(True),
    "insights": lambda window: window.insights.toggle(),
    "hits": lambda window: window.ui.hit_bar.show_hit("tests", 1, 2),
    "find": lambda window: window.finder.open(),
    "welcome": lambda window: window.chat.open_new(),
    "project": show_project,
}


@pytest.mark.row("U5", "letters are written wherever the keyboard is")
@pytest.mark.long
@pytest.mark.parametrize("screen", SCREENS)
def test_letters_are_written_wherever_the_keyboard_is(play, screen):
    async def scene(window, bridge):
        await optimize(window)
        SCREENS[screen](window)
        await asyncio.sleep(0.2)  # what is read for it is shown
        tried, swallowed = [], []
        for place in places_of_the_keyboard(window):
            if not isValid(place) or not place.isVisible():
                continue  # the list that it was in was made anew
            place.setFocus()
            if window.focusWidget() is not place:
                continue
            window.ui.composer.set_text("")
            QTest.keyClicks(place, "x")
            name = f"{type(place).__name__} “{place.accessibleName()}”"
            tried.append(name)
            if window.ui.composer.text() != "x" or window.focusWidget() is not window.ui.composer.field:
                swallowed.append(name)
            if screen == "insights" and not window.insights.is_shown:
                window.insights.toggle()
        assert not swallowed
        assert len(tried) > 12, tried

    play(scene)


@pytest.mark.long
@play_scene()
async def test_what_is_pasted_where_nothing_takes_it_is_written(window, bridge):
    QApplication.clipboard().setText("from elsewhere")
    window.ui.sidebar.list.setFocus()
    QTest.keyClick(window.ui.sidebar.list, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert window.ui.composer.text() == "from elsewhere"


@pytest.mark.long
@play_scene()
async def test_letters_after_a_click_in_the_list_are_written_and_enter_sends_them(window, bridge):
    listed = window.ui.sidebar.list
    box = listed.visualRect(listed.conversations.index_of("c2"))
    QTest.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    await until(lambda: window.chat._shown == "c2")
    type_letters(window, "hello")
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    await until(lambda: "hello" in texts(window) and is_idle(window))
    assert window.chat.conversation == "c2"


@pytest.mark.long
@play_scene()
async def test_letters_after_a_copy_from_a_message_are_written_and_edit_nothing(window, bridge):
    await send(window, bridge, "Hello")
    transcript = window.ui.transcript
    row = next(n for n in range(window.ui.transcript_model.rowCount()) if texts(window)[n] == "Hello")
    QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton)
    transcript.setCurrentIndex(window.ui.transcript_model.index(row))
    QTest.keyClick(transcript, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(transcript, Qt.Key.Key_PageUp)
    type_letters(window, "explain")
    assert window.ui.composer.text() == "explain"
    assert not transcript.editor.isVisible()


@play_scene()
async def test_letters_are_written_while_a_card_takes_the_place_of_the_draft(window, bridge):
    window.ui.composer.hide()
    window.ui.transcript.setFocus()
    type_letters(window, "hello")
    window.ui.composer.show()
    assert window.ui.composer.text() == "hello"
