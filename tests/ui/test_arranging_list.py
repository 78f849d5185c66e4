"""The list of conversations: pinned, in projects, put away, sorted, filtered, several at once, and its width."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QMenu
from ui_scenes import play_scene, show_widget, texts, until

from desktop_app.conversation.events import TurnFinished, TurnStarted
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.setup import Project
from desktop_app.ui.live_turns import Activity
from desktop_app.ui.sidebar.arrangement import (
    OTHERS,
    PINNED,
    PUT_AWAY,
    Arrangement,
    Heading,
    Order,
    ProjectHeading,
    arrange_rows,
)
from desktop_app.ui.sidebar.choice_palettes import ProjectPalette
from desktop_app.ui.sidebar.conversation_model import ACTIVITY_ROLE
from desktop_app.ui.sidebar.sidebar import Sidebar
from desktop_app.ui.window_memory import WindowMemory
from slowness import slowness

NOW = time.time()


def info(name: str, age: float = 0.0, **fields: object) -> ConversationInfo:
    base = {"title": f"About {name}", "created_at": NOW, "updated_at": NOW - age, "messages": 3}
    return ConversationInfo(name, **(base | fields))


def shown(infos: list[ConversationInfo], **wanted: object) -> list[str]:
    rows = arrange_rows(infos, PROJECTS, Arrangement(**wanted), NOW)
    return [row.id if isinstance(row, ConversationInfo) else f"# {row.title}" for row in rows]


PROJECTS = (Project("w", "Work"), Project("h", "home"))
INFOS = [
    info("a", 1, title="Zebra", messages=9),
    info("b", 2, title="apple", messages=1, is_pinned=True),
    info("c", 3, title="Mango", messages=5, project="w"),
    info("d", 4, title="Apple tart", messages=7, is_put_away=True, is_pinned=True),
    info("e", 5, title="Banana", messages=2, project="h"),
]


def test_pinned_ones_stand_first_then_projects_then_the_rest() -> None:
    rest = shown(INFOS)[7:]
    assert shown(INFOS)[:7] == [f"# {PINNED}", "b", "# Projects", "# home", "e", "# Work", "c"]
    assert rest[1:] == ["a", f"# {PUT_AWAY}"], "where one looks for it, folded"
    assert shown(INFOS, shows_put_away=True)[-2:] == [f"# {PUT_AWAY}", "d"]
    assert PUT_AWAY not in " ".join(shown([one for one in INFOS if not one.is_put_away]))


def test_it_is_sorted_by_title_or_by_messages() -> None:
    plain = [info(i.id, title=i.title, messages=i.messages) for i in INFOS]
    assert shown(plain, order=Order.TITLE)[3:] == [f"# {OTHERS}", "b", "d", "e", "c", "a"]
    assert shown(plain, order=Order.MESSAGES)[3:] == [f"# {OTHERS}", "a", "d", "c", "e", "b"]


def test_a_query_finds_what_was_put_away_and_projects() -> None:
    assert shown(INFOS, query="wor") == ["# Work"]
    assert shown(INFOS, query="APPLE") == ["b", "d"]
    assert shown(INFOS, query="tart app") == ["d"]
    assert shown(INFOS, query="kiwi") == []


NAMED = tuple(Project(f"p{n}", name) for n, name in enumerate(["Work", "Pinned", "Today", "Projects"]))
names = st.sampled_from(["", "gone", *(project.id for project in NAMED)])
made = st.builds(
    lambda n, age, project, pinned, away: info(n, age, project=project, is_pinned=pinned, is_put_away=away),
    st.uuids().map(str), st.floats(-1e5, 2e8), names, st.booleans(), st.booleans(),
)  # fmt: skip


@given(st.lists(made, max_size=30), st.sampled_from(Order))
def test_every_conversation_stands_once_under_its_heading(infos, order) -> None:
    rows = arrange_rows(infos, NAMED, Arrangement(order, shows_put_away=True), NOW)
    heading, places, counts = "", {}, {}
    for row in rows:
        if isinstance(row, ConversationInfo):
            assert row.id not in places
            places[row.id] = heading
        else:
            heading = row.project.id if isinstance(row, ProjectHeading) else f"# {row.title}"
            counts[heading] = row.count if isinstance(row, ProjectHeading) else 0
    assert set(places) == {i.id for i in infos}
    known = {project.id for project in NAMED}
    for one in infos:
        of_project = one.project if one.project in known else ""
        expected = f"# {PUT_AWAY}" if one.is_put_away else f"# {PINNED}" if one.is_pinned else of_project
        assert places[one.id] == expected if expected else places[one.id] not in known
    assert {key: sum(place == key for place in places.values()) for key in known} == {key: counts[key] for key in known}


@pytest.fixture
def sidebar(qtbot) -> Sidebar:
    made = show_widget(Sidebar(), qtbot, 248, 700, is_active=True)
    made.list.conversations.show_conversations([info(f"c{n}", n, title=f"Ledger {n}") for n in range(4)])
    made.list.show_open("c0")
    return made


def click(qtbot, sidebar: Sidebar, name: str, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    model = sidebar.list.conversations
    place = sidebar.list.visualRect(model.index_of(name)).center()
    qtbot.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, held, place)


@pytest.mark.row("U2", "several at once")
def test_several_are_selected_with_control_and_deleted_together(sidebar, qtbot):
    opened: list[str] = []
    sidebar.list.conversation_chosen.connect(opened.append)
    click(qtbot, sidebar, "c1")
    click(qtbot, sidebar, "c3", Qt.KeyboardModifier.ControlModifier)
    assert opened == ["c1"]
    assert sidebar.list.chosen() == ("c1", "c3")
    sidebar.list.conversations.show_conversations(
        [info("new", -1), *(info(f"c{n}", n, title=f"Ledger {n}") for n in range(4))]
    )
    assert sidebar.list.chosen() == ("c1", "c3"), "the open one is not among what is deleted"
    with qtbot.waitSignal(sidebar.list.delete_requested) as deleted:
        qtbot.keyClick(sidebar.list, Qt.Key.Key_Delete)
    assert deleted.args == [("c1", "c3")]


def test_the_filter_narrows_at_each_key_and_enter_opens_the_first(sidebar, qtbot):
    QAbstractItemModelTester(sidebar.list.conversations, QAbstractItemModelTester.FailureReportingMode.Fatal)
    qtbot.keyClicks(sidebar.filter, "ger 2")
    assert sidebar.list.conversations.rowCount() == 1
    with qtbot.waitSignal(sidebar.list.conversation_chosen) as chosen:
        qtbot.keyClick(sidebar.filter, Qt.Key.Key_Return)
    assert chosen.args == ["c2"]
    qtbot.keyClick(sidebar.filter, Qt.Key.Key_Escape)
    assert sidebar.filter.text() == ""
    assert sidebar.list.conversations.rowCount() > 4
    qtbot.keyClick(sidebar.filter, Qt.Key.Key_Down)
    assert sidebar.list.hasFocus()
    qtbot.keyClicks(sidebar.filter, "nothing at all")
    qtbot.keyClick(sidebar.filter, Qt.Key.Key_Return)
    assert sidebar.list.conversations.rowCount() == 0


def test_a_list_of_5000_is_whole_though_views_know_of_a_part(sidebar, qtbot):
    QAbstractItemModelTester(sidebar.list.conversations, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model = sidebar.list.conversations
    sidebar.list.conversations.show_conversations([info(f"m{n}", n * 4_000, title=f"Ledger {n}") for n in range(5_000)])
    assert len(model.conversations) == 5_000
    assert model.rowCount() < 1_000
    sidebar.list.show_open("m3000")
    assert sidebar.list.chosen() == ("m3000",)
    qtbot.keyClicks(sidebar.filter, "ger 4999")
    assert [row.id for row in model.conversations if model.row_of(row.id) >= 0] == ["m4999"]


def test_the_width_is_dragged_kept_and_reset(sidebar, qtbot, tmp_path):
    usual = sidebar.width()
    memory = WindowMemory(tmp_path / "window.json")
    qtbot.mousePress(sidebar.edge, Qt.MouseButton.LeftButton, pos=QPoint(3, 90))
    qtbot.mouseMove(sidebar.edge, QPoint(83, 90))
    qtbot.mouseRelease(sidebar.edge, Qt.MouseButton.LeftButton)
    sidebar.edge.setFocus()
    qtbot.keyClick(sidebar.edge, Qt.Key.Key_Right)
    wide = sidebar.width()
    assert wide > usual
    sidebar.sort(Order.TITLE)
    sidebar.save(memory)
    memory.save()
    memory.wait()
    again = Sidebar()
    qtbot.addWidget(again)
    again.recall(WindowMemory(tmp_path / "window.json"))
    assert again.width() == wide
    assert again.list.conversations.arrangement.order is Order.TITLE
    qtbot.mouseDClick(sidebar.edge, Qt.MouseButton.LeftButton)
    assert sidebar.width() == usual


CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@play_scene()
async def test_pins_projects_and_putting_away_are_stored_by_keys(window, bridge):
    model = window.ui.sidebar.list.conversations
    QTest.keyClick(window, Qt.Key.Key_D, CONTROL)
    await until(lambda: model.info_of("c1").is_pinned)
    QTest.keyClick(window, Qt.Key.Key_S, CONTROL | SHIFT)
    await until(lambda: any(p.isVisible() for p in window.findChildren(ProjectPalette)))
    palette = window.findChild(ProjectPalette)
    QTest.keyClicks(palette.field, "Work")
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    await until(lambda: model.project_of("c1") is not None and model.project_of("c1").name == "Work")
    QTest.keyClick(window, Qt.Key.Key_H, CONTROL | SHIFT)
    await until(lambda: model.row_of("c1") < 0)
    assert window.chat.conversation == "c1"
    window.ui.sidebar.toggle_put_away()
    assert model.row_of("c1") >= 0
    window.ui.toast.action.click()
    await until(lambda: not model.info_of("c1").is_put_away)


@pytest.mark.long
@play_scene()
async def test_several_are_deleted_and_restored_and_one_is_duplicated(window, bridge):
    model = window.ui.sidebar.list.conversations
    window.ui.sidebar.list.delete_requested.emit(("c1", "c2"))
    await until(
        lambda: model.row_of("c1") < 0 and model.row_of("c2") < 0 and window.chat.conversation not in ("c1", "c2")
    )
    blank = window.chat.conversation
    window.ui.toast.action.click()
    await until(lambda: model.row_of("c1") >= 0 and window.chat.conversation == "c1")
    QTest.keyClick(window, Qt.Key.Key_D, CONTROL | SHIFT)
    await until(lambda: window.chat.conversation not in ("c1", blank))
    await until(lambda: any(text.startswith("Answer 199") for text in texts(window)))


@play_scene()
async def test_filtering_5000_titles_leaves_no_gap(window, bridge):
    infos = [info(f"m{n}", n * 4_000, title=f"Ledger {n % 70} of {n}") for n in range(5_000)]
    window.ui.sidebar.list.conversations.show_conversations(infos)
    taken: list[float] = []
    for text in ("l", "le", "led", "ledger 6", "ledger 69", "", "zz", ""):
        started = time.thread_time()
        window.ui.sidebar.filter.setText(text)
        window.ui.sidebar.list.executeDelayedItemsLayout()
        taken.append(time.thread_time() - started)
    assert max(taken) < 0.033 * slowness()


def test_a_menu_is_about_its_conversation_also_when_the_list_changes_below_it(qtbot, monkeypatch) -> None:
    sidebar = Sidebar()
    qtbot.addWidget(sidebar)
    sidebar.resize(260, 600)
    sidebar.list.conversations.show_conversations([info("a", 1), info("b", 2)])
    listed, opened, menus = sidebar.list, list[str](), list[QMenu]()
    listed.conversation_chosen.connect(opened.append)
    monkeypatch.setattr(QMenu, "popup", lambda menu, where: menus.append(menu))
    listed._open_menu(listed.conversations.index_of("b"), QPoint())
    sidebar.list.conversations.show_conversations([info("new", 0), info("a", 1), info("b", 2)])
    next(action for action in menus[0].actions() if action.text() == "Open").trigger()
    assert opened == ["b"]


def test_after_midnight_other_headings_stand_above_the_same(qtbot, monkeypatch) -> None:
    sidebar = Sidebar()
    qtbot.addWidget(sidebar)
    sidebar.list.conversations.show_conversations([info("a", 60)])
    headings = {row.title for row in sidebar.list.conversations._rows if isinstance(row, Heading)}
    assert "Today" in headings or "Yesterday" in headings
    monkeypatch.setattr(time, "time", lambda: NOW + 3 * 86_400)
    sidebar.list._refresh.timeout.emit()
    headings = {row.title for row in sidebar.list.conversations._rows if isinstance(row, Heading)}
    assert headings.isdisjoint({"Today", "Yesterday"})


def test_a_title_is_edited_on_when_the_list_changes_its_order(qtbot) -> None:
    sidebar = Sidebar()
    qtbot.addWidget(sidebar)
    sidebar.resize(260, 600)
    sidebar.list.conversations.show_conversations([info("a", 1), info("b", 2)])
    with qtbot.waitExposed(sidebar):
        sidebar.show()
    listed, renamed = sidebar.list, list[tuple[str, str]]()
    listed.conversations.renamed.connect(lambda name, title: renamed.append((name, title)))
    listed.setCurrentIndex(listed.conversations.index_of("b"))
    listed.rename()
    editor = listed._editor()
    assert editor is not None
    editor.setText("Half writ")
    sidebar.list.conversations.show_conversations([info("new", 0), info("a", 1), info("b", 2)])
    editor = listed._editor()
    assert editor is not None
    assert editor.text() == "Half writ"
    QTest.keyClicks(editor, "ten")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: renamed == [("b", "Half written")])
    sidebar.list.conversations.show_conversations([info("newer", 0), info("new", 1), info("a", 2), info("b", 3)])
    assert listed._editor() is None


def test_archived_ones_are_below_their_heading_which_folds_by_click_and_keys(qtbot):
    sidebar = Sidebar()
    qtbot.addWidget(sidebar)
    sidebar.resize(260, 700)
    sidebar.show()
    sidebar.list.conversations.show_projects(PROJECTS)
    sidebar.list.conversations.show_conversations(INFOS)
    listed, model = sidebar.list, sidebar.list.conversations
    assert model.row_of("d") == -1
    heading = model.index(model.rowCount() - 1)
    assert heading.data(Qt.ItemDataRole.AccessibleTextRole) == "Archived, 1 conversation\ncollapsed"
    QTest.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=listed.visualRect(heading).center())
    assert model.row_of("d") >= 0
    listed.setCurrentIndex(model.index(model.row_of("d") - 1))
    QTest.keyClick(listed, Qt.Key.Key_Left)
    assert model.row_of("d") == -1
    assert listed.currentIndex().row() == model.rowCount() - 1, "the keyboard stays on it"
    QTest.keyClick(listed, Qt.Key.Key_Return)
    assert model.row_of("d") >= 0


def test_a_folded_heading_says_what_goes_on_below_it():
    model = Sidebar().list.conversations
    model.show_conversations(INFOS)
    model.show_activities({"d": Activity.UNREAD})
    assert model.index(model.rowCount() - 1).data(ACTIVITY_ROLE) is Activity.UNREAD


@play_scene()
async def test_a_reply_elsewhere_is_unread_until_its_conversation_is_opened(window, bridge):
    activities = window.chat.turns
    window.chat.open("c2")
    await until(lambda: window.chat.conversation == "c2")
    bridge.happened.emit(TurnStarted("c1"))
    bridge.happened.emit(TurnFinished("c1"))
    assert activities.activities["c1"] is Activity.UNREAD
    bridge.happened.emit(TurnStarted("c2"))
    bridge.happened.emit(TurnFinished("c2"))
    assert "c2" not in activities.activities, "it was seen"
    window.chat.open("c1")
    await until(lambda: window.chat.conversation == "c1")
    assert "c1" not in activities.activities


@play_scene()
async def test_a_blank_conversation_of_an_earlier_run_is_used_before_another_one_is_made(window, bridge):
    window.chat.open_new()
    await until(lambda: window.ui.transcript_model.is_blank)
    blank, listed = window.chat.conversation, window.ui.sidebar.list.conversations
    await until(lambda: listed.row_of(blank) >= 0)
    window.chat.open("c2")
    await until(lambda: window.chat.conversation == "c2")
    window.chat.blanks = type(window.chat.blanks)()  # as after a restart
    window.chat.open_new()
    await until(lambda: window.chat.conversation == blank)
    assert {info.id for info in listed.conversations} == {"c1", "c2", blank}
