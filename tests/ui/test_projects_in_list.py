"""Projects in the list: folded and unfolded, their buttons and menus, keys, and conversations dragged onto them."""

from __future__ import annotations

import time

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.setup import Project
from desktop_app.ui.live_turns import Activity
from desktop_app.ui.sidebar.arrangement import MAX_PROJECTS
from desktop_app.ui.sidebar.conversation_delegate import HeadingButton, buttons_of
from desktop_app.ui.sidebar.conversation_list import MIME_TYPE
from desktop_app.ui.sidebar.conversation_model import ACTIVITY_ROLE
from desktop_app.ui.sidebar.sidebar import Sidebar
from desktop_app.ui.window_memory import WindowMemory

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
NOW = time.time()
PROJECTS = [Project("w", "Work"), Project("h", "Home"), Project("e", "Empty")]
INFOS = [
    ConversationInfo(name, f"About {name}", NOW, NOW - n, 3, project=project)
    for n, (name, project) in enumerate([("a", "w"), ("b", "w"), ("c", "h"), ("d", "")])
]


@pytest.fixture
def sidebar(qtbot) -> Sidebar:
    made = Sidebar()
    made.resize(248, 760)
    qtbot.addWidget(made)
    QAbstractItemModelTester(made.list.conversations, QAbstractItemModelTester.FailureReportingMode.Fatal)
    made.show()
    made.activateWindow()
    qtbot.waitActive(made)
    made.list.conversations.show_projects(PROJECTS)
    made.list.conversations.show_conversations(INFOS)
    made.list.show_open("d")
    return made


def place_of(sidebar: Sidebar, key: str, button: HeadingButton | None = None) -> QPoint:
    index = sidebar.list.conversations.index_of(key)
    box = sidebar.list.visualRect(index)
    if button is None:
        return box.center() - QPoint(40, 0)
    row = index.data(Qt.ItemDataRole.UserRole)
    return buttons_of(row, box.toRectF())[button].center().toPoint()


def click(qtbot, sidebar: Sidebar, key: str, button: HeadingButton | None = None) -> None:
    qtbot.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=place_of(sidebar, key, button))


def shown(sidebar: Sidebar) -> list[str]:
    return [info.id for info in INFOS if sidebar.list.conversations.row_of(info.id) >= 0]


def test_a_click_folds_a_project_and_a_second_one_unfolds_it(sidebar, qtbot):
    click(qtbot, sidebar, "w")
    assert shown(sidebar) == ["c", "d"]
    assert sidebar.list.chosen() == ("d",), "the open conversation stays chosen"
    click(qtbot, sidebar, "w")
    assert shown(sidebar) == ["a", "b", "c", "d"]


def test_what_is_folded_is_kept_and_opening_unfolds(sidebar, qtbot, tmp_path):
    memory = WindowMemory(tmp_path / "window.json")
    click(qtbot, sidebar, "w")
    sidebar.save(memory)
    memory.save()
    memory.wait()
    again = Sidebar()
    qtbot.addWidget(again)
    again.recall(WindowMemory(tmp_path / "window.json"))
    again.list.conversations.show_projects(PROJECTS)
    again.list.conversations.show_conversations(INFOS)
    assert shown(again) == ["c", "d"]
    again.list.show_open("b")
    assert shown(again) == ["a", "b", "c", "d"]
    assert again.list.chosen() == ("b",)
    again.list.fold("w", is_folded=True)
    again.list.show_open("b")
    assert shown(again) == ["c", "d"], "it may be folded while a conversation of it is open"


@pytest.mark.row("J1", "folded, renamed and deleted by keys")
def test_keys_fold_rename_and_delete_a_project(sidebar, qtbot):
    listed = sidebar.list
    listed.show_open("b")
    qtbot.keyClick(listed, Qt.Key.Key_Left)
    assert listed.currentIndex() == listed.conversations.index_of("w")
    assert listed.chosen() == ("b",)
    qtbot.keyClick(listed, Qt.Key.Key_Left)
    assert shown(sidebar) == ["c", "d"]
    assert listed.currentIndex() == listed.conversations.index_of("w"), "the keyboard stays there"
    qtbot.keyClick(listed, Qt.Key.Key_Return)
    assert shown(sidebar) == ["a", "b", "c", "d"]
    with qtbot.waitSignal(listed.project_delete_requested) as deleted, qtbot.assertNotEmitted(listed.delete_requested):
        qtbot.keyClick(listed, Qt.Key.Key_Delete)
    assert deleted.args == ["w"]
    qtbot.keyClick(listed, Qt.Key.Key_F2)
    field = listed.findChild(QLineEdit)
    field.setText("  Paid   work ")
    with qtbot.waitSignal(listed.conversations.project_renamed) as renamed:
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert renamed.args == ["w", "Paid work"]


def test_an_empty_project_opens_and_buttons_begin(sidebar, qtbot):
    with qtbot.waitSignal(sidebar.list.begin_requested) as begun:
        click(qtbot, sidebar, "e")
    assert begun.args == ["e"]
    with qtbot.waitSignal(sidebar.list.begin_requested) as begun:
        click(qtbot, sidebar, "w", HeadingButton.NEW)
    assert begun.args == ["w"]
    assert shown(sidebar) == ["a", "b", "c", "d"]
    with qtbot.waitSignal(sidebar.list.new_project_requested):
        click(qtbot, sidebar, "group Projects")


def test_no_button_is_marked_once_the_mouse_is_elsewhere(sidebar, qtbot):
    place = place_of(sidebar, "group Projects", HeadingButton.NEW)
    qtbot.mouseMove(sidebar.list.viewport(), place)
    assert sidebar.list.delegate.pointed == QPointF(place)
    QApplication.sendEvent(sidebar.list.viewport(), QEvent(QEvent.Type.Leave))
    assert sidebar.list.delegate.pointed is None


