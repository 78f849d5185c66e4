"""The table of actions: its shortcuts, the command palette and the sheet of shortcuts."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from ui_scenes import is_idle, optimize, play_scene, texts, until

from desktop_app.conversation.message import Role
from desktop_app.engine import protocol as p
from desktop_app.ui.actions import WindowAction, keys_text
from desktop_app.ui.palette.command_palette import CommandPalette, fuzzy_rank, matching_actions
from desktop_app.ui.palette.search_palette import SearchPalette
from desktop_app.ui.palette.shortcut_sheet import ShortcutSheet
from desktop_app.ui.theme import theme
from desktop_app.ui.widgets.text_label import TextLabel

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def named(*names: str) -> list[WindowAction]:
    return [WindowAction(name, "", "", lambda: None) for name in names]


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("set", "Settings", "Reset"),
        ("nc", "New conversation", "Once"),
        ("exp", "Export conversation", "Regenerate exotic pages"),
        ("opt", "Optimize", "Copy the transcript"),
        ("ETAT", "État", "Set a time at night"),
    ],
)
def test_what_fits_better_stands_first(query: str, better: str, worse: str) -> None:
    assert matching_actions(query, named(worse, better), ())[0].name == better


def test_letters_out_of_order_do_not_fit() -> None:
    assert fuzzy_rank("tes", "Settings") is None
    assert fuzzy_rank("", "Settings") is not None


@given(st.text(max_size=12), st.text(max_size=24))
def test_a_name_fits_itself_and_every_piece_of_it(piece: str, rest: str) -> None:
    assert fuzzy_rank(piece, piece + rest) is not None
    assert fuzzy_rank(rest[::2], rest) is not None


def test_a_group_is_found_by_how_it_begins_behind_all_names() -> None:
    grouped = WindowAction("Optimize", "Context", "", lambda: None)
    found = matching_actions("cont", [grouped, *named("Show the context panel")], ())
    assert [action.name for action in found] == ["Show the context panel", "Optimize"]
    assert matching_actions("ctx", [grouped], ()) == []


def test_of_equals_those_used_last_stand_first() -> None:
    actions = named("Show breakdown", "Show history", "Show pins")
    found = matching_actions("", actions, ("Show pins", "Show history"))
    assert [action.name for action in found] == ["Show pins", "Show history", "Show breakdown"]


async def open_palette(window) -> CommandPalette:
    QTest.keyClick(window, Qt.Key.Key_P, CONTROL | SHIFT)
    await until(lambda: any(sheet.isVisible() for sheet in window.findChildren(CommandPalette)))
    return window.findChild(CommandPalette)


def shown(palette: CommandPalette) -> list[str]:
    return [row.title for row in palette.list.rows.rows]


@play_scene()
async def test_every_action_has_its_own_name_and_keys(window, bridge):
    actions = window.commands.actions
    assert max(Counter(action.name for action in actions).values()) == 1
    keys = [QKeySequence(key).toString() for action in actions for key in action.keys]
    assert "" not in keys
    assert max(Counter(keys).values()) == 1


@pytest.mark.row("U6", "the palette")
@play_scene()
async def test_the_palette_is_typed_into_and_carries_out_the_choice(window, bridge):
    palette = await open_palette(window)
    assert window.focusWidget() is palette.field
    QTest.keyClicks(palette.field, "srch ev")
    assert shown(palette)[0] == "Search everything"
    assert palette.list.rows.rows[0].aside == keys_text(("Ctrl+K",))
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert not palette.isVisible()
    assert window.findChild(SearchPalette).isVisible()
    window.findChild(SearchPalette).reject()
    again = await open_palette(window)
    assert again.query() == ""
    assert shown(again)[0] == "Search everything"
    QTest.keyClick(again.field, Qt.Key.Key_Down)
    assert again.list.current_key() == shown(again)[1]
    again.reject()


@play_scene()
async def test_what_cannot_be_done_now_is_left_out(window, bridge):
    palette = await open_palette(window)
    assert "Stop the reply" not in shown(palette)
    assert "Regenerate the reply" in shown(palette)
    palette.reject()
    window.chat.send("!wait")
    await until(lambda: "ReplyItem" in texts(window))
    palette = await open_palette(window)
    assert "Regenerate the reply" not in shown(palette)
    QTest.keyClicks(palette.field, "stop")
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    await until(lambda: is_idle(window))


@play_scene()
async def test_in_a_low_window_the_list_leaves_room_for_the_line_below_it(window, bridge):
    window.resize(800, 400)
    palette = await open_palette(window)
    await until(lambda: palette.list.geometry().bottom() < palette.note.geometry().top())
    assert palette.note.geometry().bottom() < palette.height() <= window.height()
    assert palette.list.height() > 60
    palette.reject()


@play_scene()
async def test_what_fits_nothing_says_so_and_enter_does_nothing(window, bridge):
    palette = await open_palette(window)
    before = palette.note.text()
    QTest.keyClicks(palette.field, "qqqq")
    assert shown(palette) == []
    assert palette.note.text() != before
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    palette.reject()


@pytest.mark.long
@play_scene()
async def test_keys_make_the_text_larger_and_smaller(window, bridge):
    for keys, size in (("Ctrl++", 1.1), ("Ctrl+=", 1.2), ("Ctrl+-", 1.1), ("Ctrl+0", 1.0), ("Ctrl+-", 0.9)):
        action = next(action for action in window.commands.actions if keys in action.keys)
        action.run_if_available()
        await until(lambda size=size: theme.font_scale == size)
        assert (await bridge.ask(p.ReadSettings())).settings.font_scale == size
    for _ in range(2):
        action.run_if_available()
        await until(lambda: theme.font_scale == 0.8)
        await asyncio.sleep(0.05)
    assert theme.font_scale == 0.8, "no smaller than the slider of the settings goes"


@pytest.mark.long
@play_scene()
async def test_the_sheet_has_every_shortcut(window, bridge):
    for key in (Qt.Key.Key_F1, Qt.Key.Key_Slash):
        QTest.keyClick(window, key, CONTROL if key is Qt.Key.Key_Slash else Qt.KeyboardModifier.NoModifier)
        await until(lambda: any(sheet.is_complete for sheet in window.findChildren(ShortcutSheet)))
        sheet = window.findChild(ShortcutSheet)
        words = {label.text() for label in sheet.findChildren(TextLabel)}
        with_keys = [action for action in window.commands.actions if action.keys]
        assert {action.name for action in with_keys} <= words
        assert {keys_text(action.keys) for action in with_keys} <= words
        sheet.close_button.click()
        await until(lambda: not window.findChildren(ShortcutSheet))


@play_scene()
async def test_the_log_is_named_with_its_folder(window, bridge):
    window.commands.run("Show the log…")
    assert window.ui.toast.label.text() == str(bridge.log_file)
    assert window.ui.toast.action.text()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@play_scene()
async def test_the_menu_of_the_header_has_its_parts_and_says_what_each_line_does_now(window, bridge):
    await until(lambda: window.chat.conversation)
    window.ui.header.menu.click()
    menu = window.ui.header.menu.findChild(QMenu)
    lines = [action.text().split("\t")[0] for action in menu.actions()]
    menu.close()
    parts = [part.split("|") for part in "|".join(lines).split("||")]
    assert [len(part) > 0 for part in parts] == [True] * 4
    assert parts[0] == ["Rename conversation", "Pin conversation", "Move to project…", "Archive conversation"]
    assert parts[-1] == ["Delete conversation"]
    assert not {"Find next", "Find previous"} & set(lines)


@pytest.mark.long
@play_scene()
async def test_the_look_the_newest_reply_and_the_newest_operation_are_in_the_palette(window, bridge):
    await until(lambda: window.chat.conversation)
    await optimize(window)
    await until(window.ui.panel.history.newest_undoable)
    before, newest = theme.is_dark, window.ui.panel.history.newest_undoable()
    window.commands.run("Light theme" if before else "Dark theme")
    await until(lambda: theme.is_dark is not before)
    window.commands.run("Copy the newest reply")
    replies = [row.message.text for row in window.ui.transcript_model.rows if row.message.role is Role.ASSISTANT]
    assert QGuiApplication.clipboard().text() == replies[-1]
    window.commands.run("Undo the newest operation")
    await until(lambda: window.ui.panel.history.newest_undoable() != newest)
