"""Every sheet keeps the keyboard until it closes, and gives it back where it was."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest
from import_scenes import preview_of_import
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QPaintEvent, QRegion
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget
from test_plan_dialog import PLAN
from ui_scenes import run_in_loop

from desktop_app.conversation.setup import Project
from desktop_app.engine.protocol import ModelsListed, SettingsRead, ToolsListed
from desktop_app.settings import Settings
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.palette.search_palette import SearchPalette
from desktop_app.ui.projects.project_sheet import ProjectSheet
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from desktop_app.ui.tools.tools_sheet import ToolsSheet
from desktop_app.ui.widgets.accessibility import use_roles
from desktop_app.ui.widgets.sheet import Sheet

SHEETS: dict[str, Callable[[QWidget], Sheet]] = {
    "optimize": lambda window: PlanDialog(PLAN, "c", window),
    "import": preview_of_import,
    "project": lambda window: ProjectSheet(Project("p", "Work"), (), (), (), window),
    "search": SearchPalette,
    "settings": lambda window: SettingsDialog(SettingsRead(Settings(), (), ""), ModelsListed(()), window),
    "tools": lambda window: ToolsSheet(ToolsListed(()), True, window),
}


@pytest.fixture
def behind(window) -> QLineEdit:
    """A field of the window that has the keyboard, and two buttons after it."""
    field = QLineEdit()
    column = QVBoxLayout(window)
    for widget in (field, QPushButton("one"), QPushButton("two")):
        column.addWidget(widget)
        widget.show()
    field.setFocus()
    return field


@pytest.fixture(params=SHEETS)
def sheet(request, window, behind) -> Sheet:
    made = SHEETS[request.param](window)
    made.open()
    return made


def has_keyboard(sheet: Sheet) -> bool:
    focused = QApplication.focusWidget()
    return focused is sheet or sheet.isAncestorOf(focused)


def test_the_keyboard_stays_in_a_sheet_whoever_asks_for_it(sheet, behind):
    assert has_keyboard(sheet)
    behind.setFocus()
    assert has_keyboard(sheet)


def test_the_keyboard_stays_in_a_sheet_when_what_had_it_can_have_it_no_longer(sheet, qtbot):
    for lose in ("setEnabled", "setVisible"):
        for _ in range(4):
            focused = QApplication.focusWidget()
            if focused is not sheet:
                getattr(focused, lose)(False)
            assert has_keyboard(sheet)
    sheet.focusWidget().clearFocus() if sheet.focusWidget() else sheet.clearFocus()
    assert has_keyboard(sheet)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not sheet.isVisible()


@pytest.mark.long
def test_tab_never_leaves_a_sheet(sheet, qtbot):
    for key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
        for _ in range(12):
            qtbot.keyClick(QApplication.focusWidget(), key)
            assert has_keyboard(sheet)


def test_escape_closes_a_sheet_and_the_keyboard_is_where_it_was(sheet, behind, qtbot):
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not sheet.isVisible()
    assert QApplication.focusWidget() is behind


def test_what_a_sheet_covers_is_not_painted_behind_it(window, qtbot):
    class Behind(QWidget):
        painted = QRegion()

        def paintEvent(self, event: QPaintEvent) -> None:
            self.painted += event.region()

    behind = Behind(window)
    behind.setGeometry(window.rect())
    behind.show()
    sheet = ToolsSheet(ToolsListed(()), True, window)
    sheet.open()
    qtbot.waitUntil(lambda: behind.painted.contains(QPoint(1, 1)))
    behind.painted = QRegion()
    sheet.repaint()
    window.repaint()
    assert behind.painted.contains(QPoint(1, 1)), "beside the sheet it is seen"
    assert not behind.painted.contains(sheet.geometry().center())
    assert not behind.painted.contains(sheet.geometry().adjusted(3, 20, -3, -20).topLeft())
    sheet.reject()
    qtbot.waitUntil(lambda: behind.painted.contains(sheet.geometry().center()))


@run_in_loop
async def test_what_is_typed_while_a_sheet_opens_is_in_its_first_field(window, qtbot) -> None:
    sheet = Sheet(window, width=400, title="Grows")
    column, field = QVBoxLayout(sheet), QLineEdit()

    def build() -> Iterator[QWidget]:
        column.addWidget(field)
        sheet.set_first(field)
        yield field

    sheet.steps = build()
    opening = asyncio.ensure_future(sheet.open_gradually())
    while not sheet.isVisible():
        await asyncio.sleep(0)
    assert not field.isVisible()
    qtbot.keyClicks(sheet, "ab")
    await opening
    qtbot.keyClicks(field, "c")
    assert field.text() == "abc"
    sheet.close()


def test_a_sheet_is_a_modal_dialog_for_a_screen_reader(window):
    use_roles()
    sheet = SearchPalette(window)
    interface = QAccessible.queryAccessibleInterface(sheet)
    assert (interface.role(), bool(interface.state().modal)) == (QAccessible.Role.Dialog, True)
    assert interface.text(QAccessible.Text.Name) == "Search everything"
