"""The Tab key walks through the window as it is read, and what has the keyboard shows it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from ui_scenes import play_scene, until

from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.widgets.boxes import CardList
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.inputs import SegmentButton
from desktop_app.ui.widgets.layouts import vertical
from desktop_app.ui.widgets.long_text import LongTextField

TAB, BACKTAB = Qt.Key.Key_Tab, Qt.Key.Key_Backtab


def walk(window: MainWindow, key: Qt.Key = TAB) -> list[QWidget]:
    """Press the key until the keyboard is where it began; return what had it, in order."""
    window.ui.sidebar.search.setFocus(Qt.FocusReason.TabFocusReason)
    stops: list[QWidget] = []
    while (stop := QApplication.focusWidget()) not in stops:
        assert stop is not None
        stops.append(stop)
        assert len(stops) < 60
        QTest.keyClick(stop, key)
    assert stop is stops[0]
    return stops


@pytest.mark.row("U6", "Tab, and rings")
@play_scene()
async def test_tab_walks_through_the_window_as_it_is_read(window, bridge):
    stops = walk(window)
    sidebar, header, composer = window.ui.sidebar, window.ui.header, window.ui.composer
    assert stops[:9] == [
        sidebar.search, sidebar.new, sidebar.filter, sidebar.sorting, sidebar.list,
        sidebar.importing, sidebar.insights, sidebar.settings, sidebar.edge,
    ]  # fmt: skip
    following = [header.folder, header.chip, header.panel_button, header.menu, window.ui.transcript, composer.field]
    places = [stops.index(widget) for widget in following]
    assert places == sorted(places)
    assert stops.index(composer.field) < stops.index(window.ui.gauge.bar)
    groups = [stop.parent() for stop in stops if isinstance(stop, SegmentButton)]
    assert len(groups) == len(set(groups)) > 0, "one stop each; the arrow keys choose"
    assert walk(window, BACKTAB)[1:] == stops[:0:-1]


@play_scene()
async def test_f6_goes_from_region_to_region(window, bridge):
    window.ui.sidebar.settings.setFocus()
    seen = []
    for _ in range(5):
        QTest.keyClick(window, Qt.Key.Key_F6)
        seen.append(QApplication.focusWidget())
    assert seen[:3] == [window.ui.sidebar.list, window.ui.transcript, window.ui.composer.field]
    assert window.ui.panel.isAncestorOf(seen[3])
    assert seen[4] is seen[0]


@play_scene()
async def test_every_stop_has_a_name_and_shows_that_it_has_the_keyboard(window, bridge):
    await until(lambda: window.ui.transcript.is_settled)
    for stop in walk(window):
        name = stop.accessibleName() or getattr(stop, "text", str)()
        assert name, stop
        window.setFocus()
        without = stop.grab().toImage()
        stop.setFocus(Qt.FocusReason.TabFocusReason)
        assert stop.grab().toImage() != without, name


def test_cards_that_come_later_are_walked_in_their_order(qtbot):
    """As the operations of the history, whose buttons came last in the window."""
    cards = CardList(lambda text, _: LinkButton(text), "", "More", 2)
    after = LinkButton("after")
    holder = QWidget()
    qtbot.addWidget(holder)
    vertical(cards, after, holder=holder)
    holder.show()
    cards.set_items({"b": "b", "c": "c"})
    cards.set_items({"a": "a", "b": "b", "c": "c"})
    holder.activateWindow()
    qtbot.waitActive(holder)
    qtbot.waitUntil(cards.cards["a"].isVisible)
    cards.cards["a"].setFocus()
    order: list[str] = []
    for _ in range(4):
        focused = QApplication.focusWidget()
        assert isinstance(focused, LinkButton)
        order.append(focused.text())
        QTest.keyClick(focused, TAB)
    assert order == ["a", "b", "More", "after"]


def test_a_text_that_is_only_read_has_a_caret(qtbot):
    field = LongTextField(size=13)
    qtbot.addWidget(field)
    field.setReadOnly(True)
    field.show_text("one two")
    field.show()
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(field, "x")
    assert (field.textCursor().selectedText().strip(), field.toPlainText()) == ("one", "one two")
