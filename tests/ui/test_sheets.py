"""Every sheet keeps the keyboard until it closes, and gives it back where it was."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget
from test_plan_dialog import PLAN

from desktop_app.engine.protocol import ModelsListed, SettingsRead, ToolsListed
from desktop_app.settings import Settings
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.search.search_palette import SearchPalette
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from desktop_app.ui.tools.spill_viewer import SpillViewer
from desktop_app.ui.tools.tools_sheet import ToolsSheet
from desktop_app.ui.widgets.sheet import Sheet
from desktop_app.ui.widgets.text_label import TextLabel

SHEETS: dict[str, Callable[[QWidget], Sheet]] = {
    "optimize": lambda window: PlanDialog(PLAN, "c", window),
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


def test_tab_never_leaves_a_sheet(sheet, qtbot):
    for key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
        for _ in range(12):
            qtbot.keyClick(QApplication.focusWidget(), key)
            assert has_keyboard(sheet)


def test_escape_closes_a_sheet_and_the_keyboard_is_where_it_was(sheet, behind, qtbot):
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not sheet.isVisible()
    assert QApplication.focusWidget() is behind


def test_a_plan_that_is_measured_anew_keeps_the_keyboard(window, behind, qtbot):
    dialog = PlanDialog(PLAN, "c", window)
    dialog.open()
    dialog.apply.setFocus()
    dialog.tail.setValue(dialog.tail.minimum())  # nothing can be applied until it is measured
    assert not dialog.apply.isEnabled()
    assert has_keyboard(dialog)
    dialog.set_busy(True)
    assert has_keyboard(dialog)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_escape_closes_the_window_of_a_whole_output(qtbot):
    viewer = SpillViewer("ab12", "bash make all")
    viewer.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(viewer)
    viewer.show()
    viewer.activateWindow()
    qtbot.waitActive(viewer)
    for widget in (viewer.field, viewer.text):
        viewer.show()
        qtbot.keyClick(widget, Qt.Key.Key_Escape)
        assert not viewer.isVisible()


def test_a_label_measures_its_text_once_for_a_width(qtbot, monkeypatch):
    label = TextLabel("A sentence that is wrapped somewhere", wraps=True)
    qtbot.addWidget(label)
    measured: list[float] = []
    lay_out = label._layout_of
    monkeypatch.setattr(label, "_layout_of", lambda runs, width: measured.append(width) or lay_out(runs, width))
    heights = [label.heightForWidth(60) for _ in range(5)]
    hints = [label.sizeHint() for _ in range(5)]
    assert len(set(heights)) == 1
    assert len(measured) == 2, "once wrapped, once on one line"
    label.set_text("Short")
    assert label.heightForWidth(60) < heights[0]
    assert label.sizeHint().width() < hints[0].width()


def test_a_plan_that_cannot_be_applied_has_the_keyboard_too(window, behind, qtbot):
    dialog = PlanDialog(replace(PLAN, is_useful=False, archived=(), pruned=(), summary=""), "c", window)
    dialog.open()
    assert has_keyboard(dialog)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not dialog.isVisible()
