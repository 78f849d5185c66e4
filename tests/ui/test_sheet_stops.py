"""In each sheet the Tab key reaches what can be operated, in the order of reading, and shows where it is."""

from __future__ import annotations

from itertools import pairwise

import pytest
from import_scenes import preview_of_import
from plan_scenes import PLAN
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from settings_scenes import open_settings

from desktop_app.conversation.memory import Memory
from desktop_app.conversation.setup import Project
from desktop_app.settings import Settings
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.policy.policy_sheet import PolicySheet
from desktop_app.ui.projects.project_sheet import ProjectSheet
from desktop_app.ui.widgets.boxes import ScrollColumn
from desktop_app.ui.widgets.buttons import Button
from desktop_app.ui.widgets.sheet import Sheet

ROW = 60  # pixels: what stands beside each other
MEMORIES = [Memory(f"m{n}", f"Fact {n}", 0.0, 0.0, scope="project", project="p") for n in range(2)]


def open_project(window: QWidget) -> ProjectSheet:
    made = ProjectSheet(Project("p", "Work"), (), [("large", "home/large")], [("Relaxed", "relaxed")], window)
    made.memories.show_memories(MEMORIES, {})
    return made


OPENERS = {
    "project": open_project,
    "policy": lambda window: PolicySheet(Settings(), "balanced", "Billing", {}, window),
    "plan": lambda window: PlanDialog(PLAN, "c", window),
    "settings": open_settings,
    "import": preview_of_import,
}


@pytest.fixture(params=OPENERS)
def sheet(request, window, qtbot) -> Sheet:
    made = OPENERS[request.param](window)
    made.open()
    qtbot.wait(100)
    return made


def stops_of(sheet: Sheet) -> list[QWidget]:
    """Press Tab until the keyboard is where it began."""
    stops: list[QWidget] = []
    while (stop := QApplication.focusWidget()) not in stops:
        assert stop is not None
        stops.append(stop)
        assert len(stops) < 200
        QTest.keyClick(stop, Qt.Key.Key_Tab)
    return stops


@pytest.mark.long
def test_the_keyboard_stays_in_the_sheet_and_reaches_its_buttons(sheet):
    stops = stops_of(sheet)
    assert all(sheet.isAncestorOf(stop) for stop in stops)
    left = {button for button in sheet.findChildren(Button) if button.isVisible() and button.isEnabled()} - set(stops)
    assert left == set()


@pytest.mark.long
def test_the_stops_follow_the_reading(sheet):
    """What stands lower in the same column comes later; the footer is last."""
    stops = [stop for stop in stops_of(sheet) if stop is not sheet]
    in_footer = [is_in_footer(sheet, stop) for stop in stops]
    first = next(n for n in range(len(stops)) if in_footer[n - 1] and not in_footer[n])  # wherever the sheet begins
    read = stops[first:] + stops[:first]
    for area in sheet.findChildren(ScrollColumn):
        area.verticalScrollBar().setValue(0)
    body = [stop.mapTo(sheet, QPoint(0, 0)) for stop in read if not is_in_footer(sheet, stop)]
    upwards = [(a, b) for a, b in pairwise(body) if b.y() < a.y() - ROW and b.x() < a.x() + ROW]
    assert upwards == []
    assert all(is_in_footer(sheet, stop) for stop in read[len(body) :])


def is_in_footer(sheet: Sheet, stop: QWidget) -> bool:
    return sheet._ground.footer.isAncestorOf(stop)


@pytest.mark.long
def test_each_stop_shows_that_it_has_the_keyboard(sheet):
    others = [stop for stop in stops_of(sheet) if stop is not sheet]
    for stop in others:
        (others[0] if stop is not others[0] else others[1]).setFocus(Qt.FocusReason.TabFocusReason)
        without = stop.grab().toImage()
        stop.setFocus(Qt.FocusReason.TabFocusReason)
        assert stop.grab().toImage() != without, (type(stop).__name__, stop.accessibleName())
