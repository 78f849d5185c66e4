"""Starting fresh: every way leads to the dialog, where the summary is chosen, read and edited before it is used."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from plan_scenes import PLAN, SUMMARY
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QWidget
from ui_scenes import is_idle, opened_sheet, play_scene, point_of, press, texts, until

from desktop_app.engine import protocol as p
from desktop_app.ui.importing.export_sheet import ExportSheet
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.transcript.transcript_items import FailureItem

FRESH = replace(PLAN, id="fresh", is_fresh=True)


def click(widget: QWidget) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


async def dialog_of(window: MainWindow) -> PlanDialog:
    await until(lambda: any(dialog.isVisible() for dialog in window.findChildren(PlanDialog)))
    return window.findChildren(PlanDialog)[-1]


async def from_the_header(window: MainWindow) -> None:
    window.ui.header.menu.click()
    menu = window.ui.header.menu.findChild(QMenu)
    entries = {action.text().split("\t")[0]: action for action in menu.actions()}
    assert "Export conversation…" in entries
    entries[Action.START_FRESH.value].trigger()
    menu.close()


async def from_a_failure(window: MainWindow) -> None:
    window.chat.send("!overflow")
    await until(lambda: "FailureItem" in texts(window) and is_idle(window))
    view, model = window.ui.transcript, window.ui.transcript_model
    row = next(n for n in range(model.rowCount()) if isinstance(model.item(n), FailureItem))
    point = point_of(view, model.item(row).key, Action.START_FRESH)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point)


async def from_the_plan(window: MainWindow) -> None:
    window.context.optimize()
    click((await dialog_of(window)).fresh)


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@pytest.mark.parametrize("way", [from_the_header, from_a_failure, from_the_plan])
@pytest.mark.long
@play_scene()
async def test_each_way_leads_to_the_dialog_and_on_to_the_new_conversation(window, bridge, way):
    before = window.chat.conversation
    await way(window)
    dialog = await dialog_of(window)
    await until(lambda: not dialog.fresh.isVisible() and dialog.apply.isEnabled())
    assert window.chat.conversation == before, "nothing has happened yet"
    assert not dialog.tail.isVisible()
    assert not dialog.strategy.choices.button("last_messages").isVisible()
    click(dialog.apply)
    await until(lambda: window.ui.header.label.text().endswith("(continued)"))
    await until(lambda: not window.findChildren(PlanDialog))
    assert window.chat.conversation not in ("", before)
    assert window.focusWidget() is window.ui.composer.field, "it can be written in at once"


@pytest.mark.long
@play_scene()
async def test_cancelled_it_leaves_nothing_and_the_export_is_one_click_away(window, bridge):
    before, listed = window.chat.conversation, window.ui.sidebar.list.model().rowCount()
    window.context.start_fresh()
    dialog = await dialog_of(window)
    click(dialog.export)
    sheet = await opened_sheet(window, ExportSheet)
    assert sheet.isVisible()
    sheet.reject()
    click(dialog.cancel)
    await until(lambda: not window.findChildren(PlanDialog))
    assert (window.chat.conversation, window.ui.sidebar.list.model().rowCount()) == (before, listed)
    assert is_idle(window)
    assert texts(window)


@pytest.mark.long
def test_the_edited_summary_of_the_author_that_was_chosen_is_what_begins(window, qtbot):
    dialog, asked = PlanDialog(FRESH, "c", window), []
    dialog.plan_requested.connect(asked.append)
    dialog.open()
    press(dialog.strategy.choices.button("llm"))
    assert asked == [p.PlanOptimize("c", None, "llm", is_fresh=True)]
    writer = p.Writer("large", "", 1, 4_000, 900)
    dialog.set_plan(replace(FRESH, id="f2", strategy="llm", is_written=False, summary="", writer=writer))
    assert not dialog.apply.isEnabled()
    press(dialog.summary.unwritten.write)
    assert asked[-1] == p.WriteSummary("c", "f2", "")
    dialog.set_plan(replace(FRESH, id="f3", strategy="llm", writer=writer))
    dialog.summary.area.setFocus()
    qtbot.keyClick(dialog.summary.area, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    with qtbot.waitSignal(dialog.plan_requested):
        qtbot.keyClicks(dialog.summary.area, " By March.")
    text = f"{SUMMARY} By March."
    dialog.set_plan(replace(FRESH, id="f4", strategy="llm", summary=text, writer=writer))
    with qtbot.waitSignal(dialog.apply_requested) as applied:
        press(dialog.apply)
    assert applied.args == [p.StartFresh("c", "f4", text)]
