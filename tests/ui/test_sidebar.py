"""The sidebar: groups, ages, names, and what is wished from it."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QFontMetricsF
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu
from ui_scenes import play_scene, show_widget, until

from desktop_app.conversation.gauge import Status
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.ui.sidebar.arrangement import Heading, age_text, group_by_age
from desktop_app.ui.sidebar.conversation_delegate import cut_title
from desktop_app.ui.sidebar.sidebar import Sidebar
from desktop_app.ui.widgets import number_formats
from desktop_app.ui.widgets.look import font

NOW = datetime(2026, 3, 12, 15, 0).timestamp()


def ago(**span: float) -> float:
    return (datetime.fromtimestamp(NOW) - timedelta(**span)).timestamp()


def info(name: str, at: float, messages: int = 3) -> ConversationInfo:
    return ConversationInfo(name, f"About {name}", at, at, messages, "builtin", 0.62, Status.SAFE)


@pytest.fixture
def sidebar(qtbot) -> Sidebar:
    return show_widget(Sidebar(), qtbot, 248, 600)


def test_conversations_stand_in_groups_newest_first() -> None:
    infos = [
        info("old", ago(days=400)),
        info("now", ago(minutes=2)),
        info("week", ago(days=3)),
        info("feb", ago(days=30)),
    ]
    infos += [info("yesterday", ago(days=1)), info("morning", ago(hours=5))]
    lines = [line.title if isinstance(line, Heading) else line.id for line in group_by_age(infos, NOW)]
    assert lines == [
        "Today", "now", "morning", "Yesterday", "yesterday", "This week", "week", "February", "feb", "2025", "old",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (ago(seconds=20), "now"),
        (ago(seconds=-20), "now"),
        (ago(minutes=2), "2 min"),
        (ago(hours=3), "3 h"),
        (ago(days=3), "Mon"),
        (ago(days=40), "31 Jan"),
        (ago(days=400), "5 Feb 2025"),
    ],
)
def test_ages_are_said_as_people_say_them(at: float, words: str) -> None:
    assert age_text(at, NOW) == words


def test_a_changed_figure_keeps_the_rows_and_the_choice(sidebar, qtbot):
    model = sidebar.list.conversations
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    sidebar.list.conversations.show_conversations([info("a", ago(minutes=1)), info("b", ago(minutes=2))])
    sidebar.list.show_open("b")
    with qtbot.assertNotEmitted(model.modelReset), qtbot.waitSignal(model.dataChanged):
        sidebar.list.conversations.show_conversations([info("a", ago(minutes=1)), info("b", ago(minutes=2), 9)])
    assert sidebar.list.currentIndex().row() == model.row_of("b")
    with qtbot.waitSignal(model.modelReset):
        sidebar.list.conversations.show_conversations([info("b", ago(minutes=0)), info("a", ago(minutes=1))])
    assert sidebar.list.currentIndex().row() == model.row_of("b")


def test_a_click_and_enter_open_a_conversation(sidebar, qtbot):
    sidebar.list.conversations.show_conversations([info("a", ago(minutes=1)), info("b", ago(minutes=2))])
    index = sidebar.list.conversations.index(sidebar.list.conversations.row_of("b"))
    with qtbot.waitSignal(sidebar.list.conversation_chosen) as chosen:
        centre = sidebar.list.visualRect(index).center()
        qtbot.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=centre)
    assert chosen.args == ["b"]
    with qtbot.waitSignal(sidebar.list.conversation_chosen):
        qtbot.keyClick(sidebar.list, Qt.Key.Key_Return)


def test_f2_renames_in_place_and_delete_deletes(sidebar, qtbot):
    sidebar.list.conversations.show_conversations([info("a", ago(minutes=1))])
    sidebar.list.show_open("a")
    qtbot.keyClick(sidebar.list, Qt.Key.Key_F2)
    field = sidebar.list.findChild(QLineEdit)
    assert field.text() == "About a"
    field.setText("  Another title ")
    with qtbot.waitSignal(sidebar.list.conversations.renamed) as renamed:
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert renamed.args == ["a", "Another title"]
    with qtbot.waitSignal(sidebar.list.delete_requested) as deleted:
        qtbot.keyClick(sidebar.list, Qt.Key.Key_Delete)
    assert deleted.args == [("a",)]


@pytest.mark.row("U2", "a title that is typed stays")
def test_what_is_typed_stays_when_the_rows_are_repainted(sidebar, qtbot):
    sidebar.list.conversations.show_conversations([info("a", ago(minutes=1))])
    sidebar.list.show_open("a")
    qtbot.keyClick(sidebar.list, Qt.Key.Key_F2)
    field = sidebar.list.findChild(QLineEdit)
    sidebar.list.conversations.refresh()  # as every half minute, and when a reply begins anywhere
    assert field.selectedText() == "About a", "typing replaces it"
    qtbot.keyClicks(field, "Another")
    sidebar.list.conversations.refresh()
    qtbot.keyClicks(field, " title")
    with qtbot.waitSignal(sidebar.list.conversations.renamed) as renamed:
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert renamed.args == ["a", "Another title"]


def test_an_empty_title_is_no_rename(sidebar, qtbot):
    sidebar.list.conversations.show_conversations([info("a", ago(minutes=1))])
    model = sidebar.list.conversations
    with qtbot.assertNotEmitted(model.renamed):
        assert not model.setData(model.index(model.row_of("a")), "   ")


def test_headings_cannot_be_chosen(sidebar):
    sidebar.list.conversations.show_conversations([info("a", ago(minutes=1))])
    heading = sidebar.list.conversations.index(sidebar.list.conversations.row_of("a") - 1)
    assert sidebar.list.conversations.flags(heading) == Qt.ItemFlag.NoItemFlags


def test_the_buttons_wish(sidebar, qtbot):
    for button, signal in (
        (sidebar.search, sidebar.search_requested),
        (sidebar.new, sidebar.new_requested),
        (sidebar.importing, sidebar.import_requested),
        (sidebar.settings, sidebar.settings_requested),
    ):
        with qtbot.waitSignal(signal):
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.fixture
def two(sidebar) -> Sidebar:
    """A sidebar in which the first of two conversations is open."""
    sidebar.list.conversations.show_conversations([info("a", ago(minutes=1)), info("b", ago(minutes=2))])
    sidebar.list.show_open("a")
    return sidebar


def place_of(sidebar: Sidebar, name: str) -> QPoint:
    conversations = sidebar.list.conversations
    return sidebar.list.visualRect(conversations.index(conversations.row_of(name))).center()


def right_click(qtbot, sidebar: Sidebar, name: str) -> QMenu:
    place = place_of(sidebar, name)
    qtbot.mouseClick(sidebar.list.viewport(), Qt.MouseButton.RightButton, pos=place)
    where = sidebar.list.viewport().mapToGlobal(place)
    QApplication.sendEvent(sidebar.list.viewport(), QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, where))
    return sidebar.list.findChild(QMenu)


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_a_right_click_shows_the_menu_of_a_line_and_chooses_nothing(two, qtbot):
    opened: list[str] = []
    two.list.conversation_chosen.connect(opened.append)
    menu = right_click(qtbot, two, "b")
    assert two.list.selectedIndexes() == [two.list.currentIndex()]
    assert two.list.currentIndex().row() == two.list.conversations.row_of("a")
    with qtbot.waitSignal(two.list.delete_requested) as deleted:
        next(action for action in menu.actions() if action.text() == "Delete").trigger()
    assert deleted.args == [("b",)]
    menu.close()
    assert opened == []


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_renaming_from_the_menu_opens_nothing(two, qtbot):
    opened: list[str] = []
    two.list.conversation_chosen.connect(opened.append)
    menu = right_click(qtbot, two, "b")
    next(action for action in menu.actions() if action.text() == "Rename").trigger()
    menu.close()
    field = two.list.findChild(QLineEdit)
    field.setText("Another")
    with qtbot.waitSignal(two.list.conversations.renamed) as renamed:
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert renamed.args == ["b", "Another"]
    assert opened == []
    assert two.list.currentIndex().row() == two.list.conversations.row_of("a")


@pytest.mark.parametrize("title", ["", "New conversation"])
def test_what_has_no_title_is_called_so_in_the_windows_language(sidebar, monkeypatch, title: str) -> None:
    monkeypatch.setattr(number_formats, "tr", lambda text, *_: f"[{text}]")
    model, shown = sidebar.list.conversations, []
    model.renamed.connect(lambda *renamed: shown.append(renamed))
    model.show_conversations([replace(info("a", NOW), title=title), info("b", NOW)])
    assert (model.title_of("a"), model.title_of("b")) == ("[New conversation]", "About b")
    index = model.index(model.row_of("a"))
    assert "[New conversation]" in index.data(Qt.ItemDataRole.AccessibleTextRole)
    model.setData(index, index.data(Qt.ItemDataRole.EditRole))
    assert not shown, "a title that was not changed is not stored"


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("Tides (copy)", "Tides [(copy)]"),
        ("Tides (continued) (copy)", "Tides [(continued)] [(copy)]"),
        ("New conversation (continued)", "[New conversation] [(continued)]"),
        ("The (copy) machine", "The (copy) machine"),
    ],
)
def test_copies_and_sequels_are_called_so_in_the_windows_language(sidebar, monkeypatch, stored: str, shown: str):
    monkeypatch.setattr(number_formats, "tr", lambda text, *_: f"[{text}]")
    sidebar.list.conversations.show_conversations([replace(info("a", NOW), title=stored)])
    assert sidebar.list.conversations.title_of("a") == shown


def test_a_title_that_is_cut_keeps_what_tells_it_apart(qtbot):
    metrics = QFontMetricsF(font(14))
    long = "I am writing a magazine profile of Ilse Brandvold"
    width = metrics.horizontalAdvance("I am writing a magazine profile")
    titles = [cut_title(title, metrics, width) for title in (long, f"{long} (copy)", f"{long} (continued)")]
    assert [title.rpartition("…")[2] for title in titles] == ["", " (copy)", " (continued)"]
    assert all(title.startswith("I am wri") and metrics.horizontalAdvance(title) <= width for title in titles)
    assert cut_title("Tides (copy)", metrics, width) == "Tides (copy)"
    assert cut_title(f"A ({long})", metrics, width).endswith("…"), "a mark as long as the line is cut"


@pytest.mark.long
@play_scene()
async def test_the_circle_of_the_open_conversation_says_what_the_gauge_says(window, bridge):
    conversations = window.ui.sidebar.list.conversations
    await until(lambda: window.ui.gauge.fill is not None)
    gauge, opened = window.ui.gauge, window.chat.conversation

    def is_same() -> bool:
        return conversations.fill_of(conversations.info_of(opened)) == gauge.fill

    assert is_same()
    before = gauge.fill
    QTest.keyClicks(window.ui.composer.field, "a long draft " * 40)
    await until(lambda: gauge.draft_tokens > 0)
    assert gauge.fill[0] > before[0]
    assert is_same()
    window.listing.show(conversations.conversations)
    assert is_same(), "what was stored last does not take its place"