def menu_of(sidebar: Sidebar, qtbot, key: str) -> dict[str, object]:
    place = place_of(sidebar, key)
    where = sidebar.list.viewport().mapToGlobal(place)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, where)
    QApplication.sendEvent(sidebar.list.viewport(), event)
    menu = sidebar.list.findChildren(QMenu)[-1]
    return {action.text(): action for action in menu.actions()}


def test_the_menu_of_a_project_is_behind_its_button_too(sidebar, qtbot):
    actions = menu_of(sidebar, qtbot, "w")
    assert [text for text in actions if text] == ["New conversation", "Settings…", "Rename", "Delete"]
    for name, signal in (("Settings…", "settings_requested"), ("Delete", "project_delete_requested")):
        with qtbot.waitSignal(getattr(sidebar.list, signal)) as told:
            actions[name].trigger()
        assert told.args == ["w"]
    QApplication.activePopupWidget().close()
    click(qtbot, sidebar, "h", HeadingButton.MENU)
    assert isinstance(QApplication.activePopupWidget(), QMenu)
    QApplication.activePopupWidget().close()


def test_a_menu_moves_what_is_selected(sidebar, qtbot):
    click(qtbot, sidebar, "a")
    qtbot.mouseClick(
        sidebar.list.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, place_of(sidebar, "d")
    )
    with qtbot.waitSignal(sidebar.list.project_choice_requested) as told:
        menu_of(sidebar, qtbot, "d")["Move to project…"].trigger()
    assert told.args == [("a", "d")]
    QApplication.activePopupWidget().close()


def test_a_filter_finds_projects_and_choosing_one_ends_it(sidebar, qtbot):
    qtbot.keyClicks(sidebar.filter, "hom")
    assert shown(sidebar) == []
    click(qtbot, sidebar, "h")
    assert sidebar.filter.text() == ""
    assert shown(sidebar) == ["a", "b", "c", "d"]
    assert sidebar.list.currentIndex() == sidebar.list.conversations.index_of("h")


def test_of_very_many_projects_those_used_last_are_listed(sidebar, qtbot):
    many = [Project(f"p{n}", f"Number {n:02}", created_at=NOW - 1e6) for n in range(30)]
    infos = [replace(INFOS[0], id=f"c{n}", project=f"p{n}", updated_at=NOW - n) for n in range(30)]
    sidebar.list.conversations.show_projects(many)
    sidebar.list.conversations.show_conversations(infos)
    model = sidebar.list.conversations
    listed = [project.id for project in many if model.row_of(project.id) >= 0]
    assert listed == [f"p{n}" for n in range(MAX_PROJECTS)]
    assert "c29" not in [info.id for info in infos if model.row_of(info.id) >= 0]
    sidebar.list.show_open("c29")
    assert model.row_of("p29") >= 0
    assert sidebar.list.chosen() == ("c29",)
    sidebar.list.scrollToBottom()
    with qtbot.waitSignal(sidebar.list.all_projects_requested):
        click(qtbot, sidebar, "group All 30 projects…")


def test_a_folded_project_tells_what_goes_on_in_it(sidebar):
    model = sidebar.list.conversations
    model.show_activities({"a": Activity.WORKS, "b": Activity.WAITS})
    assert model.index_of("w").data(ACTIVITY_ROLE) is None, "its conversations say it themselves"
    sidebar.list.fold("w", is_folded=True)
    assert model.index_of("w").data(ACTIVITY_ROLE) is Activity.WAITS
    spoken = model.index_of("w").data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.split("\n") == ["Work, project, 2 conversations", "Waiting for your answer", "collapsed"]


def drag(sidebar: Sidebar, ids: tuple[str, ...], place: QPoint) -> bool:
    """Drop what is dragged there; return whether it was taken."""
    listed, data = sidebar.list, QMimeData()
    data.setData(MIME_TYPE, "\n".join(ids).encode())
    listed._dragged = ids  # as `startDrag` has it, whose loop a test cannot drive
    how = (Qt.DropAction.MoveAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    listed.dragEnterEvent(QDragEnterEvent(place, *how))
    move = QDragMoveEvent(place, *how)
    listed.dragMoveEvent(move)
    listed.grab()  # the project is marked
    drop = QDropEvent(QPointF(place), *how)
    listed.dropEvent(drop)
    assert drop.isAccepted() == move.isAccepted()
    return drop.isAccepted()


@pytest.mark.row("J1", "conversations are dragged onto it")
@pytest.mark.parametrize(("onto", "project"), [("h", "h"), ("c", "h"), ("e", "e"), ("d", "")])
def test_conversations_are_dragged_onto_a_project_or_out_of_it(sidebar, qtbot, onto, project):
    with qtbot.waitSignal(sidebar.list.move_requested) as moved:
        assert drag(sidebar, ("a", "b"), place_of(sidebar, onto))
    assert moved.args == [("a", "b"), project]


def test_nothing_is_moved_where_it_is_already_or_onto_pins(sidebar, qtbot):
    sidebar.list.conversations.show_conversations([*INFOS, replace(INFOS[0], id="pin", is_pinned=True)])
    with qtbot.assertNotEmitted(sidebar.list.move_requested):
        assert not drag(sidebar, ("a",), place_of(sidebar, "w"))
        assert not drag(sidebar, ("d",), place_of(sidebar, "d"))
        assert not drag(sidebar, ("a",), place_of(sidebar, "pin"))
