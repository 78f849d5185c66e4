"""Editing, versions and forks as a person uses them, with clicks and keys in the transcript."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from transcript_rows import chat, compaction, row
from ui_scenes import actions, click, is_idle, play_scene, settle, texts, top_of, until, words

from desktop_app.conversation.message import Attachment, Role, Text
from desktop_app.conversation.message_rows import VersionRow
from desktop_app.ui.context_panel.operation_card import OperationCard
from desktop_app.ui.context_panel.requests import PanelRequests
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.text_label import TextLabel
from texts import BRANCH_OFF

CTRL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
SECOND = ("m1", "n1", "o1")


def with_versions(*ids: str):
    """Three messages, of which the middle one, m1, has other versions."""
    rows = chat(3)
    rows[1] = replace(rows[1], versions=ids)
    return rows


# The versions


@pytest.mark.parametrize(
    ("versions", "shown", "offered"),
    [
        (("m1", "n1"), "1/2", {"n1"}),
        (("a1", "m1"), "2/2", {"a1"}),
        (("a1", "m1", "n1"), "2/3", {"a1", "n1"}),
    ],
)
def test_a_message_says_which_version_it_is_and_leads_to_its_neighbours(view, qtbot, versions, shown, offered):
    view.transcript.open(with_versions(*versions), ())
    assert shown in words(view, "m1")
    assert not any("/" in word for word in words(view, "m0"))
    asked = []
    view.action_requested.connect(lambda action, argument: asked.append(argument))
    for action in {Action.EARLIER, Action.LATER} & set(actions(view, "m1")):
        click(view, qtbot, "m1", action)
    assert set(asked) == offered


@pytest.mark.parametrize(("key", "expected"), [(Qt.Key.Key_Left, ["a1"]), (Qt.Key.Key_Right, [])])
def test_alt_and_an_arrow_turn_to_the_neighbour_if_there_is_one(view, qtbot, key, expected):
    view.transcript.open(with_versions("a1", "m1"), ())
    asked = []
    view.action_requested.connect(lambda action, argument: asked.append(argument))
    for pressed in (Qt.Key.Key_Up, Qt.Key.Key_Up):
        qtbot.keyClick(view, pressed)
    qtbot.keyClick(view, key)
    assert asked == [], "without Alt"
    qtbot.keyClick(view, key, ALT)
    assert asked == expected


def test_what_follows_in_another_version_is_led_to_at_the_end(view, qtbot):
    view.transcript.open(chat(1), (), other_versions=("a1", "b1"))
    with qtbot.waitSignal(view.action_requested) as asked:
        click(view, qtbot, "other versions", Action.EARLIER)
    assert asked.args == [Action.EARLIER, "b1"]


def test_an_operation_of_another_version_says_so_and_is_not_undone_here(view, qtbot):
    elsewhere = replace(compaction(1, after=1), is_elsewhere=True)
    view.transcript.open(chat(3), [elsewhere])
    assert actions(view, "mark op1") == [Action.SHOW_OPERATION]
    assert "another version" in words(view, "mark op1")[0]
    card = OperationCard(elsewhere, PanelRequests())
    qtbot.addWidget(card)
    assert {link.text() for link in card.findChildren(LinkButton)}.isdisjoint({"Undo", "Redo"})
    assert "another version" in card.accessibleName()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_the_menu_behind_more_has_all_that_a_narrow_window_has_no_room_for(view, qtbot):
    view.resize(260, 600)
    view.transcript.open(with_versions("m1", "n1"), ())
    settle(view, qtbot)
    shown = actions(view, "m1")
    assert Action.MORE in shown
    assert Action.REGENERATE not in shown[: shown.index(Action.MORE)], "beside its name"
    click(view, qtbot, "m1", Action.MORE)
    menu = view.findChild(QMenu)
    offered = {action.text(): action for action in menu.actions()}
    assert {"Next version", "Regenerate", "Pin", BRANCH_OFF} <= offered.keys()
    with qtbot.waitSignal(view.action_requested) as asked:
        offered[BRANCH_OFF].trigger()
    assert asked.args == [Action.FORK, "m1"]
    menu.close()


# The editor


def edited(view, qtbot, text: str = " or not"):
    """The editor of m2, with that text behind its own."""
    settle(view, qtbot)
    view.edit_message("m2")
    settle(view, qtbot)
    qtbot.keyClicks(view.editor.field, text)
    return view.editor


@pytest.mark.parametrize("key", [(Qt.Key.Key_Return, CTRL), (Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier)])
def test_a_message_is_edited_in_its_place_and_sent_with_enter(view, qtbot, key):
    view.transcript.open(chat(4), ())
    editor = edited(view, qtbot)
    box = view.visualRect(view.transcript.index(view.transcript.row_of("m2")))
    assert editor.geometry() == box
    assert top_of(view, "m3") >= box.bottom()
    with qtbot.waitSignal(editor.resend_requested) as sent:
        qtbot.keyClick(editor.field, *key)
    assert sent.args == ["m2", "message 2 or not"]
    assert editor.isVisible(), "until it is stored"
    editor.note_sent("m2")
    assert not editor.isVisible()
    assert "message 2" in words(view, "m2")


def test_what_was_written_comes_back_after_escape_and_after_another_conversation(view, qtbot):
    view.transcript.open(chat(4), ())
    editor = edited(view, qtbot)
    qtbot.keyClick(editor.field, Qt.Key.Key_Escape)
    assert not editor.isVisible()
    assert view.hasFocus()
    view.edit_message("m2")
    assert editor.field.written() == "message 2 or not", "Escape throws nothing away"
    qtbot.keyClicks(editor.field, "!")
    view.transcript.open([row(7)], ())
    assert not editor.isVisible()
    view.transcript.open(chat(4), ())
    view.edit_message("m2")
    assert editor.field.written() == "message 2 or not!"


def test_an_empty_message_is_not_sent(view, qtbot):
    view.transcript.open(chat(4), ())
    editor = edited(view, qtbot)
    sent = []
    editor.resend_requested.connect(lambda *values: sent.append(values))
    editor.field.selectAll()
    qtbot.keyClick(editor.field, Qt.Key.Key_Delete)
    assert not editor.send.isEnabled()
    qtbot.keyClick(editor.field, Qt.Key.Key_Return, CTRL)
    assert sent == []


def test_the_editor_grows_with_its_lines_and_names_what_is_sent_again(view, qtbot):
    attached = row(2, Role.USER, Text("Look"), Attachment("plan.png", "image/png", "data:image/png;base64,AAAA"))
    view.transcript.open([*chat(2), attached, row(3, Role.ASSISTANT)], ())
    editor = edited(view, qtbot)
    before = editor.height()
    assert "plan.png" in editor.note.text()
    for _ in range(6):
        qtbot.keyClick(editor.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    settle(view, qtbot)
    assert editor.height() > before
    assert top_of(view, "m3") >= editor.geometry().bottom()


def test_the_key_e_edits_a_message_of_the_users(view, qtbot):
    view.transcript.open(chat(2), ())
    asked = []
    view.action_requested.connect(lambda *values: asked.append(values))
    qtbot.keyClick(view, Qt.Key.Key_Up)
    qtbot.keyClick(view, Qt.Key.Key_E)
    qtbot.keyClick(view, Qt.Key.Key_Up)
    qtbot.keyClick(view, Qt.Key.Key_E)
    assert asked == [(Action.EDIT_MESSAGE, "m0")]


@play_scene()
async def test_while_a_reply_is_written_editing_is_refused_politely(window, bridge):
    window.chat.send("!wait")
    await until(lambda: not is_idle(window) and "ReplyItem" in texts(window))
    window.recovery.perform(Action.EDIT_MESSAGE, "c1-198")
    assert window.ui.toast.isVisible()
    assert not window.ui.transcript.editor.isVisible()
    window.chat.stop()
    await until(lambda: is_idle(window))


# The panel


def version(number: int, tokens: int, is_current: bool = False) -> VersionRow:
    return VersionRow(f"m{number}", number, f"The text of version {number}", 1.0, tokens, is_current)


@pytest.mark.row("B1", "the panel leads to the other versions")
def test_the_panel_lists_the_versions_and_leads_to_the_others(panel, told, qtbot):
    card = panel.breakdown.versions
    assert card.isHidden()
    card.set_versions([version(1, 98_400), version(2, 114_020, is_current=True), version(3, 71_350)], 3)
    assert card.isVisible()
    shown = {label.text() for label in card.findChildren(TextLabel)}
    assert {"98,400", "114,020", "71,350", "2 of 3"} <= shown
    assert len(card.links) == 2
    QTest.mouseClick(card.links[1], Qt.MouseButton.LeftButton)
    assert told == [("version", "m3")]
    card.set_versions((), 0)
    assert card.isHidden()
